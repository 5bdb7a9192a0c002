#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "cluster/prediction.h"

namespace lockstep {

namespace {

/// A change of the experiment that might relieve it, and its words: "twice the link".
struct Relief {
    std::string change;
    Experiment experiment;
};

struct Gain {
    std::string change;
    double ratio = 1;  ///< of throughputs
};

std::string headlineOf(const Prediction& prediction) {
    switch (prediction.bottleneck) {
        case Bottleneck::Compute:
            return "Bound by the devices' arithmetic.";
        case Bottleneck::DataLoading:
            return "Bound by loading the data.";
        case Bottleneck::WorkerLink:
            return "Bound by the workers' links.";
        case Bottleneck::ServerLink:
            return prediction.servers == 1 ? "Bound by the server's link." : "Bound by the servers' links.";
        case Bottleneck::Fabric:
            return "Bound by the switch between the nodes.";
        case Bottleneck::ServerAggregation:
            return "Bound by what the servers can sum.";
        case Bottleneck::Memory:
            return "Does not fit.";
        case Bottleneck::Straggler:
            return "Held up by slow workers.";
    }
    return {};
}

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

std::string shareOf(const Prediction& prediction) {
    const std::string share = percent(prediction.bottleneckShare);
    switch (prediction.bottleneck) {
        case Bottleneck::Compute:
            return fmt::format("Devices compute {} of each iteration", share);
        case Bottleneck::DataLoading: {
            const double waiting = prediction.breakdown.idle_s / prediction.iterationTime_s.value_or(1);
            return fmt::format("Devices stand idle {} of each iteration", percent(waiting));
        }
        case Bottleneck::WorkerLink:
            return fmt::format("Workers exchange gradients for {} of each iteration", share);
        case Bottleneck::ServerLink:
            return fmt::format("Workers wait for {} {} of each iteration", prediction.servers == 1 ? "it" : "them",
                               share);
        case Bottleneck::Fabric:
            return fmt::format("Traffic through it takes {} of each iteration", share);
        case Bottleneck::ServerAggregation:
            return fmt::format("Workers wait for it {} of each iteration", share);
        case Bottleneck::Straggler:
            return fmt::format("The others wait for them {} of each iteration", share);
        case Bottleneck::Memory:
            break;
    }
    return {};
}

class ReliefList {
public:
    explicit ReliefList(const Prediction& prediction) : m_prediction(prediction), m_base(prediction.experiment) {}

    std::vector<Relief> take() {
        switch (m_prediction.bottleneck) {
            case Bottleneck::Compute:
                compute();
                break;
            case Bottleneck::DataLoading:
                loading();
                break;
            case Bottleneck::ServerLink:
                servers();
                link();
                break;
            case Bottleneck::WorkerLink:
                link();
                algorithm();
                largerBatch();
                break;
            case Bottleneck::Fabric:
                fabric();
                break;
            case Bottleneck::ServerAggregation:
                aggregation();
                break;
            case Bottleneck::Straggler:
                stragglers();
                break;
            case Bottleneck::Memory:
                break;
        }
        return std::move(m_reliefs);
    }

private:
    template <class Change>
    void add(std::string words, Change change) {
        Experiment changed = m_base;
        change(changed);
        m_reliefs.push_back({std::move(words), std::move(changed)});
    }

