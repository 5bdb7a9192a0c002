#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "experiment/experiment.h"
#include "nn/float_vector.h"
#include "train/run_plan.h"
#include "train/snapshot.h"

namespace lockstep {

/// A run between two steps, in memory: enough to go on with the same bits, or to begin another run with what this one
/// has learnt. Immutable.
struct Checkpoint {
    Experiment experiment;
    long long step = 0;
    double epoch = 0;
    std::vector<std::byte> state;  ///< everything that later steps depend on
    Snapshot last;                 ///< the newest when it was made, with the counts and clocks of the checkpoint's step
    // For runs with other settings.
    int workers = 1;
    std::size_t replicas = 1;             ///< 1 where all workers share one
    FloatVector model;                    ///< the servers' parameters, or the replicas' average
    FloatVector firstState, secondState;  ///< of the optimizer over the whole vector; zero where it has none

    [[nodiscard]] double bytes() const;
    void readReplica(std::size_t replica, std::span<float> parameters) const;
};

/// Whether a run of `next` can go on from one of `from` after `step` steps. One line where it cannot.
[[nodiscard]] Result<void> checkBranch(const Experiment& from, const Experiment& next, long long step);
/// How many steps such a run has before it: what its epochs leave after those done, in its own steps. Below 1: none.
[[nodiscard]] long long stepsLeft(const Checkpoint& checkpoint, const TrainingSettings& training, const RunPlan& plan);

/// The checkpoints that a run keeps, within a number of bytes: when they are more, every second one goes, the newest
/// never, and from then on they are made half as often.
class CheckpointStore {
public:
    /// `every` steps; 0: none. `mostBytes` for all of them together.
    CheckpointStore(int every, double mostBytes) : m_every(every), m_mostBytes(mostBytes) {}

    /// Whether one should be made after this many steps.
    [[nodiscard]] bool due(long long step) const { return m_every > 0 && step % m_every == 0; }
    void add(std::shared_ptr<const Checkpoint> checkpoint);
    /// Null when there is none.
    [[nodiscard]] std::shared_ptr<const Checkpoint> newest() const;
    [[nodiscard]] const std::vector<std::shared_ptr<const Checkpoint>>& all() const { return m_checkpoints; }
    [[nodiscard]] double mostBytes() const { return m_mostBytes; }

private:
    long long m_every;
    double m_mostBytes;
    std::vector<std::shared_ptr<const Checkpoint>> m_checkpoints;  ///< oldest first
};

}  // namespace lockstep
