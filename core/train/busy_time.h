#pragma once

#include <chrono>

namespace lockstep {

/// Adds the time of its own life, by the wall clock, to a sum of seconds; does nothing without one.
class BusyTime {
public:
    explicit BusyTime(double* seconds) : m_seconds(seconds) {
        if (m_seconds != nullptr) m_begin = Clock::now();
    }
    ~BusyTime() {
        if (m_seconds != nullptr) *m_seconds += std::chrono::duration<double>(Clock::now() - m_begin).count();
    }
    BusyTime(const BusyTime&) = delete;
    BusyTime& operator=(const BusyTime&) = delete;

private:
    using Clock = std::chrono::steady_clock;

    double* m_seconds;
    Clock::time_point m_begin{};
};

}  // namespace lockstep
