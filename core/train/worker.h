#pragma once

#include <span>

namespace lockstep {

/// One logical worker: its replica, and what its last iteration gave.
struct Worker {
    int rank = 0;
    /// Its replica; several workers may share one while all are identical by construction.
    std::span<float> parameters;
    std::span<float> gradient;  ///< mean over its last batch, as it leaves the worker
    bool pending = false;       ///< has started, but its gradient is not computed yet
    long long samples = 0;      ///< in its last batch
    double loss = 0;            ///< mean over its last batch
    long long correct = 0;
};

}  // namespace lockstep
