#pragma once

#include <stop_token>
#include <thread>

namespace lockstep {

/// While it lives, the first Ctrl+C (or SIGTERM) asks for a stop instead of ending the program; the second ends it.
class InterruptWatch {
public:
    InterruptWatch();
    InterruptWatch(const InterruptWatch&) = delete;
    InterruptWatch& operator=(const InterruptWatch&) = delete;

    [[nodiscard]] std::stop_token token() const { return m_source.get_token(); }
    [[nodiscard]] bool requested() const { return m_source.stop_requested(); }

private:
    std::stop_source m_source;
    std::jthread m_thread;  ///< a signal handler may only set a flag; this carries it on
};

}  // namespace lockstep
