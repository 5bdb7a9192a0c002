#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "data/dataset.h"

namespace lockstep {

/// What is timed: one network, one batch after another, forward, backward and update.
struct TrainingBenchSettings {
    std::string model = "cnn";
    int batch = 32;         ///< 1..65536
    int threads = 1;        ///< 1..1024, all on the same batch
    int resolutionPx = 28;  ///< 8..64
    int rounds = 7;         ///< the median of so many is quoted
    double secondsPerRound = 0.2;
};

struct TrainingBenchResult {
    double samplesPerS = 0;  ///< median over rounds, by wall clock
    double minimumSamplesPerS = 0, maximumSamplesPerS = 0;
    double flopPerS = 0;      ///< operations that were executed, not skipped ones
    double peakFlopPerS = 0;  ///< multiply-adds on registers by the same threads, in turn with the rounds
    double shareOfPeak = 0;   ///< flopPerS / peakFlopPerS, 0..1
    double seconds = 0;       ///< in all
};

/// Trains on the images of `data` (resampled) for as long as the settings say. Fails with one line on settings out of
/// range. What it measures is this build on this computer; it varies with what else runs.
[[nodiscard]] Result<TrainingBenchResult> benchTraining(const TrainingBenchSettings& settings, const TrainTest& data);

}  // namespace lockstep
