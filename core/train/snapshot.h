#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "experiment/experiment.h"
#include "train/cluster_health.h"

namespace lockstep {

inline constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();

/// How far the replicas' parameters are apart. Exactly zero while they are bit-identical.
struct Divergence {
    double meanDistanceToAverage = 0;              ///< mean over replicas of |w_i - w_mean|, Euclidean
    double maxPairwiseDistance = 0;                ///< largest |w_i - w_j|
    double relative = 0;                           ///< meanDistanceToAverage / |w_mean|
    double predictionDisagreement = kNotMeasured;  ///< share of test samples on which at least two replicas disagree
};

struct Staleness {
    double mean = 0, max = 0;  ///< updates between a gradient's pull and its application
};

/// One replica's place in the plane of its fixed projection, for the replica view.
struct ReplicaState {
    float x = 0, y = 0;                  ///< projection of w_i - w_mean on two fixed random directions
    double loss = kNotMeasured;          ///< its last mini-batch loss
    double testAccuracy = kNotMeasured;  ///< 0..1, when last tested
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
    double gradientNoiseScale = kNotMeasured;  ///< samples
    Staleness staleness;
    double measuredSamplesPerS = kNotMeasured;
    /// What all input pipelines together can deliver on this computer, since the snapshot before: by what making the
    /// batches took and by what the limit asked for, whichever is less.
    double loadingSamplesPerS = kNotMeasured;
    double loadingBlockedShare = kNotMeasured;  ///< of the time of training, waited for samples, 0..1
    double bytesSent = 0;                       ///< by all workers and servers together, since the start
    std::vector<ReplicaState> replicas;         ///< at most 256
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
