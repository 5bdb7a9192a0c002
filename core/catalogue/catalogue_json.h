#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "base/result.h"
#include "catalogue/catalogue.h"

namespace lockstep {

/// A part of the catalogue ("models", "devices", "links", "datasets") as an array of entries with `key`, `name`,
/// numbers with their units in their names, and `sources` [{`text`, `url`}]. Models carry their totals and `layers` at
/// their own input size. Fails for another name.
[[nodiscard]] Result<nlohmann::ordered_json> catalogueToJson(const Catalogue& catalogue, std::string_view part);

}  // namespace lockstep
