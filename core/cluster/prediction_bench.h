#pragma once

#include "cluster/prediction.h"

namespace lockstep {

struct PredictionBenchResult {
    double predictionsPerS = 0;
    double median_s = 0, p99_s = 0;  ///< of single predictions
};

/// Predicts an experiment over and over for about `seconds`. What it measures is this build on this computer.
[[nodiscard]] Result<PredictionBenchResult> benchPrediction(const Experiment& experiment, const Catalogue& catalogue,
                                                            double seconds = 1.0);

}  // namespace lockstep
