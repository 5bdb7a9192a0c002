#include "train/stale_synchronous.h"

#include <algorithm>
#include <utility>

namespace lockstep {

StaleSynchronous::StaleSynchronous(const SynchronizationContext& context, ServerExchange& servers, int bound)
    : Synchronization(context), m_servers(servers), m_bound(bound), m_progress(context.workers.size()) {}

bool StaleSynchronous::arrived(const Arrival& arrival, double rate) {
    Worker& worker = m_context.workers[static_cast<std::size_t>(arrival.rank)];
    Progress& progress = m_progress[static_cast<std::size_t>(arrival.rank)];
    hold(worker);
    ++progress.clock;
    progress.waiting = true;
    return applyOldestClock(rate);
}

void StaleSynchronous::hold(Worker& worker) {
    const Progress& progress = m_progress[static_cast<std::size_t>(worker.rank)];
    FloatVector buffer;
    if (m_spare.empty()) {
        buffer.resize(worker.gradient.size());
    } else {
        buffer = std::move(m_spare.back());
        m_spare.pop_back();
    }
    std::ranges::copy(worker.gradient, buffer.begin());
    m_clocks[progress.clock].emplace(worker.rank, Pushed{std::move(buffer), worker.samples, progress.version});
}

bool StaleSynchronous::applyOldestClock(double rate) {
    const auto oldest = m_clocks.begin();
    if (oldest->first != m_updates || oldest->second.size() < m_context.workers.size()) return false;
    double samples = 0;
    for (const auto& [rank, pushed] : oldest->second) samples += static_cast<double>(pushed.samples);
    std::vector<Contribution> gradients;
    std::vector<int> ranks;
    for (const auto& [rank, pushed] : oldest->second) {
        gradients.push_back({pushed.gradient, static_cast<float>(static_cast<double>(pushed.samples) / samples)});
        ranks.push_back(rank);
        m_applied.add(pushed.samples, m_updates - pushed.version);
    }
    m_context.noiseScale.observe(gradients, samples / static_cast<double>(gradients.size()));
    m_servers.push(gradients, ranks);
    m_servers.applyPushed(rate, ++m_updates);
    for (auto& [rank, pushed] : oldest->second) m_spare.push_back(std::move(pushed.gradient));
    m_clocks.erase(oldest);
    return true;
}

void StaleSynchronous::workerBack(int rank, double /*time*/) {
    m_progress[static_cast<std::size_t>(rank)].waiting = true;
}

void StaleSynchronous::continueFrom(long long updates) {
    Synchronization::continueFrom(updates);
    for (Progress& progress : m_progress) progress.clock = progress.version = updates;
}

void StaleSynchronous::archive(StateArchive& archive) {
    Synchronization::archive(archive);
    archive.elements(std::span(m_progress));
    archive.map(m_clocks, [&](std::map<int, Pushed>& clock) {
        archive.map(clock, [&](Pushed& pushed) {
            archive.vector(pushed.gradient);
            archive.value(pushed.samples);
            archive.value(pushed.version);
        });
    });
}

void StaleSynchronous::settled(double time) {
    std::vector<int> released;
    for (const Worker& worker : m_context.workers) {
        Progress& progress = m_progress[static_cast<std::size_t>(worker.rank)];
        if (!progress.waiting || m_context.health.workers[static_cast<std::size_t>(worker.rank)].dead ||
            m_updates < progress.clock - m_bound)
            continue;
        progress.waiting = false;
        progress.version = m_updates;
        released.push_back(worker.rank);
    }
    if (released.empty()) return;
    m_servers.pull(released);
    for (const int rank : released) start(rank, time);
}

}  // namespace lockstep
