#include "train/stop_bench.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "train/run.h"

namespace lockstep {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr double kMemoryLimitBytes = 8e9;
constexpr std::chrono::milliseconds kPatience{1};

/// A run, and when it is in the middle of what is to be measured.
struct Case {
    std::string during;
    Experiment experiment;
    RunOptions options;
    bool whilePreparing = false;  ///< counted from its construction, not from the first snapshot
    double until_s = 0.3;         ///< stops are spread over this long
};

Experiment longRun(int workers, int batch, int resolutionPx) {
    Experiment experiment;
    experiment.cluster.architecture = workers == 1 ? Architecture::SingleNode : Architecture::AllReduce;
    experiment.cluster.workers = workers;
    experiment.training.batchPerWorker = batch;
    experiment.training.resolutionPx = resolutionPx;
    experiment.training.epochs = 1e6;
    return experiment;
}

std::vector<Case> cases() {
    std::vector<Case> cases;
    cases.push_back(
        {.during = "a step of one worker, batch 1536 at 64 px", .experiment = longRun(1, 1536, 64), .options = {}});
    cases.push_back(
        {.during = "a step of 8 workers, batch 32 at 28 px", .experiment = longRun(8, 32, 28), .options = {}});

    Case test{.during = "the test of an epoch", .experiment = longRun(1, 8, 28), .options = {}};
    test.options.testEvery = 1;  // next to nothing but tests
    cases.push_back(test);
    cases.push_back({.during = "the preparation of 64 px images",
                     .experiment = longRun(8, 32, 64),
                     .options = {},
                     .whilePreparing = true});

    Case sparse{.during = "sparse gradients of 32 workers, mlp", .experiment = longRun(32, 8, 28), .options = {}};
    sparse.experiment.training.model = "mlp";
    sparse.experiment.training.compression = Compression::TopK;
    sparse.experiment.cluster.architecture = Architecture::ParameterServer;
    cases.push_back(sparse);

    Case starving{.during = "the wait for samples, 10 a second", .experiment = longRun(8, 32, 28), .options = {}};
    starving.experiment.cluster.loaderSamplesPerS = 10;
    starving.experiment.training.augmentation = true;
    cases.push_back(starving);

    Case drift{.during = "256 replicas that drift, mlp", .experiment = longRun(256, 8, 28), .options = {}};
    drift.experiment.training.model = "mlp";
    drift.experiment.training.synchronization = SynchronizationKind::None;
    drift.options.snapshotEvery = 1;
    drift.until_s = 1;
    cases.push_back(drift);
    return cases;
}

Result<double> stopOnce(const Case& what, const std::shared_ptr<const TrainTest>& data, double delay_s) {
    Run run(what.experiment, data, what.options);
    while (!what.whilePreparing && !run.latest() && !run.waitFor(kPatience)) {
    }
    std::this_thread::sleep_for(Seconds(delay_s));
    const Clock::time_point requested = Clock::now();
    run.requestStop();
    run.wait();
    const double taken_s = Seconds(Clock::now() - requested).count();
    if (run.result()->outcome == RunState::Failed) return fail(what.during + ": " + run.result()->error);
    return taken_s;
}

}  // namespace

Result<std::vector<StopLatency>> benchStop(const StopBenchSettings& settings,
                                           const std::shared_ptr<const TrainTest>& data) {
    std::vector<StopLatency> latencies;
    for (Case& what : cases()) {
        if (const Result<void> checked = checkRun(what.experiment, *data, kMemoryLimitBytes); !checked)
            return fail(what.during + ": " + checked.error().message);
        what.options.threads = settings.threads;
        std::vector<double> taken_s;
        for (int round = 0; round < std::max(1, settings.rounds); ++round) {
            const double share = (round + 0.5) / std::max(1, settings.rounds);
            const Result<double> taken = stopOnce(what, data, share * what.until_s);
            if (!taken) return tl::unexpected(taken.error());
            taken_s.push_back(*taken);
        }
        std::ranges::sort(taken_s);
        latencies.push_back({what.during, taken_s[taken_s.size() / 2], taken_s.back()});
    }
    return latencies;
}

}  // namespace lockstep
