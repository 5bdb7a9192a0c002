#include "train/asynchronous.h"

#include <algorithm>
#include <array>

namespace lockstep {

Asynchronous::Asynchronous(const SynchronizationContext& context, ServerExchange& servers)
    : Synchronization(context), m_servers(servers), m_pulledAt(context.workers.size()) {}

bool Asynchronous::arrived(const Arrival& arrival, double rate) {
    const auto rank = static_cast<std::size_t>(arrival.rank);
    const std::array ranks{arrival.rank};
    m_applied.add(m_context.workers[rank].samples, m_updates - m_pulledAt[rank]);
    m_servers.push(std::array{Contribution{m_context.workers[rank].gradient, 1}}, ranks);
    m_servers.applyPushed(rate, ++m_updates);
    pullAndStart(arrival.rank, arrival.time);
    return true;
}

void Asynchronous::workerBack(int rank, double time) { pullAndStart(rank, time); }

void Asynchronous::pullAndStart(int rank, double time) {
    m_servers.pull(std::array{rank});
    m_pulledAt[static_cast<std::size_t>(rank)] = m_updates;
    start(rank, time);
}

void Asynchronous::continueFrom(long long updates) {
    Synchronization::continueFrom(updates);
    std::ranges::fill(m_pulledAt, updates);
}

void Asynchronous::archive(StateArchive& archive) {
    Synchronization::archive(archive);
    archive.elements(std::span(m_pulledAt));
}

}  // namespace lockstep
