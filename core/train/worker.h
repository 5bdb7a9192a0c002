#pragma once

#include <span>
#include "nn/float_vector.h"

namespace lockstep {

/// One logical worker: its replica, and what its last iteration gave.
struct Worker {
    int rank = 0;
    std::span<float>
        parameters;         ///< its replica; several workers may share one while all are identical by construction
    FloatVector gradient;   ///< mean over its last batch, as it leaves the worker
    bool pending = false;   ///< has started, but its gradient is not computed yet
    long long samples = 0;  ///< in its last batch
    double loss = 0;        ///< mean over its last batch
    long long correct = 0;
};

}  // namespace lockstep
