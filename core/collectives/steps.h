#pragma once

#include <vector>

#include "collectives/schedule.h"

namespace lockstep {

/// One simple collective by one algorithm, as a part of a schedule. Reduce-scatter and all-gather exist for ring and
/// halving-doubling only; the trees of scatter and gather serve halving-doubling too.
struct SchedulePart {
    Collective kind;
    AllReduceAlgorithm algorithm;
    int ranks;  ///< >= 2
    int chunks;
};

[[nodiscard]] int stepCount(const SchedulePart& part);

/// Appends the transfers of step 0..stepCount()-1.
void appendStep(const SchedulePart& part, int step, std::vector<Transfer>& transfers);

}  // namespace lockstep
