#include "experiment/resolved.h"

#include <algorithm>
#include <cmath>

namespace lockstep {
namespace {

constexpr int kMaxTrainingWorkers = 256, kMaxTrainingServers = 64;
constexpr int kMinTrainingPx = 8, kMaxTrainingPx = 64;
/// The real run trains on images this much smaller than the modelled workload's, so that 224 px becomes 28.
constexpr int kStandInReduction = 8;

}  // namespace

int clusterServers(const Experiment& experiment) {
    return experiment.cluster.architecture == Architecture::ParameterServer ? experiment.cluster.servers : 0;
}

int clusterWorkers(const Experiment& experiment) {
    const ClusterSettings& cluster = experiment.cluster;
    if (cluster.architecture == Architecture::SingleNode) return 1;
    if (cluster.fixedNodes > 0) return std::max(1, cluster.fixedNodes - clusterServers(experiment));
    return cluster.workers;
}

int trainingWorkers(const Experiment& experiment) {
    if (experiment.cluster.architecture == Architecture::SingleNode) return 1;
    return std::clamp(experiment.training.workers.value_or(clusterWorkers(experiment)), 1, kMaxTrainingWorkers);
}

int trainingServers(const Experiment& experiment) {
    if (experiment.cluster.architecture != Architecture::ParameterServer) return 0;
    return std::clamp(experiment.training.servers.value_or(clusterServers(experiment)), 1, kMaxTrainingServers);
}

int trainingResolutionPx(const Experiment& experiment, int nativeResolutionPx) {
    if (experiment.training.resolutionPx) return *experiment.training.resolutionPx;
    const int modelledPx = experiment.workload.resolutionPx.value_or(nativeResolutionPx);
    return std::clamp(modelledPx / kStandInReduction, kMinTrainingPx, kMaxTrainingPx);
}

double samplesPerUpdate(const Experiment& experiment) {
    const TrainingSettings& training = experiment.training;
    const bool synchronous = training.synchronization == SynchronizationKind::BulkSynchronous ||
                             training.synchronization == SynchronizationKind::StaleSynchronous;
    const int gradients = synchronous ? trainingWorkers(experiment) - training.backupWorkers : 1;
    return double{1} * gradients * training.batchPerWorker * training.accumulationSteps;
}

double scaledLearningRate(const Experiment& experiment) {
    const TrainingSettings& training = experiment.training;
    const double ratio = samplesPerUpdate(experiment) / training.baseBatch;
    switch (training.learningRateScaling) {
        case RateScaling::None:
            return training.learningRate;
        case RateScaling::Linear:
            return training.learningRate * ratio;
        case RateScaling::Sqrt:
            return training.learningRate * std::sqrt(ratio);
    }
    return training.learningRate;
}

}  // namespace lockstep
