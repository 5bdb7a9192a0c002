#include "cluster/iteration.h"

#include <fmt/format.h>

#include <algorithm>

#include "cluster/sharding.h"
#include "experiment/enum_names.h"
#include "experiment/resolved.h"

namespace lockstep {

namespace {

constexpr double kBitsPerByte = 8;
/// A multiply-accumulate is two operations; the backward pass needs the gradients of inputs and of weights.
constexpr double kForwardFlopPerMac = 2;
constexpr double kBackwardOverForward = 2;
constexpr double kBytesOfFp16 = 2;
constexpr double kBytesOfIndex = 4;

template <class Specs, class KeyOf>
Error notInCatalogue(std::string_view key, std::string_view value, const Specs& specs, KeyOf keyOf) {
    std::string known;
    for (const auto& spec : specs) known += (known.empty() ? "" : ", ") + keyOf(spec);
    return {fmt::format("{} = \"{}\": allowed is one of {}", key, value, known)};
}

/// What the arithmetic below cannot do without. The whole set of ranges is validate()'s.
Result<void> checkRanges(const Experiment& experiment, int workers, int servers) {
    const ClusterSettings& cluster = experiment.cluster;
    const auto refuse = [](std::string_view key, double value, std::string_view allowed) {
        return fail(fmt::format("{} = {:g}: allowed is {}", key, value, allowed));
    };
    if (workers < 1 || workers > 65536) return refuse("cluster.workers", workers, "1..65536");
    if (servers < 0 || servers > 65536) return refuse("cluster.servers", servers, "0..65536");
    if (cluster.architecture == Architecture::ParameterServer && servers < 1) {
        return refuse("cluster.servers", servers, "at least 1 with a parameter server");
    }
    if (cluster.fixedNodes > 0 && servers >= cluster.fixedNodes) {
        return refuse("cluster.servers", servers, fmt::format("less than the {} nodes in all", cluster.fixedNodes));
    }
    if (experiment.training.batchPerWorker < 1) {
        return refuse("training.batch_per_worker", experiment.training.batchPerWorker, "1..65536");
    }
    if (!(cluster.linkBandwidthBitPerS > 0))
        return refuse("cluster.link_bandwidth_bit_per_s", cluster.linkBandwidthBitPerS, "> 0");
    if (!(cluster.linkLatencyS >= 0)) return refuse("cluster.link_latency_s", cluster.linkLatencyS, ">= 0");
    if (!(cluster.oversubscription >= 1)) return refuse("cluster.oversubscription", cluster.oversubscription, ">= 1");
    if (!(cluster.stragglerSlowdown >= 1))
        return refuse("cluster.straggler_slowdown", cluster.stragglerSlowdown, ">= 1");
    const TrainingSettings& training = experiment.training;
    if (training.localSteps < 1) return refuse("training.local_steps", training.localSteps, "1..1024");
    if (training.backupWorkers < 0 || training.backupWorkers >= workers)
        return refuse("training.backup_workers", training.backupWorkers, fmt::format("0..{}", workers - 1));
    if (!(training.topKFraction > 0)) return refuse("training.top_k_fraction", training.topKFraction, "> 0 and <= 1");
    const bool needsServers = training.synchronization == SynchronizationKind::StaleSynchronous ||
                              training.synchronization == SynchronizationKind::Asynchronous;
    if (needsServers && cluster.architecture != Architecture::ParameterServer)
        return fail(
            fmt::format("training.synchronization = \"{}\": allowed is bulk-synchronous, local-sgd or none "
                        "without a parameter server",
                        nameOf(training.synchronization)));
    return {};
}

Result<void> findEntries(const Experiment& experiment, const Catalogue& catalogue, Iteration& iteration) {
    const auto keyOf = [](const auto& spec) { return spec.key; };
    const auto modelKey = [](const ModelSpec& spec) { return spec.key(); };
    const WorkloadSettings& workload = experiment.workload;
    iteration.model = catalogue.model(workload.model);
    iteration.dataset = catalogue.dataset(workload.dataset);
    iteration.device = catalogue.device(experiment.cluster.device);
    if (iteration.model == nullptr) {
        return tl::unexpected(notInCatalogue("workload.model", workload.model, catalogue.models, modelKey));
    }
    if (iteration.dataset == nullptr) {
        return tl::unexpected(notInCatalogue("workload.dataset", workload.dataset, catalogue.datasets, keyOf));
    }
    if (iteration.device == nullptr) {
        return tl::unexpected(notInCatalogue("cluster.device", experiment.cluster.device, catalogue.devices, keyOf));
    }
    return {};
}

ClusterNetwork networkOf(const Experiment& experiment) {
    const ClusterSettings& cluster = experiment.cluster;
    return {.workers = clusterWorkers(experiment),
            .servers = clusterServers(experiment),
            .coLocated = cluster.serverPlacement == ServerPlacement::CoLocated,
            .bandwidthBitPerS = cluster.linkBandwidthBitPerS,
            .latency_s = cluster.linkLatencyS,
            .oversubscription = cluster.oversubscription,
            .serverShares = {}};
}

/// Seconds in which one node's pipeline delivers a batch: its own loader, and its share of the common storage.
double loadTime_s(const ClusterSettings& cluster, const Iteration& iteration, int nodes) {
    double load_s = 0;
    if (cluster.loaderSamplesPerS > 0) load_s = iteration.batch / cluster.loaderSamplesPerS;
    if (cluster.storageBandwidthBitPerS > 0) {
        const double bytes = iteration.batch * iteration.dataset->bytesPerSample * nodes;
        load_s = std::max(load_s, kBitsPerByte * bytes / cluster.storageBandwidthBitPerS);
    }
    return load_s;
}

void addCompute(const Experiment& experiment, const ModelTotals& totals, Iteration& iteration) {
    const ClusterSettings& cluster = experiment.cluster;
    const double rate = iteration.device->trainingFlopPerS(experiment.workload.precision);
    iteration.forward_s = kForwardFlopPerMac * totals.macs * iteration.batch / rate;
    iteration.backward_s = kBackwardOverForward * iteration.forward_s;
    if (cluster.stragglerSlowdown > 1) {
        iteration.slowWorkers = std::clamp(cluster.stragglerCount, 0, iteration.network.workers);
        iteration.slowdown = cluster.stragglerSlowdown;
    }
}

void addSynchronization(const Experiment& experiment, Iteration& iteration) {
    const TrainingSettings& training = experiment.training;
    const SynchronizationKind kind = training.synchronization;
    iteration.communicates =
        experiment.cluster.architecture != Architecture::SingleNode && kind != SynchronizationKind::None;
    iteration.waits = kind != SynchronizationKind::None && kind != SynchronizationKind::Asynchronous;
    iteration.sumsBeside = kind == SynchronizationKind::StaleSynchronous && training.stalenessBound > 0;
    iteration.gathersSparse = experiment.cluster.architecture == Architecture::AllReduce &&
                              kind == SynchronizationKind::BulkSynchronous && training.compression == Compression::TopK;
    if (kind == SynchronizationKind::BulkSynchronous) iteration.backups = training.backupWorkers;
    if (kind == SynchronizationKind::LocalSgd) iteration.roundsPerIteration = 1.0 / training.localSteps;
}

/// Bytes that one worker sends of its gradient, of so many parameters. Compressed values keep the precision they have
/// or have two bytes; those of top-k travel with an index each. Local SGD averages parameters, which are not
/// compressed.
double pushedBytes(const TrainingSettings& training, double gradientBytes, double parameters) {
    if (training.synchronization == SynchronizationKind::LocalSgd) return gradientBytes;
    switch (training.compression) {
        case Compression::None:
            break;
        case Compression::Fp16:
            return std::min(gradientBytes, kBytesOfFp16 * parameters);
        case Compression::TopK:
            return training.topKFraction * (gradientBytes + kBytesOfIndex * parameters);
    }
    return gradientBytes;
}

void addCommunication(const Experiment& experiment, Iteration& iteration) {
    const ClusterSettings& cluster = experiment.cluster;
    if (!iteration.communicates) return;
    if (cluster.architecture == Architecture::AllReduce) {
        iteration.allreduce = iteration.gathersSparse
                                  ? sparseGatherExchange(iteration.network, iteration.exchangedBytes)
                                  : allReduceExchange(iteration.network, cluster.allreduce, iteration.exchangedBytes);
        return;
    }
    iteration.pull = serverExchange(iteration.network, iteration.gradientBytes, iteration.network.workers);
    iteration.push = serverExchange(iteration.network, iteration.exchangedBytes, iteration.counted());
    iteration.pushEnds = delayedPush(iteration.network, iteration.exchangedBytes,
                                     {.senders = iteration.counted(),
                                      .slow = iteration.slowCounted(),
                                      .delay_s = iteration.slowestCompute_s() - iteration.compute_s()});
    if (cluster.serverAggregationBytePerS > 0) {
        const TrainingSettings& training = experiment.training;
        const double kept = training.compression == Compression::TopK ? training.topKFraction : 1;
        const double summed = iteration.counted() * kept * iteration.gradientBytes * iteration.network.fullestShare();
        iteration.aggregate_s = summed / cluster.serverAggregationBytePerS;
    }
}

/// Workers of two speeds that do not meet at every step.
void loosen(const Experiment& experiment, Iteration& iteration) {
    const bool bothKinds = iteration.slowWorkers > 0 && iteration.slowWorkers < iteration.network.workers;
    if (!iteration.communicates || !bothKinds || (iteration.waits && !iteration.sumsBeside)) return;
    const LooseLoops loops =
        looseLoops({.network = iteration.network,
                    .slow = iteration.slowWorkers,
                    .fastCompute_s = iteration.compute_s(),
                    .slowCompute_s = iteration.slowestCompute_s(),
                    .pullBytes = iteration.gradientBytes,
                    .pushBytes = iteration.exchangedBytes,
                    .load_s = iteration.load_s,
                    .loadsAhead = iteration.loadsAhead,
                    .sum_s = iteration.waits ? 0 : iteration.aggregate_s / iteration.network.workers,
                    .stalenessBound = iteration.waits ? experiment.training.stalenessBound : -1});
    const double fast = (iteration.network.workers - iteration.slowWorkers) * loops.fast.loopsPerS;
    const double slow = iteration.slowWorkers * loops.slow.loopsPerS;
    const double fastShare = iteration.waits ? 0 : fast / (fast + slow);
    const auto mean = [&](double WorkerLoop::*phase) {
        return fastShare * (loops.fast.*phase) + (1 - fastShare) * (loops.slow.*phase);
    };
    iteration.loose = loops;
    iteration.pull.transfer_s = mean(&WorkerLoop::pull_s) - iteration.pull.latency_s;
    iteration.push.transfer_s = mean(&WorkerLoop::push_s) - iteration.push.latency_s;
    iteration.pushEnds = {iteration.push.total_s(), iteration.push.total_s()};
    if (!iteration.waits) iteration.aggregate_s = mean(&WorkerLoop::sum_s);
}

}  // namespace

double Iteration::exchange_s() const {
    const double waited_s = sumsBeside ? 0 : aggregate_s;
    return roundsPerIteration * (pull.total_s() + pushEnds.slow_s + allreduce.total_s() + waited_s);
}

double Iteration::withLoading_s(double path_s) const { return loadsAhead ? std::max(load_s, path_s) : load_s + path_s; }

double Iteration::alone_s() const {
    return loadsAhead ? std::max(loadAlone_s, compute_s()) : loadAlone_s + compute_s();
}

double Iteration::ownLoop_s(bool slow) const {
    if (loose) return 1 / (slow ? loose->slow : loose->fast).loopsPerS;
    return withLoading_s(slow ? slowestCompute_s() : compute_s());
}

double Iteration::iteration_s() const {
    const bool meetEachStep = communicates && !loose;
    const double rate = (network.workers - slowWorkers) / ownLoop_s(false) + slowWorkers / ownLoop_s(true);
    const double workers_s = meetEachStep ? withLoading_s(path_s()) : network.workers / rate;
    return sumsBeside ? std::max(workers_s, aggregate_s) : workers_s;
}

Result<void> checkModelled(const Experiment& experiment) {
    const ClusterSettings& cluster = experiment.cluster;
    const auto notYet = [](std::string_view key) { return fail(fmt::format("not available yet: {}", key)); };
    if (cluster.devicesPerNode != 1) return notYet("cluster.devices_per_node");
    if (cluster.nodesPerRack != 0) return notYet("cluster.nodes_per_rack");
    if (cluster.allreduce == AllReduceAlgorithm::Hierarchical) return notYet("cluster.allreduce = hierarchical");
    if (cluster.overlap) return notYet("cluster.overlap");
    if (cluster.computeJitter != 0) return notYet("cluster.compute_jitter");
    if (cluster.zeroStage != 0) return notYet("cluster.zero_stage");
    if (cluster.activationRecomputation) return notYet("cluster.activation_recomputation");
    if (!cluster.nodeOverrides.empty()) return notYet("cluster.node_overrides");
    return {};
}

Result<Iteration> iterationOf(const Experiment& experiment, const Catalogue& catalogue) {
    Iteration iteration;
    iteration.network = networkOf(experiment);
    if (Result<void> done = checkModelled(experiment); !done) return tl::unexpected(done.error());
    if (Result<void> done = checkRanges(experiment, iteration.network.workers, iteration.network.servers); !done) {
        return tl::unexpected(done.error());
    }
    if (Result<void> done = findEntries(experiment, catalogue, iteration); !done) return tl::unexpected(done.error());

    const WorkloadSettings& workload = experiment.workload;
    const ModelInput input{.resolutionPx = workload.resolutionPx.value_or(iteration.dataset->resolutionPx),
                           .sequenceLength = workload.sequenceLength.value_or(0)};
    const Result<ModelTotals> totals = iteration.model->totals(input);
    if (!totals) return tl::unexpected(totals.error());
    if (iteration.network.servers > 0 && experiment.cluster.sharding == Sharding::Tensors) {
        const Result<std::vector<double>> sizes = iteration.model->tensorSizes(input);
        if (!sizes) return tl::unexpected(sizes.error());
        iteration.network.serverShares = tensorShares(*sizes, iteration.network.servers);
    }

    iteration.batch = experiment.training.batchPerWorker;
    iteration.memory =
        memoryModel(*totals, workload.precision, experiment.training.optimizer, iteration.device->memoryBytes);
    iteration.gradientBytes = iteration.memory.fixed.gradientsBytes;
    iteration.exchangedBytes = pushedBytes(experiment.training, iteration.gradientBytes, totals->parameters);
    iteration.loadsAhead = experiment.cluster.prefetchBatches > 0;
    iteration.load_s = loadTime_s(experiment.cluster, iteration, iteration.network.workers);
    iteration.loadAlone_s = loadTime_s(experiment.cluster, iteration, 1);
    addCompute(experiment, *totals, iteration);
    addSynchronization(experiment, iteration);
    addCommunication(experiment, iteration);
    loosen(experiment, iteration);
    return iteration;
}

}  // namespace lockstep
