#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "experiment/experiment.h"

namespace lockstep {

/// A built-in starting point (resources/presets), offered by name in the window and on the command line.
struct Preset {
    std::string key;  ///< the file's name without its number: "one_server_many_workers"
    std::string title;
    std::string description;  ///< one sentence: what there is to see
    Experiment experiment;
};

/// All presets in the order of their files' numbers. They are tested to be valid; a broken one fails with a line.
[[nodiscard]] Result<std::vector<Preset>> loadBuiltinPresets();

/// The preset of that key (also with '-' for '_'); the failure lists the keys there are.
[[nodiscard]] Result<Preset> findPreset(std::string_view key);

}  // namespace lockstep
