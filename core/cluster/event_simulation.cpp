#include "cluster/event_simulation.h"

namespace lockstep {

void EventSimulation::after(double delay, std::uint64_t tag) { m_timers.push({m_now + delay, m_set++, tag, -1}); }

void EventSimulation::send(const Route& route, double bytes, double latency_s, std::uint64_t tag) {
    if (!(latency_s > 0)) {
        ++m_flows;
        return m_network.start(route, bytes, tag, m_now);
    }
    int index = static_cast<int>(m_messages.size());
    if (m_freeMessages.empty()) {
        m_messages.push_back({route, bytes});
    } else {
        index = m_freeMessages.back();
        m_freeMessages.pop_back();
        m_messages[static_cast<std::size_t>(index)] = {route, bytes};
    }
    m_timers.push({m_now + latency_s, m_set++, tag, index});
}

std::optional<std::uint64_t> EventSimulation::next() {
    while (true) {
        if (m_told < m_ended.size()) return m_ended[m_told++];
        m_ended.clear();
        m_told = 0;
        // Everything of this instant comes before rates are found: what begins together is looked at together.
        if (m_timers.empty() || m_timers.top().time > m_now) {
            const double end = m_network.nextEnd(m_now);
            const double timer = m_timers.empty() ? std::numeric_limits<double>::infinity() : m_timers.top().time;
            if (end == std::numeric_limits<double>::infinity() && m_timers.empty()) return {};
            if (end <= timer) {
                m_now = end;
                m_network.takeEnded(m_now, m_ended);
                continue;
            }
            m_now = timer;
        }
        const Timer timer = m_timers.top();
        m_timers.pop();
        if (timer.message < 0) return timer.tag;
        const Message& message = m_messages[static_cast<std::size_t>(timer.message)];
        ++m_flows;
        m_network.start(message.route, message.bytes, timer.tag, m_now);
        m_freeMessages.push_back(timer.message);
    }
}

}  // namespace lockstep
