#pragma once

#include "charts/chart_data.h"
#include "train/snapshot.h"

namespace lockstep::ui {

/// A finished curve to compare with.
struct GhostCurve {
    QString label;
    const std::vector<Snapshot>* history = nullptr;
};

/// What the measured charts read. `history` may be null before a run.
struct MeasuredInput {
    const std::vector<Snapshot>* history = nullptr;
    std::vector<GhostCurve> ghosts;  ///< newest first
    long long samplesPerStep = 0;    ///< global batch of the real run
};

/// Samples behind one step, from the run's own count; 0 before the first step.
[[nodiscard]] long long samplesPerStep(const std::vector<Snapshot>& history);

/// Loss (right axis) and test accuracy (left axis, %) against steps.
[[nodiscard]] ChartData learningChart(const MeasuredInput& input);
/// Mean distance of the replicas to their average against steps.
[[nodiscard]] ChartData divergenceChart(const MeasuredInput& input);

}  // namespace lockstep::ui
