#include "cli/experiment_argument.h"

#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <iterator>

#include "base/atomic_file.h"
#include "experiment/experiment_json.h"
#include "experiment/presets.h"

namespace lockstep::cli {
namespace {

constexpr std::size_t kMaxBytes = 16 << 20;

Result<std::string> readStandardInput() {
    std::string text;
    char block[1 << 16];
    while (std::cin.read(block, sizeof block) || std::cin.gcount() > 0) {
        text.append(block, static_cast<std::size_t>(std::cin.gcount()));
        if (text.size() > kMaxBytes)
            return fail(fmt::format("standard input: larger than the {} bytes allowed", kMaxBytes));
    }
    return text;
}

Result<Experiment> readBase(const std::string& text) {
    if (!text.empty() && text.front() == '{') return experimentFromText(text);
    if (text == "-")
        return readStandardInput().and_then(
            [](const std::string& read) { return experimentFromText(read, "standard input"); });
    std::error_code error;
    if (!std::filesystem::exists(text, error))
        return findPreset(text).map([](const Preset& preset) { return preset.experiment; });
    return readTextFile(text, kMaxBytes).and_then([&](const std::string& read) {
        return experimentFromText(read, text);
    });
}

}  // namespace

void ExperimentArgument::addTo(CLI::App& command) {
    command
        .add_option(
            "EXPERIMENT", text,
            "a file, '-' for standard input, JSON when it begins with '{', or the name of a built-in experiment")
        ->capture_default_str();
    command.add_option("--set", settings, "override one key: KEY=VALUE; repeats")
        ->type_name("KEY=VALUE")
        ->expected(1)
        ->take_all();
}

Result<Experiment> ExperimentArgument::read() const {
    std::vector<std::pair<std::string, std::string>> pairs;
    for (const std::string& setting : settings) {
        const std::size_t equals = setting.find('=');
        if (equals == std::string::npos || equals == 0)
            return fail(fmt::format("--set {}: allowed is KEY=VALUE", setting));
        pairs.emplace_back(setting.substr(0, equals), setting.substr(equals + 1));
    }
    return readBase(text).and_then([&](const Experiment& base) { return withKeys(base, pairs); });
}

Result<Modelled> readAndPredict(const ExperimentArgument& argument) {
    const Result<Experiment> experiment = argument.read();
    if (!experiment) return tl::unexpected(experiment.error());
    Result<Catalogue> catalogue = loadBuiltinCatalogue();
    if (!catalogue) return tl::unexpected(catalogue.error());
    Result<Prediction> prediction = predict(*experiment, *catalogue);
    if (!prediction) return tl::unexpected(prediction.error());
    return Modelled{*experiment, *std::move(catalogue), *std::move(prediction)};
}

}  // namespace lockstep::cli
