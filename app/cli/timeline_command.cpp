#include <fmt/format.h>

#include "base/atomic_file.h"
#include "base/format.h"
#include "cli/commands.h"
#include "cli/experiment_argument.h"
#include "cluster/trace_events.h"

namespace lockstep::cli {
namespace {

struct TimelineOptions {
    ExperimentArgument experiment;
    std::string out;
    int lanes = 256;
    bool json = false;
};

Exit runTimeline(const TimelineOptions& options) {
    const Result<Modelled> modelled = readAndPredict(options.experiment);
    if (!modelled) return report(modelled.error());
    const auto& [experiment, catalogue, prediction] = *modelled;
    if (!prediction.fits)
        return report(Error{fmt::format("training.batch_per_worker = {}: there is no timeline, as at most {} fit",
                                        experiment.training.batchPerWorker, prediction.maxBatchPerWorker)});
    const Result<Timeline> timeline = predictTimeline(experiment, catalogue, options.lanes);
    if (!timeline) return report(timeline.error());
    const std::string trace = traceEvents(*timeline, prediction).dump(1);
    if (const Result<void> written = writeFileAtomically(options.out, trace); !written)
        return report(written.error(), Exit::Failed);
    if (options.json)
        printJson({{"file", options.out},
                   {"duration_s", timeline->duration_s},
                   {"lanes", timeline->lanes.size()},
                   {"spans", timeline->spans.size()}});
    else
        printLine(fmt::format("{}: one modelled iteration of {}, {} lanes; open it in https://ui.perfetto.dev",
                              options.out, formatQuantity(timeline->duration_s, "s"), timeline->lanes.size()));
    return Exit::Done;
}

}  // namespace

void addTimeline(CLI::App& app, Exit& exit) {
    auto options = std::make_shared<TimelineOptions>();
    CLI::App* command = app.add_subcommand("timeline", "One modelled iteration as a file for Perfetto");
    options->experiment.addTo(*command);
    command->add_option("--out", options->out, "the file to write, for example trace.json")->required();
    command->add_option("--lanes", options->lanes, "at most so many; equal machines beyond share one")
        ->check(CLI::Range(3, 100000))
        ->capture_default_str();
    command->add_flag("--json", options->json, "print one JSON document about the file");
    command->callback([=, &exit] { exit = runTimeline(*options); });
}

}  // namespace lockstep::cli
