#pragma once

#include <nlohmann/json.hpp>

#include "cluster/prediction.h"

namespace lockstep {

/// The contract's document: `iteration_time_s`, `throughput_samples_per_s`, ..., `breakdown`, `memory`, `links`; empty
/// values are null.
[[nodiscard]] nlohmann::ordered_json predictionToJson(const Prediction& prediction);

}  // namespace lockstep
