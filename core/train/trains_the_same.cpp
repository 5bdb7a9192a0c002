#include "experiment/resolved.h"
#include "train/run.h"

namespace lockstep {
namespace {

/// Whether it matters to the model who is how late: then everything does that the modelled clock depends on.
bool orderMatters(const Experiment& experiment) {
    const ClusterSettings& cluster = experiment.cluster;
    const SynchronizationKind kind = experiment.training.synchronization;
    const bool alike = cluster.stragglerCount == 0 && cluster.computeJitter == 0 && cluster.nodeOverrides.empty();
    const bool waits = kind != SynchronizationKind::Asynchronous && kind != SynchronizationKind::StaleSynchronous &&
                       experiment.training.backupWorkers == 0;
    return !alike && !waits;
}

/// The experiment reduced to what a run of it depends on.
Experiment essence(const Experiment& experiment) {
    const ClusterSettings& cluster = experiment.cluster;
    Experiment essence;
    essence.training = experiment.training;
    essence.training.learningRate = Experiment{}.training.learningRate;
    essence.training.workers = trainingWorkers(experiment);
    essence.training.servers = trainingServers(experiment);
    essence.training.resolutionPx = trainingResolutionPx(experiment);
    if (orderMatters(experiment)) {
        essence.workload = experiment.workload;
        essence.cluster = experiment.cluster;
        essence.cluster.pricePerDeviceHour = 0;
        essence.cluster.loaderSamplesPerS = 0;  // live
        return essence;
    }
    essence.cluster.architecture = cluster.architecture;
    if (cluster.architecture == Architecture::AllReduce) essence.cluster.allreduce = cluster.allreduce;
    if (essence.cluster.allreduce == AllReduceAlgorithm::Auto) {
        essence.cluster.linkBandwidthBitPerS = cluster.linkBandwidthBitPerS;
        essence.cluster.linkLatencyS = cluster.linkLatencyS;
        essence.cluster.oversubscription = cluster.oversubscription;
    }
    if (cluster.architecture == Architecture::ParameterServer) {
        essence.cluster.sharding = cluster.sharding;
        essence.cluster.serverPlacement = cluster.serverPlacement;
    }
    // The limit itself can change while a run goes on; how it is shared and what may be ahead cannot.
    essence.cluster.devicesPerNode = cluster.devicesPerNode;
    essence.cluster.prefetchBatches = cluster.prefetchBatches;
    // Who is late decides how the modelled clock runs.
    essence.cluster.stragglerCount = cluster.stragglerCount;
    essence.cluster.stragglerSlowdown = cluster.stragglerSlowdown;
    essence.cluster.computeJitter = cluster.computeJitter;
    essence.cluster.nodeOverrides = cluster.nodeOverrides;
    return essence;
}

}  // namespace

bool trainsTheSame(const Experiment& running, const Experiment& next) { return essence(running) == essence(next); }

}  // namespace lockstep
