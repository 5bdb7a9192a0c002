#include "cluster/prediction_bench.h"

#include <algorithm>
#include <chrono>
#include <vector>

namespace lockstep {

Result<PredictionBenchResult> benchPrediction(const Experiment& experiment, const Catalogue& catalogue,
                                              double seconds) {
    using Clock = std::chrono::steady_clock;
    if (const Result<Prediction> first = predict(experiment, catalogue); !first) return tl::unexpected(first.error());
    std::vector<double> times_s;
    const Clock::time_point begin = Clock::now();
    Clock::time_point before = begin;
    double total_s = 0;
    while (total_s < seconds) {
        const Result<Prediction> prediction = predict(experiment, catalogue);
        if (!prediction) return tl::unexpected(prediction.error());
        const Clock::time_point after = Clock::now();
        times_s.push_back(std::chrono::duration<double>(after - before).count());
        before = after;
        total_s = std::chrono::duration<double>(after - begin).count();
    }
    std::sort(times_s.begin(), times_s.end());
    const auto quantile = [&](double share) {
        return times_s[static_cast<std::size_t>(share * static_cast<double>(times_s.size() - 1))];
    };
    return PredictionBenchResult{static_cast<double>(times_s.size()) / total_s, quantile(0.5), quantile(0.99)};
}

}  // namespace lockstep
