#include <fmt/format.h>

#include <algorithm>

#include "base/format.h"
#include "cli/commands.h"
#include "collectives/collective_check.h"
#include "experiment/enum_names.h"

namespace lockstep::cli {
namespace {

struct CollectiveOptions {
    std::string name = "all-reduce", algorithm = "ring";
    CollectiveCheckSettings settings;
    bool json = false;
};

void printCheck(const CollectiveOptions& options, const CollectiveCheck& check) {
    const auto [least, most] = std::minmax_element(check.bytesSent.begin(), check.bytesSent.end());
    printLine(fmt::format("{} by {}, {}, {} floats each: {}", options.name, options.algorithm,
                          counted(options.settings.ranks, "rank"), options.settings.elements,
                          check.correct ? "correct" : "WRONG"));
    printLine(fmt::format("  {:<24}{}", "steps", check.steps));
    printLine(fmt::format("  {:<24}{} to {}", "sent by a rank", formatQuantity(static_cast<double>(*least), "B"),
                          formatQuantity(static_cast<double>(*most), "B")));
    printLine(fmt::format("  {:<24}{:.2g} of the largest value", "largest error", check.maxError));
}

Exit runCollective(CollectiveOptions options) {
    const Result<Collective> collective = collectiveNamed(options.name);
    if (!collective) return report(collective.error());
    const auto algorithm = valueNamed<AllReduceAlgorithm>(options.algorithm);
    if (!algorithm)
        return report(
            Error{fmt::format("there is no algorithm \"{}\"; allowed is one of ring, tree, halving-doubling, "
                              "naive",
                              options.algorithm)});
    options.settings.collective = *collective;
    options.settings.algorithm = *algorithm;
    const Result<CollectiveCheck> check = checkCollective(options.settings);
    if (!check) return report(check.error());
    if (options.json)
        printJson({{"collective", options.name},
                   {"algorithm", options.algorithm},
                   {"ranks", options.settings.ranks},
                   {"elements", options.settings.elements},
                   {"steps", check->steps},
                   {"bytes_sent_per_rank", check->bytesSent},
                   {"max_error", check->maxError},
                   {"correct", check->correct},
                   {"contributions", check->contributions}});
    else
        printCheck(options, *check);
    return check->correct ? Exit::Done : Exit::Failed;
}

}  // namespace

void addCollective(CLI::App& app, Exit& exit) {
    auto options = std::make_shared<CollectiveOptions>();
    CLI::App* command = app.add_subcommand("collective", "Run a collective on real buffers and check what it did");
    command
        ->add_option("NAME", options->name,
                     "broadcast, reduce, scatter, gather, all-gather, reduce-scatter or all-reduce")
        ->required();
    command->add_option("--algorithm", options->algorithm, "ring, tree, halving-doubling or naive")
        ->capture_default_str();
    command->add_option("--ranks", options->settings.ranks)->capture_default_str();
    command->add_option("--elements", options->settings.elements, "floats of each buffer")->capture_default_str();
    command->add_flag("--json", options->json, "print one JSON document");
    command->callback([=, &exit] { exit = runCollective(*options); });
}

}  // namespace lockstep::cli
