#include "train/asynchronous.h"

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
    m_servers.pull(ranks);
    m_pulledAt[rank] = m_updates;
    start(arrival.rank, arrival.time);
    return true;
}

}  // namespace lockstep
