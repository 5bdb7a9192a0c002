#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "data/dataset.h"
#include "experiment/experiment.h"
#include "train/checkpoint.h"
#include "train/fault.h"
#include "train/meters.h"
#include "train/snapshot.h"

namespace lockstep {

/// How a run is to be carried out on this computer. Nothing here changes a bit of the result.
struct RunOptions {
    int threads = 0;         ///< 0: one per core
    int snapshotEvery = 10;  ///< steps between snapshots
    int testEvery = 0;       ///< steps between tests; 0: each epoch and at the end
    Meters meters{};
    bool startPaused = false;
    double maxStepsPerSecond = 0;          ///< 0: as fast as possible
    std::vector<ScheduledFault> faults{};  ///< these change the result, as the same faults given by hand would
    bool waitsForRevival = true;           ///< otherwise a run that cannot go on, with nothing to come, has stopped
    int checkpointEvery = 0;               ///< steps between checkpoints; 0: none, a restart begins at the start
    double checkpointBytes = 64e6;         ///< for all of them
    long long stopAtStep = 0;              ///< stops there, with a checkpoint, as if by hand; 0: nowhere
    std::shared_ptr<const Checkpoint> goOnFrom{};  ///< instead of beginning anew
    std::optional<double> modelledIteration_s{};   ///< the cluster model's iteration, for Snapshot::modelled_s
    /// Called on the run's thread for every snapshot, in order (the command line's stream). Empty for the window,
    /// which polls latest().
    std::function<void(const Snapshot&)> onSnapshot{};
};

/// What can change while a run goes on; the rest needs a new run.
struct LiveSettings {
    double learningRate = 0.01;  ///< the base rate, as training.learning_rate
    double maxStepsPerSecond = 0;
    std::optional<double> modelledIteration_s{};  ///< as RunOptions; counts for the steps from now on
    /// As cluster.loader_samples_per_s; takes effect at once, also on who waits for samples. Empty: as it is.
    std::optional<double> loaderSamplesPerS{};
};

/// Whether a run of `running` trains what a run of `next` would, live settings aside, so that it can go on.
[[nodiscard]] bool trainsTheSame(const Experiment& running, const Experiment& next);

/// A training run in its own thread. All members may be called from any thread; none of them waits for a step, except
/// the destructor, which requests a stop and joins (at most about 50 ms).
class Run {
public:
    Run(const Experiment& experiment, std::shared_ptr<const TrainTest> data, RunOptions options);
    ~Run();
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

    [[nodiscard]] const Experiment& experiment() const;
    [[nodiscard]] RunState state() const;
    /// The newest snapshot; null before the first.
    [[nodiscard]] std::shared_ptr<const Snapshot> latest() const;
    /// The curve so far, oldest first; at most a few thousand points: older ones are thinned evenly. Replicas' places
    /// are kept only in the newest.
    [[nodiscard]] std::shared_ptr<const std::vector<Snapshot>> history() const;
    /// Empty until the run has ended.
    [[nodiscard]] std::shared_ptr<const RunResult> result() const;

    void pause();
    void resume();
    /// One step, then pause again.
    void stepOnce();
    void tune(const LiveSettings& settings);
    /// Comes between two steps, at once while paused or waiting. What there is no machine for is not heard.
    void inject(const Fault& fault);
    /// Makes one after the current step, whatever checkpointEvery and checkpointBytes say; not while a
    /// machine is dead that everybody needs.
    void keepCheckpoint();
    /// Those kept, oldest first.
    [[nodiscard]] std::vector<std::shared_ptr<const Checkpoint>> checkpoints() const;
    void requestStop();
    /// Waits for the end. For the command line and tests.
    void wait();
    /// Waits at most that long; whether the run has ended.
    [[nodiscard]] bool waitFor(std::chrono::milliseconds patience);

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

/// Checks everything that can be checked before a run: training keys, the data against the partition, the memory it
/// would take against `memoryLimitBytes`. One line when it cannot be done.
[[nodiscard]] Result<void> checkRun(const Experiment& experiment, const TrainTest& data, double memoryLimitBytes);

}  // namespace lockstep
