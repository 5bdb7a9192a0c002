#include "train/local_updates.h"

#include <algorithm>
#include <array>

#include "optim/vector_math.h"
#include "train/exchange.h"

namespace lockstep {

LocalUpdates::LocalUpdates(const SynchronizationContext& context, int localSteps)
    : Synchronization(context), m_localSteps(localSteps), m_arrived(context.workers.size()) {
    for (std::size_t rank = 0; rank < context.workers.size(); ++rank) m_shards.push_back(newShard());
}

ParameterShard LocalUpdates::newShard() const {
    const std::array whole{IndexRange{0, m_context.workers.front().parameters.size()}};
    return {whole, m_context.update.layers, m_context.update.optimizer, m_context.update.trained};
}

void LocalUpdates::begin() {
    if (m_localSteps > 0) m_context.exchange.begin();
    startAll(0);
}

bool LocalUpdates::arrived(const Arrival& arrival, double rate) {
    m_arrived[static_cast<std::size_t>(arrival.rank)] = 1;
    if (!allUpArrived()) return false;
    std::vector<int> ranks;
    for (const Worker& worker : m_context.workers)
        if (m_arrived[static_cast<std::size_t>(worker.rank)] != 0) ranks.push_back(worker.rank);
    std::ranges::fill(m_arrived, 0);
    ++m_updates;
    update(ranks, rate);
    for (const int rank : ranks) m_applied.add(m_context.workers[static_cast<std::size_t>(rank)].samples, 0);
    m_averagingDue = m_localSteps > 0 && m_updates % m_localSteps == 0;
    goOn(arrival.time);
    return true;
}

bool LocalUpdates::allUpArrived() const {
    for (std::size_t rank = 0; rank < m_arrived.size(); ++rank)
        if (m_context.health.workers[rank].up() && m_arrived[rank] == 0) return false;
    return true;
}

/// The next step, unless its mean must wait.
void LocalUpdates::goOn(double time) {
    if (m_averagingDue) {
        if (!m_context.health.up()) return;
        averageAll();
        m_averagingDue = false;
    }
    for (const Worker& worker : m_context.workers)
        if (!m_context.queue.underWay(worker.rank)) start(worker.rank, time);
}

void LocalUpdates::workerBack(int rank, double time) {
    const std::array ranks{rank};
    const auto index = static_cast<std::size_t>(rank);
    m_context.initialize(m_context.workers[index].parameters, rank);
    if (m_localSteps > 0) m_context.exchange.refresh(ranks);
    m_shards[index] = newShard();
    m_arrived[index] = 0;
    m_averagingDue ? goOn(time) : start(rank, time);
}

void LocalUpdates::workerResumed(int rank, double time) {
    if (m_averagingDue) workerLost(rank);
    m_context.queue.resume(rank, time);
    if (m_averagingDue) goOn(time);
}

void LocalUpdates::serversResumed(double time) {
    if (m_averagingDue) goOn(time);
}

void LocalUpdates::update(const std::vector<int>& ranks, double rate) {
    m_context.pool.parallelFor(ranks.size(), [&](std::size_t index, int) {
        const auto rank = static_cast<std::size_t>(ranks[index]);
        ParameterShard& shard = m_shards[rank];
        Worker& worker = m_context.workers[rank];
        LayerNorms norms;
        if (needsNorms(m_context.update.optimizer, m_context.update.clipNorm)) {
            for (std::size_t piece = 0; piece < shard.pieces().size(); ++piece)
                shard.measure(piece, worker.parameters, worker.gradient);
            shard.addNorms(norms);
        }
        const UpdateOrder order =
            updateOrder(m_context.update.optimizer, rate, m_updates, m_context.update.clipNorm, norms);
        for (std::size_t piece = 0; piece < shard.pieces().size(); ++piece)
            shard.update(piece, worker.parameters, worker.gradient, order);
    });
}

void LocalUpdates::averageAll() {
    std::vector<std::span<float>> parameters, first, second;
    for (std::size_t rank = 0; rank < m_shards.size(); ++rank) {
        parameters.push_back(m_context.workers[rank].parameters);
        first.push_back(m_shards[rank].optimizer().firstState());
        second.push_back(m_shards[rank].optimizer().secondState());
    }
    m_context.exchange.average(parameters, true);
    if (!first.front().empty()) m_context.exchange.average(first, false);
    if (!second.front().empty()) m_context.exchange.average(second, false);
}

void LocalUpdates::readModel(std::span<float> parameters) const {
    std::ranges::copy(m_context.workers.front().parameters, parameters.begin());
}

void LocalUpdates::readOptimizer(std::span<float> first, std::span<float> second) const {
    std::ranges::fill(first, 0.0F);
    std::ranges::fill(second, 0.0F);
    for (const ParameterShard& shard : m_shards) {
        add(shard.optimizer().firstState(), first.first(shard.optimizer().firstState().size()));
        add(shard.optimizer().secondState(), second.first(shard.optimizer().secondState().size()));
    }
    multiply(first, 1.0F / static_cast<float>(m_shards.size()));
    multiply(second, 1.0F / static_cast<float>(m_shards.size()));
}

void LocalUpdates::writeOptimizer(std::span<const float> first, std::span<const float> second) {
    for (ParameterShard& shard : m_shards) shard.writeState(first, second);
}

void LocalUpdates::archive(StateArchive& archive) {
    Synchronization::archive(archive);
    for (ParameterShard& shard : m_shards) shard.archive(archive);
    archive.elements(std::span(m_arrived));
    archive.value(m_averagingDue);
}

}  // namespace lockstep
