#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "base/format.h"
#include "base/interrupt_watch.h"
#include "base/thread_pool.h"
#include "cli/commands.h"
#include "cli/experiment_argument.h"
#include "cli/train_options.h"
#include "cli/train_output.h"
#include "cluster/prediction.h"
#include "data/dataset.h"
#include "experiment/enum_names.h"
#include "experiment/resolved.h"
#include "train/fault.h"
#include "train/run.h"
#include "train/snapshot_json.h"

namespace lockstep::cli {
namespace {

constexpr double kMemoryLimitBytes = 8e9;
constexpr std::chrono::milliseconds kPollInterval{20};

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

struct Training {
    Experiment experiment;
    std::shared_ptr<const TrainTest> data;
    RunOptions options;
};

Result<Training> prepare(const TrainOptions& options, Experiment experiment, const InterruptWatch& interrupt) {
    Training training{std::move(experiment), nullptr, options.run};
    const auto data = loadData(training.experiment, options.run.threads, interrupt.token());
    if (!data) return tl::unexpected(data.error());
    training.data = *data;
    if (const Result<void> checked = checkRun(training.experiment, **data, kMemoryLimitBytes); !checked)
        return tl::unexpected(checked.error());
    if (const Result<Catalogue> catalogue = loadBuiltinCatalogue())
        if (const Result<Prediction> prediction = predict(training.experiment, *catalogue))
            training.options.modelledIteration_s = prediction->iterationTime_s;
    training.options.onSnapshot = [json = options.json](const Snapshot& snapshot) {
        json ? printJson(snapshotToJson(snapshot)) : printSnapshot(snapshot);
    };
    return training;
}

/// Trains up to the fork and gives what the other run goes on from.
Result<std::shared_ptr<const Checkpoint>> trainToFork(Training training, long long step,
                                                      const InterruptWatch& interrupt) {
    training.options.stopAtStep = step;
    Run run(training.experiment, training.data, training.options);
    const std::shared_ptr<const RunResult> result = runToEnd(run, interrupt);
    if (result->outcome == RunState::Failed) return fail(result->error);
    if (run.checkpoints().empty() || run.checkpoints().back()->step != step)
        return fail(fmt::format("--fork-at {}: the run ended at step {} ({})", step, result->last.step,
                                runStateName(result->outcome)));
    return run.checkpoints().back();
}

Exit runTrain(TrainOptions options) {
    if (options.steps > 0) options.experiment.settings.push_back(fmt::format("training.max_steps={}", options.steps));
    const Result<Experiment> experiment = options.experiment.read();
    if (!experiment) return report(experiment.error());
    const auto faults = readFaults(options.faults, *experiment);
    if (!faults) return report(faults.error());
    const Result<Experiment> forked = forkedExperiment(options, *experiment);
    if (!forked) return report(forked.error());
    options.run.faults = *faults;
    options.run.waitsForRevival = false;
    const Result<Meters> meters = parseMeters(options.meters);
    if (!meters) return report(meters.error());
    options.run.meters = *meters;
    const InterruptWatch interrupt;
    Result<Training> training = prepare(options, *experiment, interrupt);
    if (interrupt.requested()) return report(Error{"interrupted before the run began"}, Exit::Failed);
    if (!training) return report(training.error());
    printMessage(describe(training->experiment, *training->data));
    if (!options.json) printLine("    step    epoch      loss    train     test    distance            rate");
    if (options.forkAt > 0) {
        const auto checkpoint = trainToFork(*training, options.forkAt, interrupt);
        if (!checkpoint) return report(checkpoint.error());
        std::erase_if(options.run.faults, [&](const ScheduledFault& fault) { return fault.step < options.forkAt; });
        training = prepare(options, *forked, interrupt);
        if (!training) return report(training.error());
        training->options.goOnFrom = *checkpoint;
        printMessage("goes on from step " + std::to_string(options.forkAt) + ": " +
                     describe(training->experiment, *training->data));
    }
    Run run(training->experiment, training->data, training->options);
    const std::shared_ptr<const RunResult> result = runToEnd(run, interrupt);
    if (result->outcome == RunState::Failed) return report(Error{result->error}, Exit::Failed);
    if (!result->last.waitingFor.empty())
        printMessage("nothing goes on without " + result->last.waitingFor +
                     "; a fault with :for:ITERATIONS is revived after a while");
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
    const auto each = [](CLI::Option* option) { option->expected(1)->take_all()->allow_extra_args(false); };
    each(command->add_option("--fault", options->faults,
                             "STEP:KIND:worker:N or STEP:KIND:server:N, KIND slow, pause, kill or revive (slow takes "
                             ":FACTOR); :for:ITERATIONS revives it then. May be repeated"));
    command
        ->add_option("--checkpoint-every", options->run.checkpointEvery,
                     "steps between checkpoints in memory, from which a run begins again that lost what all need; 0: "
                     "none, it begins at the start")
        ->check(CLI::Range(0, 1 << 30));
    command
        ->add_option("--fork-at", options->forkAt, "train to this step, then go on from there with --fork-set changed")
        ->check(CLI::Range(1, 1 << 30));
    CLI::Option* forkSet =
        command->add_option("--fork-set", options->forkSettings, "KEY=VALUE after the fork; repeats");
    each(forkSet);
    forkSet->needs("--fork-at");
    command
        ->add_option("--meters", options->meters,
                     "on, off, sampled (replicas' distances only as often as they cost 3 %), or some of "
                     "divergence,noise,times,full-gradients. No bit of the result depends on them")
        ->capture_default_str();
    command->add_flag("--json", options->json, "print one JSON document per snapshot, then the summary");
    command->callback([=, &exit] { exit = runTrain(*options); });
}

}  // namespace lockstep::cli
