#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalogue/model_spec.h"
#include "catalogue/source.h"
#include "experiment/experiment.h"

namespace lockstep {

/// An accelerator or processor that holds a replica. Rates are peaks; an efficiency is the share of the peak that a
/// real training step reaches (update included) and names what it was fitted to.
struct DeviceSpec {
    std::string key, name;
    double fp32FlopPerS = 0, tf32FlopPerS = 0, fp16FlopPerS = 0, bf16FlopPerS = 0;  ///< 0: runs at the fp32 rate
    double memoryBytes = 0, memoryBandwidthBytePerS = 0;
    double efficiency = 0.4;                                            ///< 0..1, at fp32
    double tf32Efficiency = 0, fp16Efficiency = 0, bf16Efficiency = 0;  ///< 0: as at fp32
    std::string efficiencyNote;  ///< the published throughputs that the efficiencies were fitted to
    double powerW = 0;
    std::vector<Source> sources;

    [[nodiscard]] double peakFlopPerS(Precision precision) const;
    [[nodiscard]] double efficiencyAt(Precision precision) const;
    /// What a training step reaches: peak x efficiency.
    [[nodiscard]] double trainingFlopPerS(Precision precision) const;
};

struct LinkSpec {
    std::string key, name;
    double bandwidthBitPerS = 0;  ///< in each direction
    double latency_s = 0;
    std::vector<Source> sources;
};

struct DatasetSpec {
    std::string key, name;
    double samples = 0;
    double bytesPerSample = 0;  ///< on disk
    int resolutionPx = 0;       ///< native side as models are fed; 0 for text
    int channels = 3;
    int classes = 0;
    std::vector<Source> sources;
};

/// Everything the modelled cluster is built from. An immutable value.
struct Catalogue {
    std::vector<ModelSpec> models;
    std::vector<DeviceSpec> devices;
    std::vector<LinkSpec> links;
    std::vector<DatasetSpec> datasets;

    /// nullptr where there is none of that key.
    [[nodiscard]] const ModelSpec* model(std::string_view key) const;
    [[nodiscard]] const DeviceSpec* device(std::string_view key) const;
    [[nodiscard]] const LinkSpec* link(std::string_view key) const;
    [[nodiscard]] const DatasetSpec* dataset(std::string_view key) const;
};

/// Reads the catalogue that is built into the program (resources/catalogue). It is tested to be valid.
[[nodiscard]] Result<Catalogue> loadBuiltinCatalogue();

/// Reads one catalogue file into `catalogue`. What it holds is told by its name: devices.json, links.json,
/// datasets.json (lists of entries), or a file in a folder models/ (one model). Fails with one line that names file,
/// entry, key, value and what is allowed; `catalogue` is then unchanged. A key that is already there is a fault.
[[nodiscard]] Result<void> addCatalogueFile(Catalogue& catalogue, std::string_view path, std::string_view content);

}  // namespace lockstep
