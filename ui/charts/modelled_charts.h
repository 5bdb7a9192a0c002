#pragma once

#include "charts/chart_data.h"

namespace lockstep::ui {

/// Worker counts of the throughput chart: powers of two and the midpoints between them, from 1 to `most`; at most 24.
[[nodiscard]] std::vector<int> sampledWorkerCounts(int most);

/// Throughput against workers: the present architecture, one or two others, and linear scaling. Fewer than 90
/// predictions.
[[nodiscard]] ChartData throughputChart(const Experiment& experiment, const Prediction& now,
                                        const Catalogue& catalogue);

/// The same curves from a cache while only what they do not depend on (the number of workers) changes, as in a drag.
class ThroughputChart {
public:
    [[nodiscard]] const ChartData& update(const Experiment& experiment, const Prediction& now,
                                          const Catalogue& catalogue);

private:
    Experiment m_key;
    int m_most = 0;
    bool m_valid = false;
    ChartData m_curves, m_shown;
};

/// Where an iteration's time goes: now, and under one or two changes.
[[nodiscard]] BreakdownData breakdownChart(const Experiment& experiment, const Prediction& now,
                                           const Catalogue& catalogue);

/// "2 servers", "ring all-reduce", "one device": what tells this experiment's architecture from others.
[[nodiscard]] QString architectureText(const Experiment& experiment);

}  // namespace lockstep::ui
