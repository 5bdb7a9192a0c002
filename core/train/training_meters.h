#pragma once

#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "base/state_archive.h"
#include "base/thread_pool.h"
#include "data/partition.h"
#include "data/training_images.h"
#include "experiment/experiment.h"
#include "nn/network.h"
#include "train/divergence_meter.h"
#include "train/full_gradient_meter.h"
#include "train/meters.h"
#include "train/noise_scale_meter.h"
#include "train/run_plan.h"
#include "train/snapshot.h"
#include "train/worker.h"

namespace lockstep {

/// Everything that looks at a run's gradients and replicas without changing them, and writes what it sees into
/// snapshots. What an experiment makes meaningless stays not a number: the noise scale of compressed gradients or of
/// whole shards, and anything that compares the gradients of differing models.
class TrainingMeters {
public:
    /// What is passed in outlives the meters.
    TrainingMeters(const Experiment& experiment, const RunPlan& plan, const Network& network,
                   const TrainingImages& images, const Partition& partition, ThreadPool& pool);

    void setEnabled(const Meters& meters);
    /// Looks at gradients where strategies have them.
    [[nodiscard]] NoiseScaleMeter& noiseScale() { return m_noiseScale; }
    /// Once for each update, when all gradients are there and none is applied. False when stopped; then again.
    [[nodiscard]] bool observeGradients(std::span<const Worker> workers, long long update, std::stop_token stop);

    void addGradients(Snapshot& snapshot, std::vector<ReplicaState>& states) const;
    /// Distances and places of replicas, trained parts only, for a snapshot with its progress. When stopped, and where
    /// they are sampled and it is not time (never so at the end), those of before.
    void addDivergence(Snapshot& snapshot, std::vector<ReplicaState>& states,
                       std::span<const std::span<const float>> replicas, bool atEnd, std::stop_token stop);
    /// The same where replicas are identical by construction.
    void addNoDivergence(Snapshot& snapshot) const;
    /// What is smoothed over steps. Replicas of a restored run are measured anew at its next snapshot.
    void archive(StateArchive& archive);
    /// The replicas' mean; nothing when stopped.
    [[nodiscard]] std::optional<FloatVector> average(std::span<const std::span<const float>> replicas,
                                                     std::stop_token stop) const;

private:
    /// Whether training has done enough since the last measurement for the next one to be cheap beside it.
    [[nodiscard]] bool divergenceDue(long long samplesSeen, std::size_t replicas) const;
    void keepMeasured(DivergenceMeter::Measured measured, const Snapshot& snapshot);

    /// The newest measurement.
    struct Kept {
        Divergence divergence;
        std::vector<LayerDivergence> layers;
        std::vector<ReplicaPlace> places;
        long long step = 0, samplesSeen = 0;
    };

    Meters m_enabled;
    NoiseScaleMeter m_noiseScale;
    std::optional<FullGradientMeter> m_fullGradients;
    long long m_observedUpdate = -1;
    std::vector<std::string> m_layerNames;
    DivergenceMeter m_divergence;
    double m_flopPerSample;
    double m_parameters;
    std::optional<Kept> m_kept;
};

/// The trained layers in layout order: "conv1", ... and where their parameters are.
struct NamedLayer {
    std::string name;
    IndexRange range;
};
[[nodiscard]] std::vector<NamedLayer> trainedLayers(const Network& network);

}  // namespace lockstep
