#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "data/dataset.h"

namespace lockstep {

/// Random runs, one after another, each in several ways that must give the same bits.
struct SoakSettings {
    double seconds = 60;
    std::uint64_t seed = 1;
};

struct SoakReport {
    long long rounds = 0, runs = 0, faults = 0, forks = 0, stops = 0;
    double worstStop_s = 0;         ///< from the request to the end of the run
    double residentBytesEarly = 0;  ///< of this process after a tenth of the time, everything ended
    double residentBytesAtEnd = 0;
    std::string firstFailure;  ///< one line; empty when there was none. Ends the soak
};

/// In each round a random experiment is trained on one thread with random faults, and again on two with random pauses;
/// it is trained without faults, and again up to a random step and from a checkpoint there on; and a run without end
/// gets faults by hand and is stopped. `progress` hears of each round.
[[nodiscard]] SoakReport soak(const SoakSettings& settings, const std::shared_ptr<const TrainTest>& data,
                              const std::function<void(const SoakReport&)>& progress);

}  // namespace lockstep
