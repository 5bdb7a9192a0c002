#pragma once

#include <span>
#include <vector>

#include "experiment/experiment.h"
#include "optim/vector_math.h"

namespace lockstep {

/// Which part of the parameter vector each of `servers` holds, each in ascending order. `bytes`: equal slices, to one
/// element. `tensors`: whole tensors, the largest first, each to the server that holds least (the first of equal ones);
/// a server may then hold nothing.
[[nodiscard]] std::vector<std::vector<IndexRange>> serverLayout(Sharding sharding, int servers,
                                                                std::span<const IndexRange> tensors);

}  // namespace lockstep
