#include <fmt/format.h>

#include "base/format.h"
#include "cli/commands.h"
#include "data/dataset.h"
#include "train/soak.h"

namespace lockstep::cli {
namespace {

struct SoakOptions {
    double minutes = 1;
    std::uint64_t seed = 1;
    bool json = false;
};

void printReport(const SoakReport& report) {
    printLine(fmt::format(
        "{} rounds: {} runs, {} faults, {} forks, {} stops (the slowest in {}); {} in memory after a "
        "tenth of the time, {} at the end",
        report.rounds, report.runs, report.faults, report.forks, report.stops, formatQuantity(report.worstStop_s, "s"),
        formatQuantity(report.residentBytesEarly, "B"), formatQuantity(report.residentBytesAtEnd, "B")));
}

Exit runSoak(const SoakOptions& options) {
    if (!(options.minutes > 0)) return report(Error{"--minutes: allowed is a number above 0"});
    DatasetOptions images8;
    images8.resolutionPx = 8;
    const Result<TrainTest> data = loadDataset("shapes", images8);
    if (!data) return report(data.error(), Exit::Failed);
    const auto images = std::make_shared<const TrainTest>(*data);
    const SoakReport soaked =
        soak({.seconds = 60 * options.minutes, .seed = options.seed}, images, [](const SoakReport& so) {
            if (so.rounds % 100 == 0) printMessage(fmt::format("{} rounds", so.rounds));
        });
    if (options.json)
        printJson({{"rounds", soaked.rounds},
                   {"runs", soaked.runs},
                   {"faults", soaked.faults},
                   {"forks", soaked.forks},
                   {"stops", soaked.stops},
                   {"worst_stop_s", soaked.worstStop_s},
                   {"resident_bytes_early", soaked.residentBytesEarly},
                   {"resident_bytes_at_end", soaked.residentBytesAtEnd},
                   {"first_failure", soaked.firstFailure}});
    else
        printReport(soaked);
    return soaked.firstFailure.empty() ? Exit::Done : report(Error{soaked.firstFailure}, Exit::Failed);
}

}  // namespace

void addSoak(CLI::App& bench, Exit& exit) {
    auto options = std::make_shared<SoakOptions>();
    CLI::App* command = bench.add_subcommand(
        "soak", "Random runs with faults, pauses, forks and stops, checked for equal bits, hangs and leaks");
    command->add_option("--minutes", options->minutes)->check(CLI::Range(0.01, 1e5))->capture_default_str();
    command->add_option("--seed", options->seed)->capture_default_str();
    command->add_flag("--json", options->json, "print one JSON document");
    command->callback([=, &exit] { exit = runSoak(*options); });
}

}  // namespace lockstep::cli
