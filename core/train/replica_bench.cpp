#include "train/replica_bench.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <vector>

#include "base/median.h"
#include "base/stopwatch.h"
#include "train/training_engine.h"

namespace lockstep {
namespace {

Result<double> samplesPerSecond(TrainingEngine& engine, double seconds) {
    const SteadyClock::time_point begin = SteadyClock::now();
    double passed = 0;
    long long samples = 0;
    do {
        if (engine.advance({}) != TrainingEngine::Advance::Stepped) return fail("bench: the run did not go on");
        for (const Worker& worker : engine.workers()) samples += worker.samples;
        passed = secondsSince(begin);
    } while (passed < seconds);
    return static_cast<double>(samples) / passed;
}

}  // namespace

Result<ReplicaBenchResult> benchReplicas(const ReplicaBenchSettings& settings, const TrainTest& data) {
    ThreadPool pool(settings.threads);
    Experiment experiment = settings.experiment;
    experiment.training.epochs = 1e6;
    experiment.training.learningRate = 1e-4;  // so that timing never runs into infinities
    Experiment alone = experiment;
    alone.training.synchronization = SynchronizationKind::None;
    auto together = TrainingEngine::make(experiment, data, pool), apart = TrainingEngine::make(alone, data, pool);
    if (!together) return tl::unexpected(together.error());
    if (!apart) return tl::unexpected(apart.error());
    std::vector<double> rates, apartRates, shares;
    for (int round = 0; round <= settings.rounds; ++round) {
        const Result<double> rate = samplesPerSecond(**together, settings.secondsPerRound);
        const Result<double> apartRate = samplesPerSecond(**apart, settings.secondsPerRound);
        if (!rate) return tl::unexpected(rate.error());
        if (!apartRate) return tl::unexpected(apartRate.error());
        if (round == 0) continue;  // warms up
        rates.push_back(*rate);
        apartRates.push_back(*apartRate);
        shares.push_back(*rate / *apartRate);
    }
    return ReplicaBenchResult{
        .samplesPerS = median(rates), .unsynchronizedSamplesPerS = median(apartRates), .share = median(shares)};
}

}  // namespace lockstep
