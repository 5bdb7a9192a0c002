#pragma once

#include "cluster/communication.h"
#include "cluster/memory.h"
#include "cluster/prediction.h"

namespace lockstep {

/// One modelled iteration in numbers: what the prediction, its timeline and its explanation are made from. The phases
/// of a bulk-synchronous iteration follow each other; loading goes on beside them.
struct Iteration {
    const ModelSpec* model = nullptr;
    const DeviceSpec* device = nullptr;
    const DatasetSpec* dataset = nullptr;
    Network network;
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
    bool communicates = true;
    double roundsPerIteration = 1;   ///< 1 / local steps with local SGD
    Exchange pull, push, allreduce;  ///< of one round
    PushEnds pushEnds;               ///< of one round, from the last worker's gradients on
    double aggregate_s = 0;          ///< of one round

    [[nodiscard]] double compute_s() const { return forward_s + backward_s; }
    /// Of the slowest worker.
    [[nodiscard]] double slowestCompute_s() const { return compute_s() * (slowWorkers > 0 ? slowdown : 1); }
    /// Communication and aggregation of one iteration, amortized over local steps.
    [[nodiscard]] double exchange_s() const;
    /// Everything that a worker does between two updates, without loading.
    [[nodiscard]] double path_s() const { return slowestCompute_s() + exchange_s(); }
    [[nodiscard]] double withLoading_s(double path_s) const;
    /// Of one device that trains alone: no exchange, no slow workers, storage for itself.
    [[nodiscard]] double alone_s() const;
    /// From one update to the next. Without any synchronization workers do not wait for each other: then it is global
    /// batch / the sum of their rates.
    [[nodiscard]] double iteration_s() const;
};

/// Fails with one line where the catalogue does not have what the experiment names, where a setting is out of its
/// range, or where it asks for what is not modelled yet ("not available yet: KEY").
[[nodiscard]] Result<Iteration> iterationOf(const Experiment& experiment, const Catalogue& catalogue);

/// The first setting that the model does not take into account, as the line that refuses it.
[[nodiscard]] Result<void> checkModelled(const Experiment& experiment);

}  // namespace lockstep
