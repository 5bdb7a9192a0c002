#include "catalogue/model_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "catalogue/entry_reader.h"
#include "catalogue/layer_arithmetic.h"
#include "catalogue/layer_reader.h"
#include "catalogue/tensor_sizes.h"

namespace lockstep {

namespace {

constexpr int kLargestResolutionPx = 1024;

void addTo(ModelTotals& totals, const LayerCost& layer) {
    totals.parameters += layer.parameters;
    totals.macs += layer.macs;
    totals.storedElements += layer.storedElements;
    totals.storedBytes += layer.storedBytes;
    totals.largestOutputs = std::max(totals.largestOutputs, layer.outputs);
    if (layer.kind == LayerKind::Convolution) totals.convolutionOutputs += layer.outputs;
}

}  // namespace

LayerShape ModelSpec::inputShape(const ModelInput& input) const {
    if (m_readsText) return {1, input.sequenceLength > 0 ? input.sequenceLength : m_sequenceLength, 1};
    const int side = input.resolutionPx > 0 ? input.resolutionPx : m_resolutionPx;
    return {m_channels, side, side};
}

Error ModelSpec::tooSmall(const ModelInput& input) const {
    const LayerShape shape = inputShape(input);
    if (m_readsText) {
        return {fmt::format("workload.sequence_length: {}; allowed with {}: 1..{}", shape.height, m_key,
                            m_maximumSequenceLength)};
    }
    return {fmt::format("workload.resolution_px: {}; allowed with {}: {}..{}", shape.height, m_key,
                        m_minimumResolutionPx, kLargestResolutionPx)};
}

Result<ModelTotals> ModelSpec::totals(const ModelInput& input) const {
    ModelTotals totals;
    const LayerShape shape = inputShape(input);
    if (m_readsText && shape.height > m_maximumSequenceLength) return tl::unexpected(tooSmall(input));
    const int stuck = walkLayers(m_ops, shape, [&](std::size_t, const LayerCost& layer) { addTo(totals, layer); });
    if (stuck >= 0) return tl::unexpected(tooSmall(input));
    return totals;
}

Result<ModelCost> ModelSpec::cost(const ModelInput& input) const {
    ModelCost cost;
    const LayerShape shape = inputShape(input);
    if (m_readsText && shape.height > m_maximumSequenceLength) return tl::unexpected(tooSmall(input));
    const int stuck = walkLayers(m_ops, shape, [&](std::size_t i, const LayerCost& layer) {
        addTo(cost, layer);
        cost.layers.push_back(layer);
        cost.layers.back().name = m_names[i];
    });
    if (stuck >= 0) return tl::unexpected(tooSmall(input));
    return cost;
}

Result<std::vector<double>> ModelSpec::tensorSizes(const ModelInput& input) const {
    std::vector<double> sizes;
    if (m_readsText && inputShape(input).height > m_maximumSequenceLength) return tl::unexpected(tooSmall(input));
    const auto collect = [&](std::size_t i, const LayerCost& layer) { addTensorSizes(m_ops[i], layer, sizes); };
    if (walkLayers(m_ops, inputShape(input), collect) >= 0) return tl::unexpected(tooSmall(input));
    return sizes;
}

Result<ModelSpec> ModelSpec::fromJson(const nlohmann::json& document, std::string_view where) {
    EntryReader reader(document, std::string(where));
    ModelSpec model;
    model.m_key = reader.identifier("key");
    model.m_name = reader.text("name");
    model.m_note = reader.text("note", "");
    const double statedParameters = reader.number("parameters", 1, 1e15, 0);
    const nlohmann::json& input = reader.object("input");
    const nlohmann::json& layers = reader.list("layers");
    static const nlohmann::json kNoBlocks = nlohmann::json::object();
    const nlohmann::json& blocks = reader.has("blocks") ? reader.object("blocks") : kNoBlocks;
    model.m_sources = reader.sources();
    if (Result<void> done = reader.finish(); !done) return tl::unexpected(done.error());

    const std::string entry = fmt::format("{}: {}", where, model.m_key);
    EntryReader inputReader(input, entry + ": input");
    model.m_readsText = inputReader.has("sequence_length");
    if (model.m_readsText) {
        model.m_sequenceLength = inputReader.integer("sequence_length", 1, 65536);
        model.m_maximumSequenceLength =
            inputReader.integer("maximum_sequence_length", model.m_sequenceLength, 65536, 65536);
    } else {
        model.m_channels = inputReader.integer("channels", 1, 4096);
        model.m_resolutionPx = inputReader.integer("resolution_px", 1, kLargestResolutionPx);
    }
    if (Result<void> done = inputReader.finish(); !done) return tl::unexpected(done.error());

    Result<LayerList> list = readLayers(layers, blocks, entry);
    if (!list) return tl::unexpected(list.error());
    model.m_ops = std::move(list->ops);
    model.m_names = std::move(list->names);
    int stuck = markStoredTensors(model.m_ops);
    double parameters = 0;
    const auto count = [&](std::size_t, const LayerCost& layer) { parameters += layer.parameters; };
    if (stuck < 0) stuck = walkLayers(model.m_ops, model.inputShape({}), count);
    if (stuck >= 0) {
        return fail(fmt::format("{}: layer {}: does not fit what comes before it at the model's own input size", entry,
                                model.m_names[static_cast<std::size_t>(stuck)]));
    }
    if (statedParameters > 0 && parameters != statedParameters) {
        return fail(fmt::format("{}: parameters: {:.0f}; allowed: what the layers add up to, {:.0f}", entry,
                                statedParameters, parameters));
    }
    if (!model.m_readsText) {
        const auto fits = [&](int side) {
            return walkLayers(model.m_ops, {model.m_channels, side, side}, [](auto, auto&) {}) < 0;
        };
        int smallest = model.m_resolutionPx;
        while (smallest > 1 && fits(smallest - 1)) --smallest;
        model.m_minimumResolutionPx = smallest;
    }
    return model;
}

}  // namespace lockstep
