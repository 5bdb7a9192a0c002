#pragma once

#include <optional>

#include "cluster/communication.h"
#include "cluster/loose_workers.h"
#include "cluster/memory.h"
#include "cluster/prediction.h"

namespace lockstep {

/// One modelled iteration in numbers: what the prediction, its timeline and its explanation are made from. The phases
/// of an iteration follow each other; loading goes on beside them. Speeds are constant, so:
///   bulk-synchronous  an update waits for all workers' gradients but the `backups` latest, which are not sent; in an
///                     all-reduce late workers take part with nothing
///   stale-synchronous with a bound of 0 the same. With more, nobody waits for the servers' sums, which go on beside
///                     the next iteration: max(iteration, aggregate). Fast workers gain their lead once and then move
///                     at the pace of the slowest
///   asynchronous      nobody waits: each worker repeats pull, compute, push and the servers' sum
///   local SGD         an exchange every H steps
/// Equal workers that need not wait stay in step all the same and share the links as bulk-synchronous ones do. Where
/// some are slow, who shares with whom is followed from event to event (looseLoops).
struct Iteration {
    const ModelSpec* model = nullptr;
    const DeviceSpec* device = nullptr;
    const DatasetSpec* dataset = nullptr;
    ClusterNetwork network;
    MemoryModel memory;
    double batch = 0;           ///< samples for each worker
    int slowWorkers = 0;        ///< the last ones
    double gradientBytes = 0;   ///< M: of the gradients in memory, and of the parameters on the wire
    double exchangedBytes = 0;  ///< what workers push or all-reduce in one round, after compression

    double forward_s = 0;    ///< of a worker that is not slow
    double backward_s = 0;   ///< the same: twice the forward pass
    double slowdown = 1;     ///< of the slow ones
    double load_s = 0;       ///< for one node to read a batch; 0: unlimited
    double loadAlone_s = 0;  ///< the same when it is the only node
    bool loadsAhead = true;  ///< reading goes on while the device works (prefetch_batches > 0)
    int backups = 0;         ///< gradients that an update does not wait for
    bool communicates = true;
    bool gathersSparse = false;          ///< top-k lists go round a ring in place of the all-reduce
    bool waits = true;                   ///< workers for each other
    bool sumsBeside = false;             ///< nobody waits for the servers to sum
    double roundsPerIteration = 1;       ///< 1 / local steps with local SGD
    ExchangeCost pull, push, allreduce;  ///< of one round
    PushEnds pushEnds;                   ///< of one round, from the last worker's gradients on
    double aggregate_s = 0;              ///< of one round
    /// Where workers of two speeds do not meet at every step. Pull, push and, unless sums go on beside, aggregate are
    /// then the average worker's; with a staleness bound the slow ones'.
    std::optional<LooseLoops> loose;

    [[nodiscard]] double compute_s() const { return forward_s + backward_s; }
    /// Workers whose gradients make an update, and the slow ones among them.
    [[nodiscard]] int counted() const { return network.workers - backups; }
    [[nodiscard]] int slowCounted() const { return slowWorkers > backups ? slowWorkers - backups : 0; }
    /// Of the slowest worker that an update waits for.
    [[nodiscard]] double slowestCompute_s() const { return compute_s() * (slowCounted() > 0 ? slowdown : 1); }
    /// Communication and aggregation of one iteration, amortized over local steps.
    [[nodiscard]] double exchange_s() const;
    /// Everything that a worker does between two updates, without loading.
    [[nodiscard]] double path_s() const { return slowestCompute_s() + exchange_s(); }
    [[nodiscard]] double withLoading_s(double path_s) const;
    /// From one start of a worker to its next where it does not wait for others at every step.
    [[nodiscard]] double ownLoop_s(bool slow) const;
    /// Of one device that trains alone: no exchange, no slow workers, storage for itself.
    [[nodiscard]] double alone_s() const;
    /// From one update to the next. Where workers do not wait for each other it is the global batch / the sum of their
    /// rates.
    [[nodiscard]] double iteration_s() const;
};

/// Fails with one line where the catalogue does not have what the experiment names, where a setting is out of its
/// range, or where it asks for what is not modelled yet ("not available yet: KEY").
[[nodiscard]] Result<Iteration> iterationOf(const Experiment& experiment, const Catalogue& catalogue);

/// The first setting that the model does not take into account, as the line that refuses it.
[[nodiscard]] Result<void> checkModelled(const Experiment& experiment);

}  // namespace lockstep
