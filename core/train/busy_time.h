#pragma once

#include "base/stopwatch.h"

namespace lockstep {

/// Adds the time of its own life, by the wall clock, to a sum of seconds; does nothing without one.
class BusyTime {
public:
    explicit BusyTime(double* seconds) : m_seconds(seconds) {
        if (m_seconds != nullptr) m_begin = SteadyClock::now();
    }
    ~BusyTime() {
        if (m_seconds != nullptr) *m_seconds += secondsSince(m_begin);
    }
    BusyTime(const BusyTime&) = delete;
    BusyTime& operator=(const BusyTime&) = delete;

private:
    double* m_seconds;
    SteadyClock::time_point m_begin{};
};

}  // namespace lockstep
