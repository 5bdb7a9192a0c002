#include "train/arrival_queue.h"

#include <algorithm>
#include <cassert>

namespace lockstep {

ArrivalQueue::ArrivalQueue(const Experiment& experiment, int workers, double computeShare)
    : m_jitter(experiment.cluster.computeJitter),
      m_computeShare(computeShare),
      m_hindrances(static_cast<std::size_t>(workers)) {
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
    std::vector<double> durations;
    for (const double slowdown : m_slowdown) durations.push_back(m_computeShare * slowdown + (1 - m_computeShare));
    const SynchronizationKind kind = training.synchronization;
    if (kind == SynchronizationKind::Asynchronous || kind == SynchronizationKind::None) {
        double rate = 0;
        for (const double duration : durations) rate += 1 / duration;
        return static_cast<double>(durations.size()) / rate;
    }
    std::ranges::sort(durations);
    const int dropped = kind == SynchronizationKind::BulkSynchronous ? training.backupWorkers : 0;
    return durations[durations.size() - 1 - static_cast<std::size_t>(dropped)];
}

double ArrivalQueue::duration(int rank) {
    const auto index = static_cast<std::size_t>(rank);
    const double jitter = m_jitter > 0 ? std::max(0.05, 1 + m_jitter * m_streams[index].nextNormal()) : 1;
    const double compute = m_computeShare * m_slowdown[index] * m_hindrances[index].factor * jitter;
    return compute + (1 - m_computeShare) * m_transferFactor;
}

void ArrivalQueue::enter(int rank, double time) {
    const int workers = static_cast<int>(m_slowdown.size());
    m_arrivals.insert({time, (rank - m_first + workers) % workers, rank});
}

void ArrivalQueue::begin(int rank, double time) {
    m_standstills[static_cast<std::size_t>(rank)] = {.sum = waited(rank, time), .standing = false};
    Hindrance& hindrance = m_hindrances[static_cast<std::size_t>(rank)];
    const double takes = duration(rank);
    if (!hindrance.paused) return enter(rank, time + takes);
    hindrance.holds = true;
    hindrance.remaining = takes;
}

Arrival ArrivalQueue::next() const {
    assert(!empty());
    return {m_arrivals.begin()->time, m_arrivals.begin()->rank};
}

Arrival ArrivalQueue::pop() {
    const Arrival arrival = next();
    m_arrivals.erase(m_arrivals.begin());
    Standstill& standstill = m_standstills[static_cast<std::size_t>(arrival.rank)];
    standstill.standing = true;
    standstill.since = arrival.time;
    return arrival;
}

double ArrivalQueue::waited(int rank, double now) const {
    const Standstill& standstill = m_standstills[static_cast<std::size_t>(rank)];
    return standstill.sum + (standstill.standing ? now - standstill.since : 0);
}

void ArrivalQueue::clear() {
    m_arrivals.clear();
    for (Hindrance& hindrance : m_hindrances) hindrance.holds = false;
}

void ArrivalQueue::drop(int rank) {
    std::erase_if(m_arrivals, [&](const Entry& entry) { return entry.rank == rank; });
    m_hindrances[static_cast<std::size_t>(rank)].holds = false;
}

void ArrivalQueue::rotateTies(long long turn) {
    assert(empty());
    m_first = static_cast<int>(turn % static_cast<long long>(m_slowdown.size()));
}

bool ArrivalQueue::underWay(int rank) const {
    return m_hindrances[static_cast<std::size_t>(rank)].holds ||
           std::ranges::any_of(m_arrivals, [&](const Entry& entry) { return entry.rank == rank; });
}

void ArrivalQueue::pause(int rank, double time) {
    Hindrance& hindrance = m_hindrances[static_cast<std::size_t>(rank)];
    hindrance.paused = true;
    const auto found = std::ranges::find_if(m_arrivals, [&](const Entry& entry) { return entry.rank == rank; });
    if (found == m_arrivals.end()) return;
    hindrance.holds = true;
    hindrance.remaining = std::max(0.0, found->time - time);
    m_arrivals.erase(found);
}

void ArrivalQueue::resume(int rank, double time) {
    Hindrance& hindrance = m_hindrances[static_cast<std::size_t>(rank)];
    hindrance.paused = false;
    if (!hindrance.holds) return;
    hindrance.holds = false;
    enter(rank, time + hindrance.remaining);
}

double ArrivalQueue::plainDuration(int rank) const {
    const auto index = static_cast<std::size_t>(rank);
    return m_computeShare * m_slowdown[index] * m_hindrances[index].factor + (1 - m_computeShare) * m_transferFactor;
}

void ArrivalQueue::stretch(int rank, double factor, double time) {
    Hindrance& hindrance = m_hindrances[static_cast<std::size_t>(rank)];
    hindrance.remaining *= factor;
    const auto found = std::ranges::find_if(m_arrivals, [&](const Entry& entry) { return entry.rank == rank; });
    if (found == m_arrivals.end() || found->time <= time) return;
    Entry later = *found;
    later.time = time + (later.time - time) * factor;
    m_arrivals.erase(found);
    m_arrivals.insert(later);
}

void ArrivalQueue::slowWorker(int rank, double factor, double time) {
    Hindrance& hindrance = m_hindrances[static_cast<std::size_t>(rank)];
    if (hindrance.factor == factor) return;
    const double before = plainDuration(rank);
    hindrance.factor = factor;
    stretch(rank, plainDuration(rank) / before, time);
}

void ArrivalQueue::slowTransfers(double factor, double time) {
    if (m_transferFactor == factor) return;
    std::vector<double> before;
    for (std::size_t rank = 0; rank < m_slowdown.size(); ++rank)
        before.push_back(plainDuration(static_cast<int>(rank)));
    m_transferFactor = factor;
    for (std::size_t rank = 0; rank < m_slowdown.size(); ++rank)
        stretch(static_cast<int>(rank), plainDuration(static_cast<int>(rank)) / before[rank], time);
}

void ArrivalQueue::postpone(double time) {
    std::vector<Entry> entries(m_arrivals.begin(), m_arrivals.end());
    for (Entry& entry : entries) entry.time = std::max(entry.time, time);
    m_arrivals = {entries.begin(), entries.end()};
}

void ArrivalQueue::archive(StateArchive& archive) {
    archive.value(m_transferFactor);
    archive.value(m_first);
    archive.elements(std::span(m_hindrances));
    archive.elements(std::span(m_standstills));
    archive.elements(std::span(m_streams));
    std::vector<Entry> entries(m_arrivals.begin(), m_arrivals.end());
    archive.vector(entries);
    if (archive.restores()) m_arrivals = {entries.begin(), entries.end()};
}

}  // namespace lockstep
