#include <fmt/format.h>

#include "base/format.h"
#include "cli/commands.h"
#include "cli/experiment_argument.h"
#include "cluster/prediction_bench.h"
#include "experiment/resolved.h"
#include "train/meters_bench.h"
#include "train/stop_bench.h"
#include "train/training_bench.h"

namespace lockstep::cli {
namespace {

struct TrainBenchOptions {
    TrainingBenchSettings settings;
    std::string dataset = "fashion-mnist";
    bool json = false;
};

struct SimulateBenchOptions {
    ExperimentArgument experiment{R"({"cluster":{"workers":1024,"servers":64}})", {}};
    bool json = false;
};

Exit runTrainBench(const TrainBenchOptions& options) {
    DatasetOptions datasetOptions;
    datasetOptions.resolutionPx = options.settings.resolutionPx;
    const Result<DatasetChoice> choice = loadDatasetOrShapes(options.dataset, datasetOptions);
    if (!choice) return report(choice.error());
    if (!choice->notice.empty()) printMessage(choice->notice);
    const TrainingBenchSettings& settings = options.settings;
    const Result<TrainingBenchResult> result = benchTraining(settings, choice->data);
    if (!result) return report(result.error());
    if (options.json) {
        printJson({{"model", settings.model},
                   {"batch", settings.batch},
                   {"threads", settings.threads},
                   {"resolution_px", settings.resolutionPx},
                   {"dataset", choice->data.train.name()},
                   {"samples_per_s", result->samplesPerS},
                   {"samples_per_s_minimum", result->minimumSamplesPerS},
                   {"samples_per_s_maximum", result->maximumSamplesPerS},
                   {"gflop_per_s", result->flopPerS / 1e9},
                   {"peak_gflop_per_s", result->peakFlopPerS / 1e9},
                   {"share_of_peak", result->shareOfPeak}});
    } else {
        printLine(
            fmt::format("{} {} px, batch {}, {} threads: {} (from {} to {}), {}, {} of the peak measured in this run",
                        settings.model, settings.resolutionPx, settings.batch, settings.threads,
                        formatQuantity(result->samplesPerS, "samples/s"), formatNumber(result->minimumSamplesPerS),
                        formatNumber(result->maximumSamplesPerS), formatQuantity(result->flopPerS, "FLOP/s"),
                        formatQuantity(result->shareOfPeak, "%")));
    }
    return Exit::Done;
}

Exit runSimulateBench(const SimulateBenchOptions& options) {
    const Result<Experiment> experiment = options.experiment.read();
    if (!experiment) return report(experiment.error());
    const Result<Catalogue> catalogue = loadBuiltinCatalogue();
    if (!catalogue) return report(catalogue.error(), Exit::Failed);
    const Result<PredictionBenchResult> result = benchPrediction(*experiment, *catalogue);
    if (!result) return report(result.error());
    if (options.json)
        printJson(
            {{"predictions_per_s", result->predictionsPerS}, {"median_s", result->median_s}, {"p99_s", result->p99_s}});
    else
        printLine(fmt::format("predict: {} predictions/s, median {}, 99th percentile {}",
                              formatNumber(result->predictionsPerS), formatQuantity(result->median_s, "s"),
                              formatQuantity(result->p99_s, "s")));
    return Exit::Done;
}

struct StopBenchOptions {
    StopBenchSettings settings;
    bool json = false;
};

Exit runStopBench(const StopBenchOptions& options) {
    Result<DatasetChoice> choice = loadDatasetOrShapes("fashion-mnist");
    if (!choice) return report(choice.error());
    if (!choice->notice.empty()) printMessage(choice->notice);
    const auto data = std::make_shared<const TrainTest>(std::move(choice->data));
    const Result<std::vector<StopLatency>> latencies = benchStop(options.settings, data);
    if (!latencies) return report(latencies.error());
    nlohmann::ordered_json document = nlohmann::ordered_json::array();
    for (const StopLatency& latency : *latencies) {
        document.push_back({{"during", latency.during}, {"median_s", latency.median_s}, {"worst_s", latency.worst_s}});
        if (!options.json)
            printLine(fmt::format("stopped in {}: median {}, worst {}", latency.during,
                                  formatQuantity(latency.median_s, "s"), formatQuantity(latency.worst_s, "s")));
    }
    if (options.json) printJson(document);
    return Exit::Done;
}

struct MetersBenchOptions {
    ExperimentArgument experiment{
        R"({"cluster":{"architecture":"all-reduce","workers":8},"training":{"resolution_px":28}})", {}};
    MetersBenchSettings settings;
    bool json = false;
};

Exit runMetersBench(MetersBenchOptions options) {
    const Result<Experiment> experiment = options.experiment.read();
    if (!experiment) return report(experiment.error());
    DatasetOptions datasetOptions;
    datasetOptions.resolutionPx = trainingResolutionPx(*experiment);
    const Result<DatasetChoice> choice = loadDatasetOrShapes(experiment->training.dataset, datasetOptions);
    if (!choice) return report(choice.error());
    if (!choice->notice.empty()) printMessage(choice->notice);
    options.settings.experiment = *experiment;
    const Result<std::vector<MeterCost>> costs = benchMeters(options.settings, choice->data);
    if (!costs) return report(costs.error());
    nlohmann::ordered_json document = nlohmann::ordered_json::array();
    for (const MeterCost& cost : *costs) {
        document.push_back({{"meters", cost.meters},
                            {"share_of_run", cost.share},
                            {"lower_quartile", cost.lowerQuartile},
                            {"upper_quartile", cost.upperQuartile}});
        if (!options.json)
            printLine(fmt::format("meters {}: {} of the run (quartiles {}, {})", cost.meters,
                                  formatQuantity(cost.share, "%"), formatQuantity(cost.lowerQuartile, "%"),
                                  formatQuantity(cost.upperQuartile, "%")));
    }
    if (options.json) printJson(document);
    return Exit::Done;
}

}  // namespace

void addBench(CLI::App& app, Exit& exit) {
    CLI::App* bench = app.add_subcommand("bench", "Measure this build on this computer")->require_subcommand(1);

    auto train = std::make_shared<TrainBenchOptions>();
    CLI::App* trainCommand = bench->add_subcommand("train", "Samples per second of forward, backward and update");
    trainCommand->add_option("--model", train->settings.model, "softmax, mlp, cnn or residual-cnn")
        ->check(CLI::IsMember({"softmax", "mlp", "cnn", "residual-cnn"}))
        ->capture_default_str();
    trainCommand->add_option("--batch", train->settings.batch)->check(CLI::Range(1, 65536))->capture_default_str();
    trainCommand->add_option("--threads", train->settings.threads)->check(CLI::Range(1, 1024))->capture_default_str();
    trainCommand->add_option("--resolution", train->settings.resolutionPx)
        ->check(CLI::Range(8, 64))
        ->capture_default_str();
    trainCommand->add_option("--dataset", train->dataset)->capture_default_str();
    trainCommand->add_flag("--json", train->json, "print one JSON document");
    trainCommand->callback([=, &exit] { exit = runTrainBench(*train); });

    auto stop = std::make_shared<StopBenchOptions>();
    CLI::App* stopCommand = bench->add_subcommand("stop", "From the request to stop a run until it has ended");
    stopCommand->add_option("--threads", stop->settings.threads, "0: one per core")->check(CLI::Range(0, 1024));
    stopCommand->add_option("--rounds", stop->settings.rounds, "stops of each kind")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    stopCommand->add_flag("--json", stop->json, "print one JSON document: an array with one element per kind");
    stopCommand->callback([=, &exit] { exit = runStopBench(*stop); });

    addReplicaBench(*bench, exit);
    addCollectiveBench(*bench, exit);
    addSoak(*bench, exit);
    auto meters = std::make_shared<MetersBenchOptions>();
    CLI::App* metersCommand = bench->add_subcommand("meters", "What meters add to the time of a run");
    meters->experiment.addTo(*metersCommand);
    metersCommand->add_option("--threads", meters->settings.threads, "0: one per core")->check(CLI::Range(0, 1024));
    metersCommand->add_option("--rounds", meters->settings.rounds, "of each choice of meters, in turn")
        ->check(CLI::Range(1, 10000))
        ->capture_default_str();
    metersCommand->add_option("--steps", meters->settings.stepsPerRound, "in each round")
        ->check(CLI::Range(1, 100000))
        ->capture_default_str();
    metersCommand->add_option("--every", meters->settings.snapshotEvery, "steps between snapshots")
        ->check(CLI::Range(1, 1 << 30))
        ->capture_default_str();
    metersCommand->add_flag("--json", meters->json, "print one JSON document: an array with one element per choice");
    metersCommand->callback([=, &exit] { exit = runMetersBench(*meters); });

    auto simulate = std::make_shared<SimulateBenchOptions>();
    CLI::App* simulateCommand = bench->add_subcommand("simulate", "Predictions per second");
    simulate->experiment.addTo(*simulateCommand);
    simulateCommand->add_flag("--json", simulate->json, "print one JSON document");
    simulateCommand->callback([=, &exit] { exit = runSimulateBench(*simulate); });
}

}  // namespace lockstep::cli
