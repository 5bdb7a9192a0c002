#include "catalogue/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/embedded.h"
#include "catalogue/entry_reader.h"

namespace lockstep {

namespace {

using Json = nlohmann::json;

template <class Spec>
const Spec* withKey(const std::vector<Spec>& specs, std::string_view key) {
    const auto found = std::find_if(specs.begin(), specs.end(), [&](const Spec& spec) { return spec.key == key; });
    return found == specs.end() ? nullptr : &*found;
}

Result<DeviceSpec> readDevice(EntryReader& reader) {
    DeviceSpec device;
    constexpr double kFastest = 1e18;
    device.key = reader.identifier("key");
    device.name = reader.text("name");
    device.fp32FlopPerS = reader.number("fp32_flop_per_s", 1e6, kFastest);
    device.tf32FlopPerS = reader.number("tf32_flop_per_s", 0, kFastest, 0);
    device.fp16FlopPerS = reader.number("fp16_flop_per_s", 0, kFastest, 0);
    device.bf16FlopPerS = reader.number("bf16_flop_per_s", 0, kFastest, 0);
    device.memoryBytes = reader.number("memory_bytes", 1e6, 1e15);
    device.memoryBandwidthBytePerS = reader.number("memory_bandwidth_byte_per_s", 1e6, 1e15);
    device.efficiency = reader.number("efficiency", 0.001, 1);
    device.tf32Efficiency = reader.number("tf32_efficiency", 0, 1, 0);
    device.fp16Efficiency = reader.number("fp16_efficiency", 0, 1, 0);
    device.bf16Efficiency = reader.number("bf16_efficiency", 0, 1, 0);
    device.efficiencyNote = reader.text("efficiency_note");
    device.powerW = reader.number("power_w", 0, 1e5);
    device.sources = reader.sources();
    if (Result<void> done = reader.finish(); !done) return tl::unexpected(done.error());
    return device;
}

Result<LinkSpec> readLink(EntryReader& reader) {
    LinkSpec link;
    link.key = reader.identifier("key");
    link.name = reader.text("name");
    link.bandwidthBitPerS = reader.number("bandwidth_bit_per_s", 1e3, 1e15);
    link.latency_s = reader.number("latency_s", 0, 10);
    link.sources = reader.sources();
    if (Result<void> done = reader.finish(); !done) return tl::unexpected(done.error());
    return link;
}

Result<DatasetSpec> readDataset(EntryReader& reader) {
    DatasetSpec dataset;
    dataset.key = reader.identifier("key");
    dataset.name = reader.text("name");
    dataset.samples = reader.number("samples", 1, 1e15);
    dataset.bytesPerSample = reader.number("bytes_per_sample", 0, 1e15);
    dataset.resolutionPx = reader.integer("resolution_px", 0, 1024);
    dataset.channels = reader.integer("channels", 0, 4096);
    dataset.classes = reader.integer("classes", 0, 1 << 30);
    dataset.sources = reader.sources();
    if (Result<void> done = reader.finish(); !done) return tl::unexpected(done.error());
    return dataset;
}

std::string entryName(const Json& entry, std::size_t index) {
    if (entry.is_object()) {
        const auto key = entry.find("key");
        if (key != entry.end() && key->is_string()) return key->get<std::string>();
    }
    return fmt::format("entry {}", index + 1);
}

template <class Spec, class Read>
Result<void> addEntries(std::vector<Spec>& specs, const Json& document, std::string_view path, Read read) {
    if (!document.is_array()) return fail(fmt::format("{}: allowed: a list of entries", path));
    std::vector<Spec> grown = specs;
    for (std::size_t i = 0; i < document.size(); ++i) {
        EntryReader reader(document[i], fmt::format("{}: {}", path, entryName(document[i], i)));
        Result<Spec> spec = read(reader);
        if (!spec) return tl::unexpected(spec.error());
        if (withKey(grown, spec->key) != nullptr) {
            return fail(fmt::format("{}: {}: key: is there twice; allowed: a key of its own", path, spec->key));
        }
        grown.push_back(std::move(*spec));
    }
    specs = std::move(grown);
    return {};
}

Result<void> addModel(Catalogue& catalogue, const Json& document, std::string_view path) {
    Result<ModelSpec> model = ModelSpec::fromJson(document, path);
    if (!model) return tl::unexpected(model.error());
    if (catalogue.model(model->key()) != nullptr) {
        return fail(fmt::format("{}: {}: key: is there twice; allowed: a key of its own", path, model->key()));
    }
    catalogue.models.push_back(std::move(*model));
    return {};
}

/// nlohmann's message without its prefix and its quotation of the text: "line 3, column 7: syntax error ...".
std::string syntaxFault(std::string_view message) {
    const std::size_t place = message.find("at line ");
    if (place != std::string_view::npos) message.remove_prefix(place + 3);
    const std::size_t quoted = message.find("; last read");
    return std::string(message.substr(0, quoted));
}

}  // namespace

double DeviceSpec::peakFlopPerS(Precision precision) const {
    double peak = fp32FlopPerS;
    if (precision == Precision::Tf32) peak = tf32FlopPerS;
    if (precision == Precision::Fp16) peak = fp16FlopPerS;
    if (precision == Precision::Bf16) peak = bf16FlopPerS;
    return peak > 0 ? peak : fp32FlopPerS;
}

double DeviceSpec::efficiencyAt(Precision precision) const {
    double share = efficiency;
    if (precision == Precision::Tf32) share = tf32Efficiency;
    if (precision == Precision::Fp16) share = fp16Efficiency;
    if (precision == Precision::Bf16) share = bf16Efficiency;
    return share > 0 ? share : efficiency;
}

double DeviceSpec::trainingFlopPerS(Precision precision) const {
    return peakFlopPerS(precision) * efficiencyAt(precision);
}

const ModelSpec* Catalogue::model(std::string_view key) const {
    const auto found = std::find_if(models.begin(), models.end(), [&](const ModelSpec& m) { return m.key() == key; });
    return found == models.end() ? nullptr : &*found;
}
const DeviceSpec* Catalogue::device(std::string_view key) const { return withKey(devices, key); }
const LinkSpec* Catalogue::link(std::string_view key) const { return withKey(links, key); }
const DatasetSpec* Catalogue::dataset(std::string_view key) const { return withKey(datasets, key); }

Result<void> addCatalogueFile(Catalogue& catalogue, std::string_view path, std::string_view content) {
    Json document;
    try {
        document = Json::parse(content);
    } catch (const Json::exception& fault) {
        return fail(fmt::format("{}: {}; allowed: JSON", path, syntaxFault(fault.what())));
    }
    if (path.find("models/") != std::string_view::npos) return addModel(catalogue, document, path);
    const std::string_view name = path.substr(path.find_last_of('/') + 1);
    if (name == "devices.json") return addEntries(catalogue.devices, document, path, readDevice);
    if (name == "links.json") return addEntries(catalogue.links, document, path, readLink);
    if (name == "datasets.json") return addEntries(catalogue.datasets, document, path, readDataset);
    return fail(fmt::format("{}: allowed: devices.json, links.json, datasets.json or a file in models/", path));
}

Result<Catalogue> loadBuiltinCatalogue() {
    constexpr std::string_view kFolder = "catalogue/";
    Catalogue catalogue;
    for (const EmbeddedFile& file : embeddedFiles()) {
        if (file.path.substr(0, kFolder.size()) != kFolder) continue;
        if (Result<void> done = addCatalogueFile(catalogue, file.path, file.content); !done) {
            return tl::unexpected(done.error());
        }
    }
    return catalogue;
}

}  // namespace lockstep
