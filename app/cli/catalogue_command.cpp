#include <fmt/format.h>

#include "base/format.h"
#include "catalogue/catalogue_json.h"
#include "cli/commands.h"

namespace lockstep::cli {
namespace {

struct CatalogueOptions {
    std::string what;
    bool json = false;
};

void printTable(const nlohmann::ordered_json& entries) {
    for (const nlohmann::ordered_json& entry : entries) {
        printLine(fmt::format("{:<22}{}", entry["key"].get<std::string>(), entry["name"].get<std::string>()));
        for (const auto& [name, value] : entry.items())
            if (value.is_number())
                printLine(fmt::format("    {:<34}{}", name,
                                      formatNumber(value.get<double>(), value.is_number_integer() ? 15 : 6)));
        for (const nlohmann::ordered_json& source : entry["sources"])
            printLine(fmt::format("    source: {}", source["text"].get<std::string>()));
    }
}

Exit runCatalogue(const CatalogueOptions& options) {
    const Result<Catalogue> catalogue = loadBuiltinCatalogue();
    if (!catalogue) return report(catalogue.error(), Exit::Failed);
    const Result<nlohmann::ordered_json> entries = catalogueToJson(*catalogue, options.what);
    if (!entries) return report(entries.error());
    options.json ? printJson(*entries) : printTable(*entries);
    return Exit::Done;
}

}  // namespace

void addCatalogue(CLI::App& app, Exit& exit) {
    auto options = std::make_shared<CatalogueOptions>();
    CLI::App* command =
        app.add_subcommand("catalogue", "What is known of models, devices, links and datasets, with sources");
    command->add_option("WHAT", options->what, "models, devices, links or datasets")
        ->required()
        ->check(CLI::IsMember({"models", "devices", "links", "datasets"}));
    command->add_flag("--json", options->json, "print one JSON document");
    command->callback([=, &exit] { exit = runCatalogue(*options); });
}

}  // namespace lockstep::cli
