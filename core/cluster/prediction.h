#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "catalogue/catalogue.h"
#include "experiment/experiment.h"

namespace lockstep {

enum class Bottleneck { Compute, DataLoading, WorkerLink, ServerLink, Fabric, ServerAggregation, Memory, Straggler };
/// The contract's word: "server-link".
[[nodiscard]] std::string_view bottleneckName(Bottleneck bottleneck);

/// Where an iteration's time goes, in seconds; with local SGD communication is spread over the local steps. Zero where
/// a phase does not occur. compute_s is that of the slowest worker that is waited for (where nobody waits: the average
/// worker's). aggregate_s is the servers' work, waited for or, with a staleness bound above 0, not. update_s
/// is zero: the efficiency of a device is fitted to whole training steps, and so contains the update.
struct Breakdown {
    double load_s = 0, compute_s = 0, pull_s = 0, push_s = 0, allreduce_s = 0, aggregate_s = 0, update_s = 0;
    double exposedCommunication_s = 0;  ///< communication that nothing hides
    double idle_s = 0;                  ///< a worker's device waits this long for anything (one that is not slow)
};

/// Bytes on one device that holds a replica.
struct MemoryUse {
    double parametersBytes = 0, gradientsBytes = 0, optimizerBytes = 0, activationsBytes = 0, workspaceBytes = 0;
    double capacityBytes = 0;
    [[nodiscard]] double totalBytes() const {
        return parametersBytes + gradientsBytes + optimizerBytes + activationsBytes + workspaceBytes;
    }
};

/// The use of a kind of link: all of a symmetric cluster's worker links are alike, and so are its servers'.
struct LinkUse {
    std::string node;  ///< "worker 1..8", "server 1..2"
    int count = 1;     ///< how many links this stands for
    bool outgoing = true;
    double bytes = 0;         ///< per iteration; the mean where these links differ (tree, halving-doubling)
    double busyFraction = 0;  ///< of the iteration, 0..1
};

/// One span of the modelled iteration. Times in seconds from the iteration's start.
struct TimelineSpan {
    enum class Kind { Load, Forward, Backward, Pull, Push, AllReduce, Aggregate, Update, Wait };
    int lane = 0;  ///< index into Timeline::lanes
    Kind kind = Kind::Wait;
    double start_s = 0, end_s = 0;
};

/// One lane per device or server; a lane may stand for `count` equal ones.
struct TimelineLane {
    std::string name;  ///< "Worker 1", "Workers 3..64"
    int count = 1;
    bool server = false;
};

struct Timeline {
    std::vector<TimelineLane> lanes;
    std::vector<TimelineSpan> spans;  ///< by lane, then by start
    double duration_s = 0;
};

/// What the modelled cluster does with an experiment. Modelled, never measured; a pure function of the experiment.
/// Where the batch does not fit a device, `fits` is false and every time and rate is empty.
struct Prediction {
    Experiment experiment;
    int workers = 1, servers = 0;
    long long globalBatch = 0;
    bool fits = true;
    long long maxBatchPerWorker = 0;  ///< 0: not even one sample fits
    std::optional<double> iterationTime_s, throughputSamplesPerS, scalingEfficiency, epochTime_s;
    std::optional<double> pullBandwidthPerWorkerBitPerS, pushBandwidthPerWorkerBitPerS;
    std::optional<double> loadingBandwidthSamplesPerS;   ///< what the input pipelines deliver; empty when unlimited
    std::optional<double> trainingBandwidthSamplesPerS;  ///< what the devices alone would train
    Breakdown breakdown;
    Bottleneck bottleneck = Bottleneck::Compute;
    double bottleneckShare = 0;  ///< of the iteration, 0..1
    MemoryUse memory;
    std::vector<LinkUse> links;
};

/// Predicts one iteration. Thread-safe and pure. Fails with one line for an experiment that is invalid, names what the
/// catalogue does not have, or asks for what is not modelled yet. Closed forms: see cluster/communication.h and
/// cluster/iteration.h; memory: cluster/memory.h. A model keeps its own channels and classes whatever the dataset.
/// Scaling efficiency compares with one such device that trains alone, with its own loader and all of the storage.
/// All-reduce begins when the last worker's gradients are there. With backup workers, global batch and throughput count
/// the samples whose gradients are applied; an epoch still deals every worker its part.
[[nodiscard]] Result<Prediction> predict(const Experiment& experiment, const Catalogue& catalogue);

/// The same iteration as lanes and spans; empty when the batch does not fit. At most `maxLanes` lanes: equal workers
/// beyond them are merged into lanes with a count.
[[nodiscard]] Result<Timeline> predictTimeline(const Experiment& experiment, const Catalogue& catalogue,
                                               int maxLanes = 24);

/// What the prediction says in plain words: what limits, how much, and which change would relieve it by how much
/// (computed by predicting that change). `headline` is the first, emphasized clause.
struct Explanation {
    std::string headline;  ///< "Bound by the servers' links."
    std::string detail;    ///< "Workers wait for them 88 % of each iteration; two more servers would give +79 %."
};
[[nodiscard]] Explanation explain(const Prediction& prediction, const Catalogue& catalogue);

}  // namespace lockstep
