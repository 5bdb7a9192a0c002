#include "train/arrival_queue.h"

#include <algorithm>
#include <cassert>

namespace lockstep {

ArrivalQueue::ArrivalQueue(const Experiment& experiment, int workers) : m_jitter(experiment.cluster.computeJitter) {
    const ClusterSettings& cluster = experiment.cluster;
    m_standstills.resize(static_cast<std::size_t>(workers));
    for (int rank = 0; rank < workers; ++rank) {
        m_slowdown.push_back(rank >= workers - cluster.stragglerCount ? cluster.stragglerSlowdown : 1);
        m_streams.emplace_back(experiment.training.seed, RandomPurpose::ComputeTime, static_cast<std::uint32_t>(rank));
    }
    for (const NodeOverride& node : cluster.nodeOverrides) {
        const int first = node.node * cluster.devicesPerNode;
        for (int rank = first; rank < std::min(first + cluster.devicesPerNode, workers); ++rank)
            m_slowdown[static_cast<std::size_t>(rank)] *= node.slowdown.value_or(1);
    }
}

double ArrivalQueue::timePerIteration(const TrainingSettings& training) const {
    const SynchronizationKind kind = training.synchronization;
    if (kind == SynchronizationKind::Asynchronous || kind == SynchronizationKind::None) {
        double rate = 0;
        for (const double slowdown : m_slowdown) rate += 1 / slowdown;
        return static_cast<double>(m_slowdown.size()) / rate;
    }
    std::vector<double> slowdowns = m_slowdown;
    std::ranges::sort(slowdowns);
    const int dropped = kind == SynchronizationKind::BulkSynchronous ? training.backupWorkers : 0;
    return slowdowns[slowdowns.size() - 1 - static_cast<std::size_t>(dropped)];
}

double ArrivalQueue::duration(int rank) {
    const auto index = static_cast<std::size_t>(rank);
    if (m_jitter <= 0) return m_slowdown[index];
    return m_slowdown[index] * std::max(0.05, 1 + m_jitter * m_streams[index].nextNormal());
}

void ArrivalQueue::begin(int rank, double time) {
    m_standstills[static_cast<std::size_t>(rank)] = {.sum = waited(rank, time)};
    const int workers = static_cast<int>(m_slowdown.size());
    m_arrivals.emplace(time + duration(rank), (rank - m_first + workers) % workers, rank);
}

Arrival ArrivalQueue::next() const {
    assert(!empty());
    return {std::get<0>(*m_arrivals.begin()), std::get<2>(*m_arrivals.begin())};
}

Arrival ArrivalQueue::pop() {
    const Arrival arrival = next();
    m_arrivals.erase(m_arrivals.begin());
    m_standstills[static_cast<std::size_t>(arrival.rank)].since = arrival.time;
    return arrival;
}

double ArrivalQueue::waited(int rank, double now) const {
    const Standstill& standstill = m_standstills[static_cast<std::size_t>(rank)];
    return standstill.sum + (standstill.since ? now - *standstill.since : 0);
}

void ArrivalQueue::rotateTies(long long turn) {
    assert(empty());
    m_first = static_cast<int>(turn % static_cast<long long>(m_slowdown.size()));
}

}  // namespace lockstep
