#include "experiment/presets.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/embedded.h"
#include "base/json_text.h"
#include "experiment/experiment_json.h"

namespace lockstep {
namespace {

constexpr std::string_view kFolder = "presets/";
constexpr std::string_view kEnding = ".json";

/// "presets/10_ring_of_eight.json" -> "ring_of_eight"
std::string keyOfPath(std::string_view path) {
    path.remove_prefix(kFolder.size());
    path.remove_suffix(kEnding.size());
    return std::string(path.substr(path.find('_') + 1));
}

Result<Preset> readPreset(const EmbeddedFile& file) {
    const Result<nlohmann::json> document = parseJson(file.content, file.path);
    if (!document) return tl::unexpected(document.error());
    for (const char* text : {"title", "description"})
        if (!document->contains(text) || !(*document)[text].is_string())
            return fail(fmt::format("{}: lacks the text '{}'", file.path, text));
    if (!document->contains("experiment")) return fail(fmt::format("{}: lacks 'experiment'", file.path));
    const Result<Experiment> experiment = experimentFromJson((*document)["experiment"]);
    if (!experiment) return fail(fmt::format("{}: {}", file.path, experiment.error().message));
    return Preset{keyOfPath(file.path), (*document)["title"], (*document)["description"], *experiment};
}

}  // namespace

Result<std::vector<Preset>> loadBuiltinPresets() {
    std::vector<Preset> presets;
    for (const EmbeddedFile& file : embeddedFiles()) {
        if (!file.path.starts_with(kFolder)) continue;
        Result<Preset> preset = readPreset(file);
        if (!preset) return tl::unexpected(preset.error());
        presets.push_back(std::move(*preset));
    }
    return presets;
}

Result<Preset> findPreset(std::string_view key) {
    const Result<std::vector<Preset>> presets = loadBuiltinPresets();
    if (!presets) return tl::unexpected(presets.error());
    std::string wanted(key);
    std::replace(wanted.begin(), wanted.end(), '-', '_');
    std::vector<std::string> keys;
    for (const Preset& preset : *presets) {
        if (preset.key == wanted) return preset;
        keys.push_back(preset.key);
    }
    return fail(
        fmt::format("'{}' is neither a file nor a built-in experiment; built in are {}", key, fmt::join(keys, ", ")));
}

}  // namespace lockstep
