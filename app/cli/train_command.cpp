#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "base/format.h"
#include "base/interrupt_watch.h"
#include "base/thread_pool.h"
#include "cli/commands.h"
#include "cli/experiment_argument.h"
#include "cluster/prediction.h"
#include "data/dataset.h"
#include "experiment/enum_names.h"
#include "experiment/resolved.h"
#include "train/run.h"
#include "train/snapshot_json.h"

namespace lockstep::cli {
namespace {

constexpr double kMemoryLimitBytes = 8e9;
constexpr std::chrono::milliseconds kPollInterval{20};

struct TrainOptions {
    ExperimentArgument experiment;
    int steps = 0;
    RunOptions run;
    std::string meters = "on";
    bool json = false;
};

std::string percent(double fraction) { return formatQuantity(fraction, "%"); }

void printSnapshot(const Snapshot& snapshot) {
    const std::string loss = std::isnan(snapshot.loss) ? "–" : fmt::format("{:.4f}", snapshot.loss);
    printLine(fmt::format("{:>8}  {:>7.2f}  {:>8}  {:>7}  {:>7}  {:>10.4g}  {:>14}", snapshot.step, snapshot.epoch,
                          loss, percent(snapshot.trainAccuracy), percent(snapshot.testAccuracy),
                          snapshot.divergence.meanDistanceToAverage,
                          formatQuantity(snapshot.measuredSamplesPerS, "images/s")));
}

void printSummary(const RunResult& result) {
    const std::string end = result.divergedAtStep ? fmt::format("diverged at step {}", *result.divergedAtStep)
                                                  : std::string(runStateName(result.outcome));
    printLine(fmt::format(
        "{} after {} steps: test accuracy {}, replicas {:.3g} from their average, {} sent, parameters {:016x}", end,
        result.last.step, percent(result.last.testAccuracy), result.last.divergence.meanDistanceToAverage,
        formatQuantity(result.last.bytesSent, "B"), result.parametersHash));
}

/// Where the images come from, with a message when they are not the ones that were asked for.
Result<std::shared_ptr<const TrainTest>> loadData(const Experiment& experiment, int threads, std::stop_token stop) {
    ThreadPool pool(threads > 0 ? threads : coreCount());
    DatasetOptions options;
    options.resolutionPx = trainingResolutionPx(experiment);
    options.pool = &pool;
    options.stop = std::move(stop);
    return loadDatasetOrShapes(experiment.training.dataset, options).map([](DatasetChoice choice) {
        if (!choice.notice.empty()) printMessage(choice.notice);
        return std::shared_ptr<const TrainTest>(std::make_shared<TrainTest>(std::move(choice.data)));
    });
}

/// Waits for the run's end; an interrupt stops it, and what it has reached is still reported.
std::shared_ptr<const RunResult> runToEnd(Run& run, const InterruptWatch& interrupt) {
    while (!run.waitFor(kPollInterval))
        if (interrupt.requested()) run.requestStop();
    return run.result();
}

std::string describe(const Experiment& experiment, const TrainTest& data) {
    const int servers = trainingServers(experiment);
    return fmt::format("{}: {}, {}{}, batch {} each", data.train.name(), counted(trainingWorkers(experiment), "worker"),
                       servers > 0 ? counted(servers, "server") + ", " : "",
                       nameOf(experiment.training.synchronization), experiment.training.batchPerWorker);
}

Exit runTrain(TrainOptions options) {
    if (options.steps > 0) options.experiment.settings.push_back(fmt::format("training.max_steps={}", options.steps));
    const Result<Experiment> experiment = options.experiment.read();
    if (!experiment) return report(experiment.error());
    const Result<Meters> meters = parseMeters(options.meters);
    if (!meters) return report(meters.error());
    options.run.meters = *meters;
    const InterruptWatch interrupt;
    const Result<std::shared_ptr<const TrainTest>> data = loadData(*experiment, options.run.threads, interrupt.token());
    if (interrupt.requested()) return report(Error{"interrupted before the run began"}, Exit::Failed);
    if (!data) return report(data.error());
    if (const Result<void> checked = checkRun(*experiment, **data, kMemoryLimitBytes); !checked)
        return report(checked.error());

    if (const Result<Catalogue> catalogue = loadBuiltinCatalogue())
        if (const Result<Prediction> prediction = predict(*experiment, *catalogue))
            options.run.modelledIteration_s = prediction->iterationTime_s;
    options.run.onSnapshot = [json = options.json](const Snapshot& snapshot) {
        json ? printJson(snapshotToJson(snapshot)) : printSnapshot(snapshot);
    };
    printMessage(describe(*experiment, **data));
    if (!options.json) printLine("    step    epoch      loss    train     test    distance            rate");
    Run run(*experiment, *data, options.run);
    const std::shared_ptr<const RunResult> result = runToEnd(run, interrupt);
    if (result->outcome == RunState::Failed) return report(Error{result->error}, Exit::Failed);
    options.json ? printJson(summaryToJson(*result)) : printSummary(*result);
    return Exit::Done;
}

}  // namespace

void addTrain(CLI::App& app, Exit& exit) {
    auto options = std::make_shared<TrainOptions>();
    CLI::App* command = app.add_subcommand("train", "Train the replicas of an experiment for real, on this computer");
    options->experiment.addTo(*command);
    command->add_option("--steps", options->steps, "end after this many steps")->check(CLI::Range(1, 1 << 30));
    command
        ->add_option("--threads", options->run.threads,
                     "threads to compute on; 0: one per core. No bit of the result depends on it")
        ->check(CLI::Range(0, 1024));
    command->add_option("--every", options->run.snapshotEvery, "steps between snapshots")
        ->check(CLI::Range(1, 1 << 30))
        ->capture_default_str();
    command->add_option("--test-every", options->run.testEvery, "steps between tests; 0: each epoch and at the end")
        ->check(CLI::Range(0, 1 << 30));
    command
        ->add_option("--meters", options->meters,
                     "on, off, sampled (replicas' distances only as often as they cost 3 %), or some of "
                     "divergence,noise,times,full-gradients. No bit of the result depends on them")
        ->capture_default_str();
    command->add_flag("--json", options->json, "print one JSON document per snapshot, then the summary");
    command->callback([=, &exit] { exit = runTrain(*options); });
}

}  // namespace lockstep::cli
