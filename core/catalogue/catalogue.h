#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalogue/model_spec.h"

namespace lockstep {

/// A figure's origin, shown beside it.
struct Source {
    std::string text;  ///< author, title, page or table
    std::string url;
};

/// An accelerator or processor that holds a replica. Rates are peaks; `efficiency` is the share a real training step
/// reaches and names in its source what it was fitted to.
struct DeviceSpec {
    std::string key, name;
    double fp32FlopPerS = 0, tf32FlopPerS = 0, fp16FlopPerS = 0, bf16FlopPerS = 0;  ///< 0: runs at the fp32 rate
    double memoryBytes = 0, memoryBandwidthBytePerS = 0;
    double efficiency = 0.4;   ///< 0..1
    double powerW = 0;
    std::vector<Source> sources;
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
    double bytesPerSample = 0;    ///< on disk
    int resolutionPx = 0;         ///< native side as models are fed; 0 for text
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

}  // namespace lockstep
