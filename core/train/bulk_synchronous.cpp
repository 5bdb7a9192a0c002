#include "train/bulk_synchronous.h"

#include <algorithm>
#include <array>

#include "train/exchange.h"

namespace lockstep {

std::vector<Share> sharesBySamples(std::span<const Worker> workers, std::span<const int> ranks) {
    double total = 0;
    for (const int rank : ranks) total += static_cast<double>(workers[static_cast<std::size_t>(rank)].samples);
    std::vector<Share> shares;
    for (const int rank : ranks) {
        const auto samples = static_cast<double>(workers[static_cast<std::size_t>(rank)].samples);
        shares.push_back({rank, static_cast<float>(samples / total)});
    }
    return shares;
}

BulkSynchronous::BulkSynchronous(const SynchronizationContext& context, int backupWorkers)
    : Synchronization(context),
      m_needed(context.workers.size() - static_cast<std::size_t>(backupWorkers)),
      m_rotates(backupWorkers > 0) {}

void BulkSynchronous::begin() {
    m_context.exchange.begin();
    beginStep(0);
}

void BulkSynchronous::beginStep(double time) {
    m_arrived.clear();
    m_context.queue.clear();
    if (m_rotates) m_context.queue.rotateTies(m_updates);
    startAll(time);
}

bool BulkSynchronous::arrived(const Arrival& arrival, double rate) {
    m_arrived.push_back(arrival.rank);
    if (m_arrived.size() < m_needed) return false;
    std::ranges::sort(m_arrived);
    const std::vector<Share> shares = sharesBySamples(m_context.workers, m_arrived);
    observe(shares);
    ++m_updates;
    for (const int rank : m_arrived) m_applied.add(m_context.workers[static_cast<std::size_t>(rank)].samples, 0);
    m_context.exchange.update(shares, rate, m_updates);
    beginStep(arrival.time);
    return true;
}

void BulkSynchronous::workerBack(int rank, double time) {
    const std::array ranks{rank};
    m_context.exchange.refresh(ranks);
    const bool pushed = std::ranges::find(m_arrived, rank) != m_arrived.end();
    if (!pushed) start(rank, time);
}

void BulkSynchronous::archive(StateArchive& archive) {
    Synchronization::archive(archive);
    archive.vector(m_arrived);
}

void BulkSynchronous::observe(std::span<const Share> shares) {
    std::vector<Contribution> gradients;
    for (const Share& share : shares)
        gradients.push_back({m_context.workers[static_cast<std::size_t>(share.rank)].gradient, share.weight});
    m_context.noiseScale.observe(gradients, static_cast<double>(m_context.workers.front().samples));
}

bool BulkSynchronous::replicasIdentical() const {
    return m_context.workers.front().parameters.data() == m_context.workers.back().parameters.data();
}

void BulkSynchronous::readModel(std::span<float> parameters) const {
    std::ranges::copy(m_context.workers.front().parameters, parameters.begin());
}

}  // namespace lockstep
