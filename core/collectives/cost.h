#pragma once

#include "collectives/schedule.h"

namespace lockstep {

/// Every rank's full-duplex link to one switch.
struct UniformLinks {
    double bandwidthBitPerS = 1e10;  ///< > 0, in each direction
    double latency_s = 0;            ///< >= 0, before each message
};

/// Seconds that the collective takes on `bytes` (M) per rank, in closed form with chunks of real-valued size M/W:
///   ring               2(W-1)/W x 8M/B + 2(W-1) a
///   tree               2 ceil(log2 W) (8M/B + a)
///   halving-doubling   2(P-1)/P x 8M/B + 2 log2(P) a, and 2 (8M/B + a) more where W is no power of two
///   naive              2(W-1) x 8M/B + 2 a
/// and correspondingly for the other collectives. 0 for one rank. Fails as CollectiveSchedule::make.
[[nodiscard]] Result<double> closedFormSeconds(Collective collective, AllReduceAlgorithm algorithm, int ranks,
                                               double bytes, const UniformLinks& links);

/// The same from the schedule itself: each step takes the latency and then its busiest link direction's bytes. An
/// independent way to the same number; visits every transfer.
[[nodiscard]] double scheduleSeconds(const CollectiveSchedule& schedule, double bytes, const UniformLinks& links);

}  // namespace lockstep
