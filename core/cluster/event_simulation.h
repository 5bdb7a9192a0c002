#pragma once

#include <cstdint>
#include <optional>
#include <queue>
#include <vector>

#include "cluster/flow_network.h"

namespace lockstep {

/// A clock, timers, and messages over a network with fair links. Whoever models something asks for what comes next and
/// reacts to it. Of things that happen at the same time ends of messages come before timers; messages in the order in
/// which their bytes began to flow, timers in the order in which they were set.
class EventSimulation {
public:
    [[nodiscard]] FlowNetwork& network() { return m_network; }
    /// Seconds since the start.
    [[nodiscard]] double now() const { return m_now; }

    /// `tag` comes after `delay` seconds, >= 0.
    void after(double delay, std::uint64_t tag);
    /// `tag` comes when the message has arrived: its latency first, then its bytes on the links.
    void send(const Route& route, double bytes, double latency_s, std::uint64_t tag);
    /// What happens next; nothing when nothing is under way.
    [[nodiscard]] std::optional<std::uint64_t> next();

    /// Flows that have begun so far.
    [[nodiscard]] long long flows() const { return m_flows; }

private:
    /// Either a tag, or a message whose latency is over.
    struct Timer {
        double time = 0;
        std::uint64_t order = 0, tag = 0;
        int message = -1;
        bool operator>(const Timer& other) const {
            return time != other.time ? time > other.time : order > other.order;
        }
    };
    struct Message {
        Route route;
        double bytes = 0;
    };

    FlowNetwork m_network;
    double m_now = 0;
    std::uint64_t m_set = 0;
    long long m_flows = 0;
    std::priority_queue<Timer, std::vector<Timer>, std::greater<>> m_timers;
    std::vector<Message> m_messages;  ///< waiting for their latency
    std::vector<int> m_freeMessages;
    std::vector<std::uint64_t> m_ended;  ///< at m_now, to be told
    std::size_t m_told = 0;
};

}  // namespace lockstep
