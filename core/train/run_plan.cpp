#include "train/run_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "catalogue/catalogue.h"
#include "cluster/communication.h"
#include "cluster/prediction.h"
#include "collectives/schedule.h"
#include "data/partition.h"
#include "experiment/resolved.h"
#include "optim/optimizer.h"
#include "train/evaluator.h"
#include "train/gradient_engine.h"
#include "train/training_network.h"

namespace lockstep {
namespace {

bool needsServers(SynchronizationKind kind) {
    return kind == SynchronizationKind::StaleSynchronous || kind == SynchronizationKind::Asynchronous;
}

Result<void> checkStrategy(const Experiment& experiment, const RunPlan& plan) {
    const TrainingSettings& training = experiment.training;
    if (needsServers(training.synchronization) && plan.servers < 1)
        return fail(
            "training.synchronization: stale-synchronous and asynchronous need cluster.architecture parameter-server");
    if (training.backupWorkers >= plan.workers)
        return fail(fmt::format("training.backup_workers {}: the run has {} workers, allowed are 0..{}",
                                training.backupWorkers, plan.workers, plan.workers - 1));
    if (plan.servers == 0) {
        const auto schedule =
            CollectiveSchedule::make(Collective::AllReduce, allReduceOf(experiment, plan, 1), plan.workers);
        if (!schedule) return fail("cluster.allreduce: " + schedule.error().message);
    }
    return {};
}

double stepsPerEpoch(const Experiment& experiment, const RunPlan& plan, std::size_t samples) {
    const TrainingSettings& training = experiment.training;
    const bool full = training.gradient == GradientKind::Full;
    const auto batches =
        static_cast<double>(samples / static_cast<std::size_t>(plan.workers * training.batchPerWorker));
    const double synchronous = full ? 1 : batches / training.accumulationSteps;
    return training.synchronization == SynchronizationKind::Asynchronous ? synchronous * plan.workers : synchronous;
}

/// Floats that the strategy keeps for each parameter, beside the replicas and the workers' gradients.
double strategyVectors(const Experiment& experiment, const RunPlan& plan) {
    const TrainingSettings& training = experiment.training;
    const double states = stateFloatsPerParameter(training.optimizer);
    const double workers = plan.workers;
    double vectors = plan.servers > 0 ? 2 + states : states * (plan.sharedReplica ? 1 : workers);
    if (training.synchronization == SynchronizationKind::LocalSgd ||
        training.synchronization == SynchronizationKind::None)
        vectors += states * workers;
    if (training.synchronization == SynchronizationKind::StaleSynchronous) {
        const bool uneven = experiment.cluster.computeJitter > 0 || experiment.cluster.stragglerCount > 0 ||
                            !experiment.cluster.nodeOverrides.empty();
        vectors += workers *
                   (uneven ? std::min<double>(training.stalenessBound + 1, static_cast<double>(plan.totalSteps)) : 1);
    }
    if (training.compression == Compression::TopK) vectors += workers;
    // The lists that go round: an index and a value of each entry sent.
    if (training.compression == Compression::TopK && plan.servers == 0) vectors += 2 * training.topKFraction * workers;
    return vectors;
}

}  // namespace

Result<RunPlan> planRun(const Experiment& experiment, const TrainTest& data) {
    const TrainingSettings& training = experiment.training;
    RunPlan plan{.workers = trainingWorkers(experiment),
                 .servers = trainingServers(experiment),
                 .resolutionPx = trainingResolutionPx(experiment)};
    if (const auto checked = checkStrategy(experiment, plan); !checked) return fail(checked.error().message);
    const std::size_t samples = data.train.size();
    if (static_cast<std::size_t>(plan.workers) * static_cast<std::size_t>(training.batchPerWorker) > samples)
        return fail(fmt::format(
            "training.batch_per_worker {}: {} images among {} workers are {} each, a batch cannot be larger",
            training.batchPerWorker, samples, plan.workers, samples / static_cast<std::size_t>(plan.workers)));
    plan.stepsPerEpoch = stepsPerEpoch(experiment, plan, samples);
    plan.totalSteps = std::max(1LL, static_cast<long long>(std::ceil(training.epochs * plan.stepsPerEpoch - 1e-9)));
    if (training.maxSteps > 0) plan.totalSteps = std::min<long long>(plan.totalSteps, training.maxSteps);
    plan.sharedReplica = training.synchronization == SynchronizationKind::BulkSynchronous &&
                         (plan.servers > 0 || training.initialization == Initialization::Same);
    return plan;
}

AllReduceAlgorithm allReduceOf(const Experiment& experiment, const RunPlan& plan, std::size_t parameters) {
    const ClusterSettings& cluster = experiment.cluster;
    const ClusterNetwork network{.workers = plan.workers,
                                 .bandwidthBitPerS = cluster.linkBandwidthBitPerS,
                                 .latency_s = cluster.linkLatencyS,
                                 .oversubscription = cluster.oversubscription};
    return cheapestAllReduce(network, cluster.allreduce, sizeof(float) * static_cast<double>(parameters));
}

double modelledComputeShare(const Experiment& experiment) {
    Experiment unhindered = experiment;
    unhindered.cluster.stragglerCount = 0;
    unhindered.cluster.computeJitter = 0;
    unhindered.cluster.nodeOverrides.clear();
    unhindered.training.backupWorkers = 0;
    if (needsServers(experiment.training.synchronization))
        unhindered.training.synchronization = SynchronizationKind::BulkSynchronous;
    const Result<Catalogue> catalogue = loadBuiltinCatalogue();
    if (!catalogue) return 1;
    const Result<Prediction> prediction = predict(unhindered, *catalogue);
    if (!prediction || !prediction->fits) return 1;
    const Breakdown& parts = prediction->breakdown;
    const double path_s = parts.compute_s + parts.pull_s + parts.push_s + parts.allreduce_s + parts.aggregate_s;
    return path_s > 0 ? parts.compute_s / path_s : 1;
}

Result<Network> buildNetwork(const Experiment& experiment, const RunPlan& plan, const ImageSet& train,
                             Standardization standardization) {
    auto spec = trainingNetworkSpec(experiment.training, {plan.resolutionPx, plan.resolutionPx, train.channels()},
                                    train.classes());
    if (!spec) return tl::unexpected(spec.error());
    spec->standardization = std::move(standardization);
    auto network = Network::build(*std::move(spec));
    const char* key = experiment.training.layers.empty() ? "training.model: " : "training.layers: ";
    if (!network) return fail(key + network.error().message);
    return network;
}

double estimateRunBytes(const Experiment& experiment, const RunPlan& plan, const TrainTest& data,
                        const Network& network, int threads) {
    const double workers = plan.workers;
    const bool full = experiment.training.gradient == GradientKind::Full;
    // Two directions, signs, the average, the model under test; and FullGradientMeter's two in double and one in float,
    // which works on a batch of its own.
    const double meterVectors = full ? 10 : 5;
    const double vectors =
        (plan.sharedReplica ? 1 : workers) + workers + strategyVectors(experiment, plan) + meterVectors;
    const double samplesPerGradient =
        full ? static_cast<double>(data.train.size())
             : double{1} * experiment.training.batchPerWorker * experiment.training.accumulationSteps;
    const bool resampled = data.train.width() != plan.resolutionPx || data.train.height() != plan.resolutionPx;
    const double images = static_cast<double>(data.train.size() + data.test.size());
    return sizeof(float) * vectors * static_cast<double>(network.parameterCount()) +
           (threads + (full ? 1 : 0)) * GradientEngine::scratchBytes(network, samplesPerGradient) +
           threads * Evaluator::scratchBytes(network) +
           images * (2 * sizeof(std::uint32_t) + (resampled ? network.spec().input.elements() : 0)) +
           BatchLoader::bytes(BatchLoader::settingsFor(experiment, plan.workers, threads),
                              static_cast<double>(network.spec().input.elements()));
}

}  // namespace lockstep
