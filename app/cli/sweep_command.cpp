#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/experiment_argument.h"
#include "cluster/prediction_json.h"
#include "cluster/sweep.h"

namespace lockstep::cli {
namespace {

struct SweepOptions {
    ExperimentArgument experiment;
    std::vector<std::string> over;
    bool json = false;
};

void printCsvRow(std::vector<std::string> cells) {
    for (std::string& cell : cells) cell = csvCell(cell);
    printLine(fmt::format("{}", fmt::join(cells, ",")));
}

void printCsvPoint(const SweepGrid& grid, std::size_t point, const Result<Prediction>& prediction) {
    std::vector<std::string> cells = grid.valuesAt(point);
    std::vector<std::string> numbers =
        prediction ? sweepRow(*prediction) : std::vector<std::string>(sweepColumns().size());
    cells.insert(cells.end(), numbers.begin(), numbers.end());
    cells.push_back(prediction ? "" : prediction.error().message);
    printCsvRow(cells);
}

/// One element of the array that the whole output is, so that it can be streamed and is one document in the end.
void printJsonPoint(const SweepGrid& grid, std::size_t point, const Result<Prediction>& prediction) {
    nlohmann::ordered_json element;
    const std::vector<std::string> values = grid.valuesAt(point);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const nlohmann::json value = nlohmann::json::parse(values[i], nullptr, false);
        element["settings"][grid.axes()[i].key] =
            value.is_primitive() && !value.is_discarded() ? value : nlohmann::json(values[i]);
    }
    element["prediction"] = prediction ? predictionToJson(*prediction) : nlohmann::ordered_json(nullptr);
    if (!prediction) element["error"] = prediction.error().message;
    const std::string text = element.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    printLine((point == 0 ? "[" : "") + text + (point + 1 == grid.size() ? "]" : ","));
}

Exit runSweep(const SweepOptions& options) {
    const Result<Experiment> experiment = options.experiment.read();
    if (!experiment) return report(experiment.error());
    std::vector<SweepAxis> axes;
    for (const std::string& text : options.over) {
        Result<SweepAxis> axis = parseSweepAxis(text);
        if (!axis) return report(axis.error());
        axes.push_back(std::move(*axis));
    }
    const Result<Catalogue> catalogue = loadBuiltinCatalogue();
    if (!catalogue) return report(catalogue.error(), Exit::Failed);
    const Result<SweepGrid> grid = SweepGrid::build(*experiment, std::move(axes));
    if (!grid) return report(grid.error());

    if (!options.json) {
        std::vector<std::string> header;
        for (const SweepAxis& axis : grid->axes()) header.push_back(axis.key);
        for (std::string& name : sweepColumns()) header.push_back(std::move(name));
        header.emplace_back("error");
        printCsvRow(header);
    }
    std::size_t refused = 0;
    std::string firstRefusal;
    for (std::size_t point = 0; point < grid->size(); ++point) {
        const Result<Prediction> prediction =
            grid->experimentAt(point).and_then([&](const Experiment& at) { return predict(at, *catalogue); });
        if (!prediction && refused++ == 0) firstRefusal = prediction.error().message;
        options.json ? printJsonPoint(*grid, point, prediction) : printCsvPoint(*grid, point, prediction);
    }
    if (refused == 0) return Exit::Done;
    printMessage(
        fmt::format("lockstep-cli: {} of {} points were refused, the first: {}", refused, grid->size(), firstRefusal));
    return refused == grid->size() ? Exit::BadUsage : Exit::Done;
}

}  // namespace

void addSweep(CLI::App& app, Exit& exit) {
    auto options = std::make_shared<SweepOptions>();
    CLI::App* command = app.add_subcommand("sweep", "Predict over a grid of settings; CSV, or JSON with --json");
    options->experiment.addTo(*command);
    command->add_option("--over", options->over, "a key and its values: KEY=V1,V2,...; repeats")
        ->type_name("KEY=V1,V2,...")
        ->expected(1)
        ->take_all()
        ->required();
    command->add_flag("--json", options->json, "print one JSON document: an array with one element per point");
    command->callback([=, &exit] { exit = runSweep(*options); });
}

}  // namespace lockstep::cli
