#include "experiment/training_layers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/json_text.h"

namespace lockstep {
namespace {

using nlohmann::json;

constexpr std::size_t kMostLayers = 64;

/// What a kind takes beside itself.
struct Kind {
    std::string_view name;
    std::vector<std::string_view> entries;
    bool inBlock = false;
};

const std::vector<Kind>& kinds() {
    static const std::vector<Kind> all = {
        {"conv", {"outputs", "kernel", "stride"}, true},
        {"batch-norm", {}, true},
        {"relu", {}, true},
        {"max-pool", {"kernel"}, true},
        {"average-pool", {}},
        {"residual", {"layers"}},
        {"dense", {"outputs"}},
    };
    return all;
}

/// Layer `place` ("training.layers[2]"), in a residual block or not.
struct Place {
    std::string name;
    bool inBlock = false;
};

Result<Kind> readKind(const json& value, const Place& place) {
    std::vector<std::string_view> allowed;
    for (const Kind& kind : kinds()) {
        if (place.inBlock && !kind.inBlock) continue;
        if (value.is_string() && value.get<std::string>() == kind.name) return kind;
        allowed.push_back(kind.name);
    }
    return fail(fmt::format("{}.kind = {}: allowed {}are {}", place.name, shownJson(value),
                            place.inBlock ? "in a residual block " : "", fmt::join(allowed, ", ")));
}

Result<std::vector<TrainingLayer>> readList(const json& list, const Place& place);

Result<void> readEntry(TrainingLayer& layer, const std::string& name, const json& value, const Place& place) {
    if (name == "layers") {
        auto layers = readList(value, {place.name + ".layers", true});
        if (!layers) return tl::unexpected(layers.error());
        if (layers->empty()) return fail(fmt::format("{}.layers is empty; a residual block needs a layer", place.name));
        layer.layers = *std::move(layers);
        return {};
    }
    const int least = name == "stride" ? 1 : 0;
    const int most = name == "stride" ? 2 : name == "kernel" ? 8 : layer.kind == "conv" ? 1024 : 4096;
    const double number = value.is_number() ? value.get<double>() : -1;
    if (number < least || number > most || number != static_cast<int>(number))
        return fail(fmt::format("{}.{} = {}: allowed is a whole number {}..{}", place.name, name, shownJson(value),
                                least, most));
    (name == "outputs" ? layer.outputs : name == "kernel" ? layer.kernel : layer.stride) = static_cast<int>(number);
    return {};
}

Result<TrainingLayer> readLayer(const json& value, const Place& place) {
    if (!value.is_object() || !value.contains("kind"))
        return fail(fmt::format("{} = {}: allowed is an object with at least 'kind'", place.name, shownJson(value)));
    const Result<Kind> kind = readKind(value["kind"], place);
    if (!kind) return tl::unexpected(kind.error());
    TrainingLayer layer{.kind = std::string(kind->name)};
    for (const auto& [name, entry] : value.items()) {
        if (name == "kind") continue;
        if (std::ranges::find(kind->entries, name) == kind->entries.end())
            return fail(fmt::format("{}: {} has no entry '{}'; allowed are kind{}{}", place.name, kind->name, name,
                                    kind->entries.empty() ? "" : ", ", fmt::join(kind->entries, ", ")));
        if (Result<void> read = readEntry(layer, name, entry, place); !read) return tl::unexpected(read.error());
    }
    return layer;
}

Result<std::vector<TrainingLayer>> readList(const json& list, const Place& place) {
    if (!list.is_array()) return fail(fmt::format("{} = {}: allowed is a list", place.name, shownJson(list)));
    if (list.size() > kMostLayers)
        return fail(fmt::format("{} has {} entries; allowed are at most {}", place.name, list.size(), kMostLayers));
    std::vector<TrainingLayer> layers;
    for (std::size_t i = 0; i < list.size(); ++i) {
        Result<TrainingLayer> layer = readLayer(list[i], {fmt::format("{}[{}]", place.name, i), place.inBlock});
        if (!layer) return tl::unexpected(layer.error());
        layers.push_back(*std::move(layer));
    }
    return layers;
}

}  // namespace

Result<std::vector<TrainingLayer>> layersFromJson(const json& list) { return readList(list, {"training.layers"}); }

json layersToJson(const std::vector<TrainingLayer>& layers) {
    json list = json::array();
    for (const TrainingLayer& layer : layers) {
        json entry = {{"kind", layer.kind}};
        if (layer.outputs != 0) entry["outputs"] = layer.outputs;
        if (layer.kernel != 0) entry["kernel"] = layer.kernel;
        if (layer.stride != 1) entry["stride"] = layer.stride;
        if (!layer.layers.empty()) entry["layers"] = layersToJson(layer.layers);
        list.push_back(std::move(entry));
    }
    return list;
}

}  // namespace lockstep
