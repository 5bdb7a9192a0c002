#pragma once

#include "experiment/experiment.h"

namespace lockstep {

/// How the learning rate changes over a run of `totalSteps` updates.
struct ScheduleSettings {
    RateSchedule schedule = RateSchedule::Constant;
    int warmupSteps = 0;
    long long totalSteps = 0;
};

/// What multiplies the rate of the update that follows `step` updates: during warm-up it climbs evenly, (step + 1) /
/// warmupSteps (Goyal et al., 2017); then
///   constant  1
///   step      a tenth from half of the run, a hundredth from three quarters (He et al., 2016, on CIFAR-10)
///   cosine    from 1 to 0 over what is left after warm-up (Loshchilov and Hutter, ICLR 2017, without restarts)
[[nodiscard]] double scheduleFactor(const ScheduleSettings& settings, long long step);

}  // namespace lockstep
