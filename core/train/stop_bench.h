#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "data/dataset.h"

namespace lockstep {

/// How long a run takes from the request to stop until its thread is joined.
struct StopLatency {
    std::string during;  ///< what it was about: "a batch of 1536 at 64 px", "the test of an epoch", ...
    double median_s = 0, worst_s = 0;
};

struct StopBenchSettings {
    int threads = 0;  ///< 0: one per core
    int rounds = 20;  ///< stops of each kind, at moments spread over a few tenths of a second
};

/// Starts and stops runs on the images of `data` (28 px Fashion-MNIST is meant) in the middle of what takes longest.
/// Fails with one line where they cannot be run on these images.
[[nodiscard]] Result<std::vector<StopLatency>> benchStop(const StopBenchSettings& settings,
                                                         const std::shared_ptr<const TrainTest>& data);

}  // namespace lockstep
