#include "train/training_network.h"

#include <fmt/format.h>

#include <utility>

namespace lockstep {
namespace {

constexpr std::pair<std::string_view, LayerType> kKinds[] = {
    {"conv", LayerType::Convolution}, {"batch-norm", LayerType::BatchNorm},           {"relu", LayerType::Relu},
    {"max-pool", LayerType::MaxPool}, {"average-pool", LayerType::GlobalAveragePool}, {"residual", LayerType::Residual},
    {"dense", LayerType::Dense},
};

Result<LayerSpec> layerSpec(const TrainingLayer& layer) {
    LayerSpec spec{.outputs = layer.outputs, .kernel = layer.kernel, .stride = layer.stride};
    bool known = false;
    for (const auto& [kind, type] : kKinds) {
        if (kind != layer.kind) continue;
        spec.type = type;
        known = true;
    }
    if (!known) return fail(fmt::format("no kind of layer is called \"{}\"", layer.kind));
    for (const TrainingLayer& inner : layer.layers) {
        const Result<LayerSpec> read = layerSpec(inner);
        if (!read) return read;
        spec.block.push_back(*read);
    }
    return spec;
}

}  // namespace

Result<NetworkSpec> trainingNetworkSpec(const TrainingSettings& training, const ImageShape& input, int classes) {
    if (training.layers.empty()) {
        auto named = namedNetworkSpec(training.model, input.widthPx, input.channels, classes);
        if (!named) return fail("training.model: " + named.error().message);
        return named;
    }
    NetworkSpec network{input, {}, {}};
    for (std::size_t i = 0; i < training.layers.size(); ++i) {
        Result<LayerSpec> layer = layerSpec(training.layers[i]);
        if (!layer) return fail(fmt::format("training.layers: layer {}: {}", i + 1, layer.error().message));
        network.layers.push_back(*std::move(layer));
    }
    LayerSpec& last = network.layers.back();
    if (last.type == LayerType::Dense && last.outputs == 0) last.outputs = classes;
    if (last.type != LayerType::Dense || last.outputs != classes)
        return fail(
            fmt::format("training.layers: the last layer must be dense with {} outputs, one for each class, or "
                        "with none given",
                        classes));
    return network;
}

}  // namespace lockstep
