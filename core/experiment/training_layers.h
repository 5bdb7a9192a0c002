#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "base/result.h"
#include "experiment/experiment.h"

namespace lockstep {

/// `training.layers`, in the form that TrainingLayer documents. Fails with one line that names the layer, the entry and
/// what is allowed; whether the layers fit each other shows when the network is built.
[[nodiscard]] Result<std::vector<TrainingLayer>> layersFromJson(const nlohmann::json& list);
/// Only entries that differ from their defaults.
[[nodiscard]] nlohmann::json layersToJson(const std::vector<TrainingLayer>& layers);

}  // namespace lockstep
