#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "collectives/schedule.h"

namespace lockstep {

struct CollectiveCheckSettings {
    Collective collective = Collective::AllReduce;
    AllReduceAlgorithm algorithm = AllReduceAlgorithm::Ring;
    int ranks = 4;                ///< 1..1024
    std::size_t elements = 1000;  ///< floats of each buffer, 1..2^26 / ranks
};

/// What one execution on real buffers did.
struct CollectiveCheck {
    int steps = 0;
    std::vector<std::uint64_t> bytesSent;  ///< by rank
    /// The largest difference to the sums computed in double, over the largest of these. Moved values must be equal.
    double maxError = 0;
    bool correct = false;  ///< maxError is within the rounding of `ranks` additions in float
    /// By rank: how many ranks' values are summed in each element of what it should then hold; 0 where it should hold
    /// nothing in particular. The least over the elements.
    std::vector<int> contributions;
};

/// Runs the collective on random values, and on ones to count contributions. Fails with one line on settings out of
/// range or an algorithm that the collective does not have.
[[nodiscard]] Result<CollectiveCheck> checkCollective(const CollectiveCheckSettings& settings);

/// The collective of that name: "all-reduce", "reduce-scatter", ...
[[nodiscard]] Result<Collective> collectiveNamed(std::string_view name);

}  // namespace lockstep
