#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "experiment/experiment.h"

namespace lockstep {

/// Reads an experiment. Absent keys and `null` mean the default. An unknown key, a wrong type, a value out of range or
/// a value that is not available yet fails with one line that names key, value and what is allowed; nothing is
/// half-applied.
[[nodiscard]] Result<Experiment> experimentFromJson(const nlohmann::json& document);
/// The same from text; a syntax error fails with its line and column. `where` names the file in messages.
[[nodiscard]] Result<Experiment> experimentFromText(std::string_view text, std::string_view where = "experiment");

/// Every key with its value, defaults included, so that a file stays what it was when defaults change. Empty optionals
/// are written as null. Round-trips: experimentFromJson(experimentToJson(e)) == e for every valid e.
[[nodiscard]] nlohmann::ordered_json experimentToJson(const Experiment& experiment);

/// One key by path, from text as on a command line ("cluster.workers", "8"). Text that is not JSON is taken as a
/// string.
[[nodiscard]] Result<Experiment> withKey(const Experiment& experiment, std::string_view path, std::string_view value);
[[nodiscard]] Result<Experiment> withKey(const Experiment& experiment, std::string_view path,
                                         const nlohmann::json& value);
/// Whether a text is of the type and in the range of one key, whatever the other keys say.
[[nodiscard]] Result<void> checkKeyValue(std::string_view path, const std::string& text);

/// Several keys at once, each (path, text), in order; checked together at the end, so that keys which depend on each
/// other can change in any order.
[[nodiscard]] Result<Experiment> withKeys(const Experiment& experiment,
                                          const std::vector<std::pair<std::string, std::string>>& settings);
/// The value at a path as JSON; the path must exist (findKey).
[[nodiscard]] nlohmann::json valueOfKey(const Experiment& experiment, std::string_view path);

/// The paths at which two experiments differ, in the contract's order.
[[nodiscard]] std::vector<std::string> changedKeys(const Experiment& before, const Experiment& after);

}  // namespace lockstep
