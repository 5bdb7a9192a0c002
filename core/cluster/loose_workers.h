#pragma once

#include "cluster/communication.h"

namespace lockstep {

/// Workers around parameter servers that do not meet at every step: each repeats load, pull, compute, push. Two kinds
/// of constant speed; those of one kind stay in step with each other.
struct LooseWorkers {
    ClusterNetwork network;
    int slow = 0;  ///< of network.workers; the others are fast
    double fastCompute_s = 0, slowCompute_s = 0;
    double pullBytes = 0, pushBytes = 0;
    double load_s = 0;        ///< of one batch; 0: unlimited
    bool loadsAhead = true;   ///< beside the rest: then no two batches come sooner after each other
    double sum_s = 0;         ///< for which each worker waits until its gradient is summed, when it is the only one
    int stalenessBound = -1;  ///< how many steps one may be ahead of the slowest; below 0: any
};

/// One loop of one kind of worker in the long run, on average.
struct WorkerLoop {
    double pull_s = 0, push_s = 0, sum_s = 0;
    double loopsPerS = 0;
};

struct LooseLoops {
    WorkerLoop fast, slow;
};

/// Follows the workers from event to event, about 2000 of them, from a common start, and averages over the second half.
/// Transfers in one direction share the links as serverExchange says for as many senders as there are at the moment;
/// with co-located servers, whose links carry both, those of both directions do. Sums share the servers evenly. Both
/// kinds must have workers.
[[nodiscard]] LooseLoops looseLoops(const LooseWorkers& workers);

}  // namespace lockstep
