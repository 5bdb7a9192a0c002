#pragma once

#include <cstddef>

#include "base/result.h"
#include "experiment/experiment.h"

namespace lockstep {

/// What is timed: one all-reduce over replicas' buffers in this process.
struct CollectiveBenchSettings {
    AllReduceAlgorithm algorithm = AllReduceAlgorithm::Ring;  ///< one that needs no topology
    int ranks = 8;                                            ///< 2..256
    std::size_t elements = 2'500'000;                         ///< floats of each buffer, 1..2^28 / ranks
    int threads = 2;                                          ///< 1..1024
    int rounds = 9;                                           ///< all-reduce and copy in turn; medians are quoted
};

struct CollectiveBenchResult {
    double seconds = 0;    ///< of one all-reduce
    double bytesPerS = 0;  ///< ranks x elements x 4 / seconds
    /// In which the same threads read each buffer once and write each once, by copying half of them over the other
    /// half and back: the least that any all-reduce in memory can take.
    double limitSeconds = 0;
    double shareOfLimit = 0;  ///< limitSeconds / seconds
};

/// Fails with one line on settings out of range or an algorithm that the ranks cannot run.
[[nodiscard]] Result<CollectiveBenchResult> benchAllReduce(const CollectiveBenchSettings& settings);

}  // namespace lockstep
