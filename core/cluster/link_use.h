#pragma once

#include <vector>

#include "cluster/iteration.h"

namespace lockstep {

/// What crosses each kind of link in one iteration (amortized over local steps), one entry a direction. Where nodes of
/// a kind differ (rank 0 of a tree, nodes that host a server) they are entries of their own; where the rest of them
/// differ among each other, the bytes are their mean; so are those of workers of which some are backups. Where servers
/// hold whole tensors, the first is the fullest. Empty where nothing is exchanged.
[[nodiscard]] std::vector<LinkUse> linkUses(const Iteration& iteration, AllReduceAlgorithm algorithm,
                                            double iteration_s);

}  // namespace lockstep
