#pragma once

#include <string_view>

#include "base/result.h"

namespace lockstep {

/// Which meters look at a run. Whether they do changes no bit of what is trained; what is off is not a number in
/// snapshots. Loss, accuracy, staleness, bytes and rates are by-products of training and always there.
struct Meters {
    bool divergence = true;     ///< distances between replicas, layer by layer, and their places
    bool noise = true;          ///< noise scale and variance of gradients
    bool times = true;          ///< workers' computing and exchanging
    bool fullGradients = true;  ///< shards' gradients against the true one (training.gradient = full)
    /// Divergence not in every snapshot, but only as often as it takes 3 % of the run, and at the end. Snapshots
    /// between carry the last figures on and say so. Whether it is time is a matter of counted operations, not of a
    /// clock.
    bool sampled = false;

    bool operator==(const Meters&) const = default;
};

/// "on", "off", "sampled" (all on, sampled), or the names of those that are to be on, with commas: "divergence",
/// "noise", "times", "full-gradients". One line when a name is not known.
[[nodiscard]] Result<Meters> parseMeters(std::string_view text);

}  // namespace lockstep
