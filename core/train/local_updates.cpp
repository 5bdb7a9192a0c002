#include "train/local_updates.h"

#include <algorithm>
#include <array>

#include "train/exchange.h"

namespace lockstep {

LocalUpdates::LocalUpdates(const SynchronizationContext& context, int localSteps)
    : Synchronization(context), m_localSteps(localSteps) {
    const std::array whole{IndexRange{0, context.workers.front().parameters.size()}};
    for (std::size_t rank = 0; rank < context.workers.size(); ++rank)
        m_shards.emplace_back(whole, context.update.layers, context.update.optimizer, context.update.trained);
}

void LocalUpdates::begin() {
    if (m_localSteps > 0) m_context.exchange.begin();
    startAll(0);
}

bool LocalUpdates::arrived(const Arrival& arrival, double rate) {
    if (++m_arrivals < m_context.workers.size()) return false;
    m_arrivals = 0;
    ++m_updates;
    updateAll(rate);
    for (const Worker& worker : m_context.workers) m_applied.add(worker.samples, 0);
    if (m_localSteps > 0 && m_updates % m_localSteps == 0) averageAll();
    startAll(arrival.time);
    return true;
}

void LocalUpdates::updateAll(double rate) {
    m_context.pool.parallelFor(m_shards.size(), [&](std::size_t rank, int) {
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

}  // namespace lockstep
