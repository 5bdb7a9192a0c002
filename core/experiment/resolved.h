#pragma once

#include "experiment/experiment.h"

namespace lockstep {

/// What an experiment's settings amount to where one key decides another. Each is a plain function of the experiment.

/// Workers of the modelled cluster: 1 for a single node; with fixedNodes, the nodes that servers leave (at least one).
[[nodiscard]] int clusterWorkers(const Experiment& experiment);
/// Parameter servers of the modelled cluster: 0 unless the architecture has them.
[[nodiscard]] int clusterServers(const Experiment& experiment);
/// Workers of the real run, 1..256: training.workers, or the cluster's.
[[nodiscard]] int trainingWorkers(const Experiment& experiment);
/// Parameter servers of the real run, 0..64: 0 means that replicas synchronize by all-reduce.
[[nodiscard]] int trainingServers(const Experiment& experiment);
/// Side of the images of the real run, 8..64: training.resolution_px, or workload.resolution_px / 8 clamped.
/// `nativeResolutionPx` is the workload dataset's own side, used when workload.resolution_px is empty.
[[nodiscard]] int trainingResolutionPx(const Experiment& experiment, int nativeResolutionPx = 224);
/// Samples behind one update of the real run: those of all workers whose gradients a synchronous step averages, of one
/// worker otherwise.
[[nodiscard]] double samplesPerUpdate(const Experiment& experiment);
/// The rate an update uses at full warm-up: training.learning_rate scaled to samplesPerUpdate.
[[nodiscard]] double scaledLearningRate(const Experiment& experiment);

}  // namespace lockstep
