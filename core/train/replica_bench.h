#pragma once

#include <string>

#include "base/result.h"
#include "data/dataset.h"
#include "experiment/experiment.h"

namespace lockstep {

/// What is timed: whole steps of a run of several replicas, in turn with the same replicas left to themselves.
struct ReplicaBenchSettings {
    Experiment experiment;  ///< its synchronization is compared with none
    int threads = 2;
    int rounds = 7;  ///< medians are quoted
    double secondsPerRound = 0.3;
};

struct ReplicaBenchResult {
    double samplesPerS = 0;                ///< of the experiment
    double unsynchronizedSamplesPerS = 0;  ///< of the same replicas without synchronization
    double share = 0;                      ///< median of the rounds' ratios
};

[[nodiscard]] Result<ReplicaBenchResult> benchReplicas(const ReplicaBenchSettings& settings, const TrainTest& data);

}  // namespace lockstep
