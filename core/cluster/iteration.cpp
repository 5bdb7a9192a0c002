#include "cluster/iteration.h"

#include <fmt/format.h>

#include <algorithm>

#include "experiment/resolved.h"

namespace lockstep {

namespace {

constexpr double kBitsPerByte = 8;
/// A multiply-accumulate is two operations; the backward pass needs the gradients of inputs and of weights.
constexpr double kForwardFlopPerMac = 2;
constexpr double kBackwardOverForward = 2;
constexpr double kBytesOfFp16 = 2;

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
    if (experiment.training.localSteps < 1)
        return refuse("training.local_steps", experiment.training.localSteps, "1..1024");
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

Network networkOf(const Experiment& experiment) {
    const ClusterSettings& cluster = experiment.cluster;
    return {.workers = clusterWorkers(experiment),
            .servers = clusterServers(experiment),
            .coLocated = cluster.serverPlacement == ServerPlacement::CoLocated,
            .bandwidthBitPerS = cluster.linkBandwidthBitPerS,
            .latency_s = cluster.linkLatencyS,
            .oversubscription = cluster.oversubscription};
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

void addCommunication(const Experiment& experiment, Iteration& iteration) {
    const ClusterSettings& cluster = experiment.cluster;
    const TrainingSettings& training = experiment.training;
    iteration.communicates =
        cluster.architecture != Architecture::SingleNode && training.synchronization != SynchronizationKind::None;
    if (!iteration.communicates) return;
    if (training.synchronization == SynchronizationKind::LocalSgd)
        iteration.roundsPerIteration = 1.0 / training.localSteps;
    if (cluster.architecture == Architecture::AllReduce) {
        iteration.allreduce = allReduceExchange(iteration.network, cluster.allreduce, iteration.exchangedBytes);
        return;
    }
    iteration.pull = serverExchange(iteration.network, iteration.gradientBytes);
    iteration.push = serverExchange(iteration.network, iteration.exchangedBytes);
    const double delay_s = iteration.slowestCompute_s() - iteration.compute_s();
    iteration.pushEnds = delayedPush(iteration.network, iteration.exchangedBytes, iteration.slowWorkers, delay_s);
    if (cluster.serverAggregationBytePerS > 0) {
        const double summed = iteration.network.workers * iteration.gradientBytes / iteration.network.servers;
        iteration.aggregate_s = summed / cluster.serverAggregationBytePerS;
    }
}

}  // namespace

double Iteration::exchange_s() const {
    return roundsPerIteration * (pull.total_s() + pushEnds.slow_s + allreduce.total_s() + aggregate_s);
}

double Iteration::withLoading_s(double path_s) const { return loadsAhead ? std::max(load_s, path_s) : load_s + path_s; }

double Iteration::alone_s() const {
    return loadsAhead ? std::max(loadAlone_s, compute_s()) : loadAlone_s + compute_s();
}

double Iteration::iteration_s() const {
    if (communicates || slowWorkers == 0) return withLoading_s(path_s());
    const int fast = network.workers - slowWorkers;
    const double rate = fast / withLoading_s(compute_s()) + slowWorkers / withLoading_s(slowestCompute_s());
    return network.workers / rate;
}

Result<void> checkModelled(const Experiment& experiment) {
    const ClusterSettings& cluster = experiment.cluster;
    const TrainingSettings& training = experiment.training;
    const auto notYet = [](std::string_view key) { return fail(fmt::format("not available yet: {}", key)); };
    if (cluster.devicesPerNode != 1) return notYet("cluster.devices_per_node");
    if (cluster.nodesPerRack != 0) return notYet("cluster.nodes_per_rack");
    if (cluster.allreduce == AllReduceAlgorithm::Hierarchical) return notYet("cluster.allreduce = hierarchical");
    if (cluster.overlap) return notYet("cluster.overlap");
    if (cluster.sharding != Sharding::Bytes) return notYet("cluster.sharding");
    if (cluster.computeJitter != 0) return notYet("cluster.compute_jitter");
    if (cluster.zeroStage != 0) return notYet("cluster.zero_stage");
    if (cluster.activationRecomputation) return notYet("cluster.activation_recomputation");
    if (!cluster.nodeOverrides.empty()) return notYet("cluster.node_overrides");
    if (training.backupWorkers != 0) return notYet("training.backup_workers");
    if (training.compression == Compression::TopK) return notYet("training.compression = top-k");
    if (training.synchronization == SynchronizationKind::StaleSynchronous ||
        training.synchronization == SynchronizationKind::Asynchronous) {
        return notYet("training.synchronization = stale-synchronous and asynchronous");
    }
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
    const Result<ModelTotals> totals =
        iteration.model->totals({.resolutionPx = workload.resolutionPx.value_or(iteration.dataset->resolutionPx),
                                 .sequenceLength = workload.sequenceLength.value_or(0)});
    if (!totals) return tl::unexpected(totals.error());

    iteration.batch = experiment.training.batchPerWorker;
    iteration.memory =
        memoryModel(*totals, workload.precision, experiment.training.optimizer, iteration.device->memoryBytes);
    iteration.gradientBytes = iteration.memory.fixed.gradientsBytes;
    // Local SGD averages parameters, which are not compressed.
    const bool compresses = experiment.training.compression == Compression::Fp16 &&
                            experiment.training.synchronization != SynchronizationKind::LocalSgd;
    iteration.exchangedBytes =
        compresses ? std::min(iteration.gradientBytes, kBytesOfFp16 * totals->parameters) : iteration.gradientBytes;
    iteration.loadsAhead = experiment.cluster.prefetchBatches > 0;
    iteration.load_s = loadTime_s(experiment.cluster, iteration, iteration.network.workers);
    iteration.loadAlone_s = loadTime_s(experiment.cluster, iteration, 1);
    addCompute(experiment, *totals, iteration);
    addCommunication(experiment, iteration);
    return iteration;
}

}  // namespace lockstep
