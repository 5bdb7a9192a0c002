#include "catalogue/catalogue_json.h"

#include <fmt/format.h>

#include <array>

namespace lockstep {
namespace {

using nlohmann::ordered_json;

constexpr std::array<std::string_view, 10> kLayerKindNames = {"convolution", "dense",     "pooling",   "normalization",
                                                              "activation",  "embedding", "attention", "add",
                                                              "recurrent",   "other"};

ordered_json sourcesToJson(const std::vector<Source>& sources) {
    ordered_json list = ordered_json::array();
    for (const Source& source : sources) list.push_back({{"text", source.text}, {"url", source.url}});
    return list;
}

ordered_json layerToJson(const LayerCost& layer) {
    return {{"name", layer.name},
            {"kind", kLayerKindNames.at(static_cast<std::size_t>(layer.kind))},
            {"parameters", layer.parameters},
            {"macs_per_sample", layer.macs},
            {"outputs_per_sample", layer.outputs},
            {"stored_elements_per_sample", layer.storedElements}};
}

Result<ordered_json> modelToJson(const ModelSpec& model) {
    return model.cost({}).map([&](const ModelCost& cost) {
        ordered_json entry = {{"key", model.key()}, {"name", model.name()}, {"note", model.note()}};
        if (model.readsText())
            entry["sequence_length"] = model.sequenceLength();
        else
            entry["resolution_px"] = model.resolutionPx();
        entry["parameters"] = cost.parameters;
        entry["macs_per_sample"] = cost.macs;
        entry["convolution_outputs_per_sample"] = cost.convolutionOutputs;
        entry["stored_elements_per_sample"] = cost.storedElements;
        entry["layers"] = ordered_json::array();
        for (const LayerCost& layer : cost.layers) entry["layers"].push_back(layerToJson(layer));
        entry["sources"] = sourcesToJson(model.sources());
        return entry;
    });
}

ordered_json deviceToJson(const DeviceSpec& device) {
    return {{"key", device.key},
            {"name", device.name},
            {"fp32_flop_per_s", device.peakFlopPerS(Precision::Fp32)},
            {"tf32_flop_per_s", device.peakFlopPerS(Precision::Tf32)},
            {"fp16_flop_per_s", device.peakFlopPerS(Precision::Fp16)},
            {"bf16_flop_per_s", device.peakFlopPerS(Precision::Bf16)},
            {"fp32_efficiency", device.efficiencyAt(Precision::Fp32)},
            {"fp16_efficiency", device.efficiencyAt(Precision::Fp16)},
            {"efficiency_note", device.efficiencyNote},
            {"memory_bytes", device.memoryBytes},
            {"memory_bandwidth_byte_per_s", device.memoryBandwidthBytePerS},
            {"power_w", device.powerW},
            {"sources", sourcesToJson(device.sources)}};
}

ordered_json linkToJson(const LinkSpec& link) {
    return {{"key", link.key},
            {"name", link.name},
            {"bandwidth_bit_per_s", link.bandwidthBitPerS},
            {"latency_s", link.latency_s},
            {"sources", sourcesToJson(link.sources)}};
}

ordered_json datasetToJson(const DatasetSpec& dataset) {
    return {{"key", dataset.key},
            {"name", dataset.name},
            {"samples", dataset.samples},
            {"bytes_per_sample", dataset.bytesPerSample},
            {"resolution_px", dataset.resolutionPx},
            {"channels", dataset.channels},
            {"classes", dataset.classes},
            {"sources", sourcesToJson(dataset.sources)}};
}

template <class Entry>
ordered_json listOf(const std::vector<Entry>& entries, ordered_json (*toJson)(const Entry&)) {
    ordered_json list = ordered_json::array();
    for (const Entry& entry : entries) list.push_back(toJson(entry));
    return list;
}

}  // namespace

Result<ordered_json> catalogueToJson(const Catalogue& catalogue, std::string_view part) {
    if (part == "devices") return listOf(catalogue.devices, deviceToJson);
    if (part == "links") return listOf(catalogue.links, linkToJson);
    if (part == "datasets") return listOf(catalogue.datasets, datasetToJson);
    if (part != "models")
        return fail(fmt::format("catalogue '{}': allowed is models, devices, links or datasets", part));
    ordered_json list = ordered_json::array();
    for (const ModelSpec& model : catalogue.models) {
        Result<ordered_json> entry = modelToJson(model);
        if (!entry) return entry;
        list.push_back(std::move(*entry));
    }
    return list;
}

}  // namespace lockstep
