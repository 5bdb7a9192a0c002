#pragma once

#include <string>
#include <vector>

#include "cli/experiment_argument.h"
#include "train/run.h"

namespace lockstep::cli {

/// What `train` was called with.
struct TrainOptions {
    ExperimentArgument experiment;
    int steps = 0;
    RunOptions run;
    std::vector<std::string> faults, forkSettings;
    long long forkAt = 0;
    std::string meters = "on";
    bool json = false;
};

/// What is trained after the fork; without one the same. Fails where a run of it cannot go on from the first.
[[nodiscard]] Result<Experiment> forkedExperiment(const TrainOptions& options, const Experiment& experiment);

/// Fails with one line on what is no fault, or none of this experiment's machines.
[[nodiscard]] Result<std::vector<ScheduledFault>> readFaults(const std::vector<std::string>& texts,
                                                             const Experiment& experiment);

}  // namespace lockstep::cli
