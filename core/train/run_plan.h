#pragma once

#include "base/result.h"
#include "data/dataset.h"
#include "experiment/experiment.h"
#include "nn/network.h"

namespace lockstep {

/// What an experiment's training amounts to on given data: the numbers that everything else is built from.
struct RunPlan {
    int workers = 1;
    int servers = 0;  ///< 0: all-reduce
    int resolutionPx = 28;
    double stepsPerEpoch = 1;
    long long totalSteps = 1;
    /// Arithmetic's part of an unhindered worker's iteration on the modelled cluster, 0..1; 1 where it is not modelled.
    double computeShare = 1;
    bool sharedReplica = false;  ///< all replicas are identical by construction, so one copy stands for all
};

/// Fails with one line where settings contradict each other or the data (a batch larger than a shard).
[[nodiscard]] Result<RunPlan> planRun(const Experiment& experiment, const TrainTest& data);

/// The network that the experiment trains, standardized with the training set's figures.
[[nodiscard]] Result<Network> buildNetwork(const Experiment& experiment, const RunPlan& plan, const ImageSet& train,
                                           Standardization standardization);

/// The algorithm by which the run's workers sum: cluster.allreduce; `auto` is the one that is cheapest for the run's
/// own workers and parameters on the described links.
[[nodiscard]] AllReduceAlgorithm allReduceOf(const Experiment& experiment, const RunPlan& plan, std::size_t parameters);

/// RunPlan::computeShare.
[[nodiscard]] double modelledComputeShare(const Experiment& experiment);

/// Bytes that a run would take above the data as loaded, from its buffers' sizes.
[[nodiscard]] double estimateRunBytes(const Experiment& experiment, const RunPlan& plan, const TrainTest& data,
                                      const Network& network, int threads);

}  // namespace lockstep
