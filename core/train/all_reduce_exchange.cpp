#include <algorithm>
#include <array>
#include <utility>

#include "train/exchange.h"
#include "train/sparse_gather.h"

namespace lockstep {
namespace {

CollectiveSchedule allReduceSchedule(AllReduceAlgorithm algorithm, std::size_t ranks) {
    return CollectiveSchedule::make(Collective::AllReduce, algorithm, static_cast<int>(ranks)).value();
}

bool sameWeights(std::span<const Share> shares) {
    return std::ranges::all_of(shares, [&](const Share& share) { return share.weight == shares.front().weight; });
}

}  // namespace

AllReduceExchange::AllReduceExchange(std::span<Worker> workers, ServerGroup::Settings settings,
                                     AllReduceAlgorithm algorithm, std::size_t distinctReplicas, ThreadPool& pool)
    : Exchange(workers, 0),
      m_settings(std::move(settings)),
      m_pool(pool),
      m_plan(allReduceSchedule(algorithm, workers.size()), workers.front().parameters.size()),
      m_vectorBytes(bytesOfOne(WireFormat())),
      m_gradientBytes(m_vectorBytes) {
    const std::array whole{IndexRange{0, m_plan.elements()}};
    for (std::size_t replica = 0; replica < distinctReplicas; ++replica) {
        m_replicas.emplace_back(whole, m_settings.layers, m_settings.optimizer, m_settings.trained);
        for (std::size_t piece = 0; piece < m_replicas.back().pieces().size(); ++piece)
            m_tasks.push_back({replica, piece});
    }
}

AllReduceExchange::~AllReduceExchange() = default;

void AllReduceExchange::gatherSparse(std::size_t keptEntries) {
    const std::size_t trained = std::min(m_settings.trained, m_plan.elements());
    m_sparse = std::make_unique<SparseGather>(trained, keptEntries, m_pool);
}

std::span<const float> AllReduceExchange::sumOf(const Worker& worker) const {
    return m_sparse ? m_workers.front().gradient : worker.gradient;
}

void AllReduceExchange::update(std::span<const Share> shares, double rate, long long update) {
    m_time.measure(everyone(), [&] { sumGradients(shares); });
    const bool measured = needsNorms(m_settings.optimizer, m_settings.clipNorm);
    if (measured) {
        forEachPiece([&](ParameterShard& shard, Worker& worker, std::size_t piece) {
            shard.measure(piece, worker.parameters, sumOf(worker));
        });
    }
    std::vector<UpdateOrder> orders;
    for (const ParameterShard& replica : m_replicas) {
        LayerNorms norms;
        if (measured) replica.addNorms(norms);
        orders.push_back(updateOrder(m_settings.optimizer, rate, update, m_settings.clipNorm, norms));
    }
    forEachPiece([&](ParameterShard& shard, Worker& worker, std::size_t piece) {
        shard.update(piece, worker.parameters, sumOf(worker), orders[static_cast<std::size_t>(worker.rank)]);
    });
}

template <class Work>
void AllReduceExchange::forEachPiece(Work work) {
    m_pool.parallelFor(m_tasks.size(), [&](std::size_t task, int) {
        const auto [replica, piece] = m_tasks[task];
        work(m_replicas[replica], m_workers[replica], piece);
    });
}

void AllReduceExchange::sumGradients(std::span<const Share> shares) {
    if (m_sparse) {
        m_sparse->sum(m_workers, shares);
        countSparse(shares);
        return;
    }
    const bool even = sameWeights(shares);
    std::vector<float> factors(m_workers.size(), 0.0F);
    for (const Share& share : shares) factors[static_cast<std::size_t>(share.rank)] = even ? 1.0F : share.weight;
    std::vector<float*> buffers;
    for (Worker& worker : m_workers) {
        const float factor = factors[static_cast<std::size_t>(worker.rank)];
        if (factor == 0)
            std::ranges::fill(worker.gradient, 0.0F);
        else if (factor != 1)
            multiply(worker.gradient, factor);
        buffers.push_back(worker.gradient.data());
    }
    execute(buffers, even ? shares.front().weight : 1.0F, m_gradientBytes);
}

/// Each list goes from its worker to the next and on, W - 1 times: past every worker but the one before its own.
void AllReduceExchange::countSparse(std::span<const Share> shares) {
    const std::size_t ranks = m_workers.size();
    const double list = m_sparse->bytes(1, 2, m_plan.elements());
    for (const Share& share : shares)
        for (std::size_t hop = 0; hop + 1 < ranks; ++hop) {
            const std::size_t sender = (static_cast<std::size_t>(share.rank) + hop) % ranks;
            transfer(m_traffic.workers[sender], m_traffic.workers[(sender + 1) % ranks], list);
        }
}

void AllReduceExchange::average(std::span<const std::span<float>> vectors, bool /*parameters*/) {
    std::vector<float*> buffers;
    for (const std::span<float> vector : vectors) buffers.push_back(vector.data());
    m_time.measure(everyone(), [&] { execute(buffers, 1.0F / static_cast<float>(vectors.size()), m_vectorBytes); });
}

void AllReduceExchange::readOptimizer(std::span<float> first, std::span<float> second) const {
    m_replicas.front().readState(first, second);
}

void AllReduceExchange::writeOptimizer(std::span<const float> first, std::span<const float> second) {
    for (ParameterShard& replica : m_replicas) replica.writeState(first, second);
}

void AllReduceExchange::archive(StateArchive& archive) {
    Exchange::archive(archive);
    for (ParameterShard& replica : m_replicas) replica.archive(archive);
}

void AllReduceExchange::execute(std::span<float* const> buffers, float scale, std::span<const BytesMoved> each) {
    m_plan.execute(buffers, &m_pool, scale);
    for (std::size_t rank = 0; rank < each.size(); ++rank) {
        m_traffic.workers[rank].sent += each[rank].sent;
        m_traffic.workers[rank].received += each[rank].received;
    }
}

void AllReduceExchange::setWireFormat(const WireFormat& format) {
    Exchange::setWireFormat(format);
    if (m_sparse) return;  // its lists are counted as they go
    m_gradientBytes = bytesOfOne(format);
}

std::vector<BytesMoved> AllReduceExchange::bytesOfOne(const WireFormat& format) const {
    std::vector<BytesMoved> ranks(m_workers.size());
    const CollectiveSchedule& schedule = m_plan.schedule();
    const auto chunkBegin = [&](int chunk) { return chunkRange(m_plan.elements(), schedule.chunks(), chunk).begin; };
    for (int step = 0; step < schedule.steps(); ++step)
        for (const Transfer& one : schedule.transfers(step)) {
            const IndexRange slice{chunkBegin(one.firstChunk), chunkBegin(one.firstChunk + one.chunkCount)};
            transfer(ranks[static_cast<std::size_t>(one.sender)], ranks[static_cast<std::size_t>(one.receiver)],
                     format.denseBytes(slice));
        }
    return ranks;
}

}  // namespace lockstep
