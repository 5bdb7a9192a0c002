#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "data/dataset.h"
#include "experiment/experiment.h"

namespace lockstep {

/// What meters add to the processor time, over all threads, of a run's steps and snapshots.
struct MeterCost {
    std::string meters;  ///< "on", "sampled", or the name of the one that was on
    double share = 0;    ///< median over rounds of time with them / time without, - 1; 0.03 is 3 %
    double lowerQuartile = 0, upperQuartile = 0;
};

struct MetersBenchSettings {
    Experiment experiment;
    int threads = 0;  ///< 0: one per core
    int rounds = 15;  ///< of each choice of meters, in turn
    int stepsPerRound = 50;
    int snapshotEvery = 10;  ///< steps, as RunOptions
};

/// Trains the experiment once without meters, once with all of them, once with all sampled and once with each, all of
/// them in turn, a few steps at a time, so that whatever else the computer does falls on all alike. With one thread
/// nobody's waiting counts. Tests on the test set are no part of it. Fails with one line when the experiment cannot be
/// run on these images.
[[nodiscard]] Result<std::vector<MeterCost>> benchMeters(const MetersBenchSettings& settings, const TrainTest& data);

}  // namespace lockstep
