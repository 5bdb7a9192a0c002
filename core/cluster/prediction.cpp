#include "cluster/prediction.h"

#include <algorithm>
#include <cmath>

#include "cluster/iteration.h"
#include "cluster/link_use.h"

namespace lockstep {

namespace {

constexpr double kBitsPerByte = 8;

Breakdown breakdownOf(const Iteration& iteration, double iteration_s) {
    const double rounds = iteration.roundsPerIteration;
    Breakdown parts;
    parts.load_s = iteration.load_s;
    parts.pull_s = rounds * iteration.pull.total_s();
    parts.push_s = rounds * iteration.pushEnds.slow_s;
    parts.allreduce_s = rounds * iteration.allreduce.total_s();
    parts.aggregate_s = rounds * iteration.aggregate_s;
    parts.exposedCommunication_s = parts.pull_s + parts.push_s + parts.allreduce_s;
    const int workers = iteration.network.workers;
    const bool allSlow = iteration.slowWorkers == workers;
    const double typical_s = allSlow ? iteration.slowestCompute_s() : iteration.compute_s();
    parts.idle_s = std::max(0.0, iteration_s - typical_s);
    parts.compute_s = iteration.slowestCompute_s();
    if (!iteration.waits && iteration.slowWorkers > 0 && !allSlow) {
        // Nobody waits for anybody: the time in which the average worker trains a batch.
        const int fast = workers - iteration.slowWorkers;
        parts.compute_s = workers / (fast / typical_s + iteration.slowWorkers / iteration.slowestCompute_s());
        parts.idle_s = std::max(0.0, iteration.ownLoop_s(false) - typical_s);
    }
    return parts;
}

struct Share {
    Bottleneck resource;
    double seconds;
};

Share largestShare(const Iteration& iteration, const Breakdown& parts, double iteration_s) {
    const double path_s = parts.compute_s + iteration.exchange_s();
    const bool loadingHidesAll = iteration.loadsAhead && iteration.load_s > path_s;
    if (loadingHidesAll) return {Bottleneck::DataLoading, iteration_s};
    const bool someSlow = iteration.slowCounted() > 0 && iteration.slowWorkers < iteration.network.workers;
    const double waiting_s = someSlow && iteration.waits ? iteration.slowestCompute_s() - iteration.compute_s() : 0;
    const bool sumsHidden = iteration.sumsBeside && iteration.aggregate_s < iteration_s;
    const Bottleneck link = parts.allreduce_s > 0 ? iteration.allreduce.limit : iteration.push.limit;
    Share largest{Bottleneck::Compute, parts.compute_s - waiting_s};
    const Share others[] = {{link, parts.exposedCommunication_s},
                            {Bottleneck::ServerAggregation, sumsHidden ? 0 : parts.aggregate_s},
                            {Bottleneck::Straggler, waiting_s},
                            {Bottleneck::DataLoading, iteration.loadsAhead ? 0 : parts.load_s}};
    for (const Share& share : others) {
        if (share.seconds > largest.seconds) largest = share;
    }
    return largest;
}

void addTimes(const Iteration& iteration, Prediction& prediction) {
    const double iteration_s = iteration.iteration_s();
    const double workers = iteration.network.workers;
    const double samples = iteration.counted() * iteration.batch;
    const double dealt = workers * iteration.batch;
    prediction.iterationTime_s = iteration_s;
    prediction.throughputSamplesPerS = samples / iteration_s;
    prediction.scalingEfficiency = iteration.alone_s() / iteration_s * iteration.counted() / workers;
    prediction.epochTime_s = iteration.dataset->samples * iteration_s / dealt;
    prediction.breakdown = breakdownOf(iteration, iteration_s);
    prediction.trainingBandwidthSamplesPerS = dealt / prediction.breakdown.compute_s;
    if (iteration.load_s > 0) prediction.loadingBandwidthSamplesPerS = dealt / iteration.load_s;
    const auto rate = [](const ExchangeCost& exchange) -> std::optional<double> {
        if (exchange.transfer_s <= 0) return std::nullopt;
        return kBitsPerByte * exchange.workerBytes / exchange.transfer_s;
    };
    prediction.pullBandwidthPerWorkerBitPerS = rate(iteration.pull);
    prediction.pushBandwidthPerWorkerBitPerS = rate(iteration.push);
    const Share share = largestShare(iteration, prediction.breakdown, iteration_s);
    prediction.bottleneck = share.resource;
    prediction.bottleneckShare = std::clamp(share.seconds / iteration_s, 0.0, 1.0);
    prediction.links = linkUses(iteration, prediction.experiment.cluster.allreduce, iteration_s);
}

}  // namespace

std::string_view bottleneckName(Bottleneck bottleneck) {
    switch (bottleneck) {
        case Bottleneck::Compute:
            return "compute";
        case Bottleneck::DataLoading:
            return "data-loading";
        case Bottleneck::WorkerLink:
            return "worker-link";
        case Bottleneck::ServerLink:
            return "server-link";
        case Bottleneck::Fabric:
            return "fabric";
        case Bottleneck::ServerAggregation:
            return "server-aggregation";
        case Bottleneck::Memory:
            return "memory";
        case Bottleneck::Straggler:
            return "straggler";
    }
    return "compute";
}

Result<Prediction> predict(const Experiment& experiment, const Catalogue& catalogue) {
    const Result<Iteration> iteration = iterationOf(experiment, catalogue);
    if (!iteration) return tl::unexpected(iteration.error());
    Prediction prediction;
    prediction.experiment = experiment;
    prediction.workers = iteration->network.workers;
    prediction.servers = iteration->network.servers;
    prediction.globalBatch = static_cast<long long>(iteration->counted()) * experiment.training.batchPerWorker;
    prediction.memory = iteration->memory.at(iteration->batch);
    prediction.maxBatchPerWorker = iteration->memory.largestBatch();
    prediction.fits = prediction.maxBatchPerWorker >= experiment.training.batchPerWorker;
    if (prediction.fits) {
        addTimes(*iteration, prediction);
        if (!std::isfinite(*prediction.iterationTime_s) || !(*prediction.throughputSamplesPerS > 0))
            return fail(
                "one iteration would take longer than can be computed: cluster.link_bandwidth_bit_per_s, "
                "cluster.loader_samples_per_s or cluster.storage_bandwidth_bit_per_s is too small, or "
                "cluster.straggler_slowdown or cluster.link_latency_s too large");
    } else {
        prediction.bottleneck = Bottleneck::Memory;
        prediction.bottleneckShare = 1;
    }
    return prediction;
}

}  // namespace lockstep