    void servers() {
        constexpr int kMore = 2;
        const bool fixed = m_base.cluster.fixedNodes > 0;
        const int more = fixed ? 1 : kMore;
        add(fixed ? "one worker turned into a server" : "two more servers",
            [&](Experiment& e) { e.cluster.servers = m_prediction.servers + more; });
        if (m_base.cluster.sharding == Sharding::Tensors)
            add("equal slices instead of whole tensors", [](Experiment& e) { e.cluster.sharding = Sharding::Bytes; });
        add("a ring all-reduce instead", [](Experiment& e) {
            e.cluster.architecture = Architecture::AllReduce;
            e.cluster.allreduce = AllReduceAlgorithm::Ring;
        });
    }
    void link() {
        add("twice the link", [](Experiment& e) { e.cluster.linkBandwidthBitPerS *= 2; });
    }
    void algorithm() {
        if (m_base.cluster.architecture != Architecture::AllReduce) return;
        if (m_base.cluster.linkLatencyS > 0) {
            add("half the latency", [](Experiment& e) { e.cluster.linkLatencyS /= 2; });
        }
        const bool gathers = m_base.training.compression == Compression::TopK &&
                             m_base.training.synchronization == SynchronizationKind::BulkSynchronous;
        if (gathers) return;  // whatever the algorithm
        for (const auto& [algorithm, words] :
             {std::pair{AllReduceAlgorithm::Ring, "a ring instead"},
              std::pair{AllReduceAlgorithm::HalvingDoubling, "halving-doubling instead"}}) {
            if (m_base.cluster.allreduce == algorithm) continue;
            add(words, [&, chosen = algorithm](Experiment& e) { e.cluster.allreduce = chosen; });
        }
    }
    void largerBatch() {
        if (m_prediction.maxBatchPerWorker < 2LL * m_base.training.batchPerWorker) return;
        add("twice the batch", [](Experiment& e) { e.training.batchPerWorker *= 2; });
    }
    void compute() {
        if (m_base.cluster.architecture == Architecture::SingleNode) {
            add("a second worker by all-reduce", [](Experiment& e) {
                e.cluster.architecture = Architecture::AllReduce;
                e.cluster.workers = 2;
                e.cluster.fixedNodes = 0;
            });
        } else if (m_base.cluster.fixedNodes > 0) {
            if (m_prediction.servers > 1) {
                add("one server turned into a worker", [](Experiment& e) { --e.cluster.servers; });
            }
        } else {
            add("twice the workers", [&](Experiment& e) { e.cluster.workers = 2 * m_prediction.workers; });
        }
        if (m_base.workload.precision == Precision::Fp32) {
            add("fp16 arithmetic", [](Experiment& e) { e.workload.precision = Precision::Fp16; });
        }
    }
    void loading() {
        if (m_base.cluster.loaderSamplesPerS > 0) {
            add("twice the loader", [](Experiment& e) { e.cluster.loaderSamplesPerS *= 2; });
        }
        if (m_base.cluster.storageBandwidthBitPerS > 0) {
            add("twice the storage", [](Experiment& e) { e.cluster.storageBandwidthBitPerS *= 2; });
        }
        if (m_base.cluster.prefetchBatches == 0) {
            add("loading ahead", [](Experiment& e) { e.cluster.prefetchBatches = 1; });
        }
    }
    void fabric() {
        add("a switch without oversubscription", [](Experiment& e) { e.cluster.oversubscription = 1; });
        link();
    }
    void aggregation() {
        servers();
        add("twice the summing rate", [](Experiment& e) { e.cluster.serverAggregationBytePerS *= 2; });
    }
    void stragglers() {
        add("equal workers", [](Experiment& e) { e.cluster.stragglerCount = 0; });
        if (m_base.cluster.stragglerSlowdown > 2) {
            add("half the slowdown", [](Experiment& e) { e.cluster.stragglerSlowdown /= 2; });
        }
    }

    const Prediction& m_prediction;
    const Experiment& m_base;
    std::vector<Relief> m_reliefs;
};

/// What each change would really give, the best first; what cannot be predicted or does not fit is left out.
std::vector<Gain> gainsOf(const Prediction& prediction, const Catalogue& catalogue) {
    std::vector<Gain> gains;
    const double before = prediction.throughputSamplesPerS.value_or(0);
    if (before <= 0) return gains;
    for (Relief& relief : ReliefList(prediction).take()) {
        const Result<Prediction> after = predict(relief.experiment, catalogue);
        if (!after || !after->throughputSamplesPerS) continue;
        gains.push_back({std::move(relief.change), *after->throughputSamplesPerS / before});
    }
    std::stable_sort(gains.begin(), gains.end(), [](const Gain& a, const Gain& b) { return a.ratio > b.ratio; });
    return gains;
}

/// "+79 %", or "10 times as much" where a percentage would be hard to read.
std::string gainText(double ratio) {
    constexpr double kReadAsMultiple = 4;
    if (ratio >= kReadAsMultiple) return fmt::format("{:.3g} times the throughput", ratio);
    return fmt::format("{:+.0f} %", 100 * (ratio - 1));
}

std::string gainsText(const std::vector<Gain>& gains) {
    constexpr double kWorthwhile = 1.005;
    if (gains.empty()) return ".";
    const Gain& best = gains.front();
    if (best.ratio < kWorthwhile) return fmt::format("; not even {} would speed it up.", best.change);
    std::string text = fmt::format("; {} would give {}", best.change, gainText(best.ratio));
    if (text.ends_with('%')) text += " throughput";
    if (gains.size() > 1 && gains[1].ratio >= kWorthwhile) {
        text += fmt::format(", {} {}", gains[1].change, gainText(gains[1].ratio));
    }
    return text + ".";
}

std::string memoryText(const Prediction& prediction) {
    const MemoryUse& memory = prediction.memory;
    const std::string need =
        fmt::format("A batch of {} needs {}, the device has {}", prediction.experiment.training.batchPerWorker,
                    formatQuantity(memory.totalBytes(), "B"), formatQuantity(memory.capacityBytes, "B"));
    if (prediction.maxBatchPerWorker > 0) {
        return fmt::format("{}; the largest batch is {}.", need, prediction.maxBatchPerWorker);
    }
    const double fixed = memory.parametersBytes + memory.gradientsBytes + memory.optimizerBytes;
    if (fixed > memory.capacityBytes) {
        return fmt::format("{}; parameters, gradients and optimizer alone take {}.", need, formatQuantity(fixed, "B"));
    }
    return need + "; not even one sample fits.";
}

}  // namespace

Explanation explain(const Prediction& prediction, const Catalogue& catalogue) {
    Explanation explanation;
    explanation.headline = headlineOf(prediction);
    explanation.detail =
        prediction.fits ? shareOf(prediction) + gainsText(gainsOf(prediction, catalogue)) : memoryText(prediction);
    return explanation;
}

}  // namespace lockstep
