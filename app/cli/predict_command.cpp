#include <fmt/format.h>

#include "base/format.h"
#include "cli/commands.h"
#include "cli/experiment_argument.h"
#include "cluster/prediction_json.h"

namespace lockstep::cli {
namespace {

struct PredictOptions {
    ExperimentArgument experiment;
    bool json = false;
};

void printRow(const char* name, const std::optional<double>& value, const char* unit) {
    printLine(fmt::format("  {:<24}{}", name, value ? formatQuantity(*value, unit) : "does not fit"));
}

void printTable(const Prediction& prediction, const Explanation& explanation) {
    printLine("Modelled, not measured. " + explanation.headline + " " + explanation.detail);
    printRow("throughput", prediction.throughputSamplesPerS, "samples/s");
    printRow("iteration", prediction.iterationTime_s, "s");
    printRow("epoch", prediction.epochTime_s, "s");
    printRow("of linear scaling", prediction.scalingEfficiency, "%");
    const std::string servers = prediction.servers > 0 ? ", " + counted(prediction.servers, "server") : "";
    printLine(fmt::format("  {:<24}{} ({}{})", "global batch", prediction.globalBatch,
                          counted(prediction.workers, "worker"), servers));
    if (prediction.fits) {
        const Breakdown& breakdown = prediction.breakdown;
        printRow("load", breakdown.load_s, "s");
        printRow("compute", breakdown.compute_s, "s");
        printRow("pull", breakdown.pull_s, "s");
        printRow("push", breakdown.push_s, "s");
        printRow("aggregate", breakdown.aggregate_s, "s");
        printRow("all-reduce", breakdown.allreduce_s, "s");
    }
    printLine(fmt::format("  {:<24}{} of {}, largest batch {}", "memory per device",
                          formatQuantity(prediction.memory.totalBytes(), "B"),
                          formatQuantity(prediction.memory.capacityBytes, "B"), prediction.maxBatchPerWorker));
}

Exit runPredict(const PredictOptions& options) {
    const Result<Modelled> modelled = readAndPredict(options.experiment);
    if (!modelled) return report(modelled.error());
    if (options.json)
        printJson(predictionToJson(modelled->prediction));
    else
        printTable(modelled->prediction, explain(modelled->prediction, modelled->catalogue));
    return Exit::Done;
}

}  // namespace

void addPredict(CLI::App& app, Exit& exit) {
    auto options = std::make_shared<PredictOptions>();
    CLI::App* command = app.add_subcommand("predict", "What the modelled cluster does with an experiment");
    options->experiment.addTo(*command);
    command->add_flag("--json", options->json, "print one JSON document");
    command->callback([=, &exit] { exit = runPredict(*options); });
}

}  // namespace lockstep::cli
