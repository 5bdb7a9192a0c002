// The benches of what replicas do together.
#include <fmt/format.h>

#include "base/format.h"
#include "cli/commands.h"
#include "cli/experiment_argument.h"
#include "collectives/collective_bench.h"
#include "experiment/enum_names.h"
#include "experiment/resolved.h"
#include "train/replica_bench.h"

namespace lockstep::cli {
namespace {

struct ReplicaBenchOptions {
    ExperimentArgument experiment{R"({"cluster":{"architecture":"all-reduce","workers":8}})", {}};
    ReplicaBenchSettings settings;
    bool json = false;
};

Exit runReplicaBench(ReplicaBenchOptions options) {
    const Result<Experiment> experiment = options.experiment.read();
    if (!experiment) return report(experiment.error());
    options.settings.experiment = *experiment;
    DatasetOptions datasetOptions;
    datasetOptions.resolutionPx = trainingResolutionPx(*experiment);
    const Result<DatasetChoice> choice = loadDatasetOrShapes(experiment->training.dataset, datasetOptions);
    if (!choice) return report(choice.error());
    if (!choice->notice.empty()) printMessage(choice->notice);
    const Result<ReplicaBenchResult> result = benchReplicas(options.settings, choice->data);
    if (!result) return report(result.error());
    if (options.json)
        printJson({{"samples_per_s", result->samplesPerS},
                   {"unsynchronized_samples_per_s", result->unsynchronizedSamplesPerS},
                   {"share", result->share}});
    else
        printLine(fmt::format(
            "{} replicas, {}: {}; left to themselves {}: {}", trainingWorkers(*experiment),
            nameOf(experiment->training.synchronization), formatQuantity(result->samplesPerS, "samples/s"),
            formatQuantity(result->unsynchronizedSamplesPerS, "samples/s"), formatQuantity(result->share, "%")));
    return Exit::Done;
}

struct CollectiveBenchOptions {
    CollectiveBenchSettings settings;
    std::string algorithm = "ring";
    bool json = false;
};

Exit runCollectiveBench(CollectiveBenchOptions options) {
    const auto algorithm = valueNamed<AllReduceAlgorithm>(options.algorithm);
    if (!algorithm) return report(Error{fmt::format("there is no algorithm \"{}\"", options.algorithm)});
    options.settings.algorithm = *algorithm;
    const Result<CollectiveBenchResult> result = benchAllReduce(options.settings);
    if (!result) return report(result.error());
    const CollectiveBenchSettings& settings = options.settings;
    if (options.json)
        printJson({{"algorithm", options.algorithm},
                   {"ranks", settings.ranks},
                   {"elements", settings.elements},
                   {"threads", settings.threads},
                   {"seconds", result->seconds},
                   {"bytes_per_s", result->bytesPerS},
                   {"limit_seconds", result->limitSeconds},
                   {"share_of_limit", result->shareOfLimit}});
    else
        printLine(fmt::format("all-reduce by {} over {} buffers of {}: {}, {} of what reading and writing them takes",
                              options.algorithm, settings.ranks,
                              formatQuantity(static_cast<double>(settings.elements * sizeof(float)), "B"),
                              formatQuantity(result->seconds, "s"), formatQuantity(result->shareOfLimit, "%")));
    return Exit::Done;
}

}  // namespace

void addReplicaBench(CLI::App& bench, Exit& exit) {
    auto options = std::make_shared<ReplicaBenchOptions>();
    CLI::App* command =
        bench.add_subcommand("replicas", "Samples per second of a whole run, in turn with one without synchronization");
    options->experiment.addTo(*command);
    command->add_option("--threads", options->settings.threads)->check(CLI::Range(1, 1024))->capture_default_str();
    command->add_flag("--json", options->json, "print one JSON document");
    command->callback([=, &exit] { exit = runReplicaBench(*options); });
}

void addCollectiveBench(CLI::App& bench, Exit& exit) {
    auto options = std::make_shared<CollectiveBenchOptions>();
    CLI::App* command = bench.add_subcommand("collective", "Seconds of an all-reduce over buffers in memory");
    command->add_option("--algorithm", options->algorithm, "ring, tree, halving-doubling or naive")
        ->capture_default_str();
    command->add_option("--ranks", options->settings.ranks)->capture_default_str();
    command->add_option("--elements", options->settings.elements, "floats of each buffer")->capture_default_str();
    command->add_option("--threads", options->settings.threads)->capture_default_str();
    command->add_flag("--json", options->json, "print one JSON document");
    command->callback([=, &exit] { exit = runCollectiveBench(*options); });
}

}  // namespace lockstep::cli
