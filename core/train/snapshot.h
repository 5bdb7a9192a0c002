#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "experiment/experiment.h"
#include "train/cluster_health.h"
#include "train/traffic.h"

namespace lockstep {

inline constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();

/// How far the replicas' parameters are apart. Exactly zero while they are bit-identical.
struct Divergence {
    double meanDistanceToAverage = 0;              ///< mean over replicas of |w_i - w_mean|, Euclidean
    double maxPairwiseDistance = 0;                ///< largest |w_i - w_j|
    double relative = 0;                           ///< meanDistanceToAverage / |w_mean|
    double predictionDisagreement = kNotMeasured;  ///< share of test samples on which at least two replicas disagree
    double shownShare = kNotMeasured;              ///< of the replicas' squared distances: what their places show, 0..1
    std::optional<long long> heldSinceStep{};  ///< when not measured at this step: the step that the figures are from
    int planeVersion = 0;  ///< changes when the plane of their places does (ReplicaPlane); 0 before one is fixed
};

/// Divergence within one layer.
struct LayerDivergence {
    std::string layer;                 ///< "conv1", "dense1", ...
    double meanDistanceToAverage = 0;  ///< mean over replicas of |w_i - w_mean|, this layer's parameters only
    double relative = 0;               ///< to the norm of the layer's average
};

/// How much the workers' gradients of one update scatter, as the squared Euclidean norm of a deviation: the trace of
/// the covariance. Smoothed over updates.
struct GradientVariance {
    double before = kNotMeasured;  ///< of one worker's gradient around the workers' mean
    double after = kNotMeasured;   ///< of the mean that is applied
};

/// How far a worker's full gradient is from the true one, that of all workers' samples.
struct ShardGradient {
    double relativeError = kNotMeasured;  ///< |g_i - g| / |g|
    double angleDeg = kNotMeasured;       ///< between g_i and g, 0..180
};

/// training.gradient = full: why no worker can do it alone, and all together can.
struct FullGradients {
    ShardGradient mean, largest;  ///< over the workers
    /// |sum of n_i/n g_i - g| / |g|, with g computed in one go over all samples: rounding. Sampled.
    double weightedMeanError = kNotMeasured;
};

struct Staleness {
    double mean = 0, max = 0;  ///< updates between a gradient's pull and its application
};

/// What one worker, and its replica, has come to. Times are since the run began; each says which clock it is on.
struct ReplicaState {
    float x = 0, y = 0;                  ///< of w_i - w_mean, in the plane of the largest differences (ReplicaPlane)
    double loss = kNotMeasured;          ///< its last mini-batch loss
    double testAccuracy = kNotMeasured;  ///< 0..1, when last tested
    BytesMoved bytes;
    double compute_s =
        kNotMeasured;  ///< measured: seconds that this computer's threads, added up, took for its gradients
    double communication_s = kNotMeasured;  ///< measured: this computer's wall clock, exchanges that it took part in
    double waitingShare = kNotMeasured;     ///< modelled: of the modelled time, spent waiting for other workers, 0..1
    ShardGradient shardGradient;            ///< training.gradient = full
};

/// The state of a run after a step. Measured, never modelled, except `modelled_s`. Fractions are 0..1; what was not
/// measured at this step is NaN. Immutable once published.
struct Snapshot {
    long long step = 0;
    double epoch = 0;
    long long samplesSeen = 0;
    double wall_s = 0;           ///< on this computer, pauses excluded
    double modelled_s = 0;       ///< on the described cluster
    double loss = kNotMeasured;  ///< mean mini-batch loss since the snapshot before
    double trainAccuracy = kNotMeasured;
    double testAccuracy = kNotMeasured;
    double testLoss = kNotMeasured;
    double averageModelTestAccuracy = kNotMeasured;  ///< of the replicas' average; without synchronization
    double learningRate = 0;
    Divergence divergence;
    double gradientNoiseScale = kNotMeasured;       ///< samples
    double gradientNoiseScaleError = kNotMeasured;  ///< samples, one standard error
    double suggestedGlobalBatch = kNotMeasured;     ///< samples, see suggestedGlobalBatch()
    GradientVariance gradientVariance;
    FullGradients fullGradients;
    Staleness staleness;
    double measuredSamplesPerS = kNotMeasured;
    /// What all input pipelines together can deliver on this computer, since the snapshot before: by what making the
    /// batches took and by what the limit asked for, whichever is less.
    double loadingSamplesPerS = kNotMeasured;
    double loadingBlockedShare = kNotMeasured;  ///< of the time of training, waited for samples, 0..1
    double bytesSent = 0;                       ///< by all workers and servers together, since the start
    // A run's history keeps these only in the newest.
    std::vector<ReplicaState> replicas;  ///< by rank, at most 256
    std::vector<BytesMoved> servers;     ///< empty without parameter servers
    std::vector<LayerDivergence> layers;
    ClusterHealth health;
    std::string waitingFor;   ///< machines without which nothing goes on; empty while it does
    int restarts = 0;         ///< from checkpoints, since the start
    long long lostSteps = 0;  ///< undone by them
};

/// Waiting: for a machine that is paused or dead.
enum class RunState { Preparing, Running, Paused, Waiting, Done, Stopped, Diverged, Failed };
/// "preparing", "running", ..., the contract's words for outcomes.
[[nodiscard]] const char* runStateName(RunState state);

/// What a run leaves behind.
struct RunResult {
    RunState outcome = RunState::Done;  ///< Done, Stopped, Diverged or Failed
    std::string error;                  ///< one line when Failed
    std::optional<long long> divergedAtStep;
    Snapshot last;
    std::uint64_t parametersHash = 0;  ///< of replica 0, or of the servers' parameters
    std::vector<std::uint64_t> parametersHashPerReplica;
};

}  // namespace lockstep
