#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "train/checkpoint.h"
#include "train/curve.h"
#include "train/snapshot.h"

namespace lockstep {

/// What other threads may see of a run.
class PublishedRun {
public:
    void setState(RunState state);
    void add(std::shared_ptr<const Snapshot> snapshot);
    void setCheckpoints(std::vector<std::shared_ptr<const Checkpoint>> checkpoints);
    void end(RunResult result);

    /// Whether the run has ended within that time.
    [[nodiscard]] bool awaitEnd(std::chrono::milliseconds patience) const;
    [[nodiscard]] RunState state() const;
    [[nodiscard]] std::shared_ptr<const Snapshot> latest() const;
    /// Copied at most once for each snapshot.
    [[nodiscard]] std::shared_ptr<const std::vector<Snapshot>> history() const;
    [[nodiscard]] std::vector<std::shared_ptr<const Checkpoint>> checkpoints() const;
    [[nodiscard]] std::shared_ptr<const RunResult> result() const;

private:
    mutable std::mutex m_mutex;
    mutable std::condition_variable m_ended;
    RunState m_state = RunState::Preparing;
    Curve m_curve;
    std::shared_ptr<const Snapshot> m_latest;
    mutable std::shared_ptr<const std::vector<Snapshot>> m_history;
    std::vector<std::shared_ptr<const Checkpoint>> m_checkpoints;
    std::shared_ptr<const RunResult> m_result;
};

}  // namespace lockstep
