#pragma once

#include <chrono>

namespace lockstep {

/// The clock that nobody sets.
using SteadyClock = std::chrono::steady_clock;

[[nodiscard]] inline double secondsSince(SteadyClock::time_point begin) {
    return std::chrono::duration<double>(SteadyClock::now() - begin).count();
}

}  // namespace lockstep
