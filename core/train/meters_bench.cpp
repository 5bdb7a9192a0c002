#include "train/meters_bench.h"

#include <algorithm>
#include <ctime>
#include <memory>
#include <utility>

#include "train/training_engine.h"

namespace lockstep {
namespace {

/// Of all threads of this process; other programs only disturb it by way of the caches.
double processorSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// One of the runs that are compared.
struct Candidate {
    std::string meters;
    std::unique_ptr<TrainingEngine> engine;
    std::vector<double> seconds{};  ///< of each round
};

Result<void> trainRound(Candidate& candidate, const MetersBenchSettings& settings) {
    const double begin = processorSeconds();
    for (int step = 0; step < settings.stepsPerRound; ++step) {
        if (candidate.engine->advance({}) != TrainingEngine::Advance::Stepped)
            return fail("the experiment diverges, so that nothing can be measured with it");
        if (candidate.engine->step() % settings.snapshotEvery != 0) continue;
        Snapshot snapshot;
        candidate.engine->takeProgress(snapshot);
        candidate.engine->measureDivergence(snapshot, {});
    }
    candidate.seconds.push_back(processorSeconds() - begin);
    return {};
}

MeterCost costOf(const Candidate& measured, const Candidate& without) {
    std::vector<double> shares;
    for (std::size_t round = 0; round < measured.seconds.size(); ++round)
        shares.push_back(measured.seconds[round] / without.seconds[round] - 1);
    std::ranges::sort(shares);
    const std::size_t count = shares.size();
    return {measured.meters, shares[count / 2], shares[count / 4], shares[count - 1 - count / 4]};
}

}  // namespace

Result<std::vector<MeterCost>> benchMeters(const MetersBenchSettings& settings, const TrainTest& data) {
    Experiment experiment = settings.experiment;
    experiment.training.epochs = 1e6;  // rounds decide how long
    experiment.training.maxSteps = 0;
    ThreadPool pool(settings.threads > 0 ? settings.threads : coreCount());
    std::vector<Candidate> candidates;
    for (const char* meters : {"off", "on", "sampled", "divergence", "noise", "times", "full-gradients"}) {
        auto engine = TrainingEngine::make(experiment, data, pool);
        if (!engine) return tl::unexpected(engine.error());
        (*engine)->setMeters(parseMeters(meters).value());
        candidates.push_back({meters, *std::move(engine)});
    }
    // One round to warm up, which does not count.
    for (int round = -1; round < std::max(1, settings.rounds); ++round) {
        for (std::size_t i = 0; i < candidates.size(); ++i) {
            // Another one comes first each time.
            Candidate& next = candidates[(i + static_cast<std::size_t>(round + 1)) % candidates.size()];
            if (const auto trained = trainRound(next, settings); !trained) return tl::unexpected(trained.error());
            if (round < 0) next.seconds.clear();
        }
    }
    std::vector<MeterCost> costs;
    for (std::size_t i = 1; i < candidates.size(); ++i) costs.push_back(costOf(candidates[i], candidates.front()));
    return costs;
}

}  // namespace lockstep
