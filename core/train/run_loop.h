#pragma once

#include <memory>
#include <stop_token>
#include <vector>

#include "train/published_run.h"
#include "train/run.h"
#include "train/run_controls.h"
#include "train/training_engine.h"

namespace lockstep {

/// What a run's own thread does: steps, faults, checkpoints and snapshots in their order, as its controls ask for them.
class RunLoop {
public:
    /// What a run consists of; outlives the loop.
    struct Parts {
        const Experiment& experiment;
        const TrainTest& data;
        const RunOptions& options;
        RunControls& controls;
        std::shared_ptr<LoadingPace> pace;
        PublishedRun& published;
    };
    RunLoop(const Parts& parts, std::stop_token stop);

    [[nodiscard]] RunResult run();
    [[nodiscard]] const Snapshot& last() const { return m_last; }

private:
    using Advance = TrainingEngine::Advance;

    /// A machine that is to be revived on the modelled clock.
    struct Revival {
        double iterations = 0;  ///< since the run's start
        Fault fault;
    };

    [[nodiscard]] Result<bool> prepare();
    [[nodiscard]] Result<void> goOn(const Checkpoint& checkpoint);
    [[nodiscard]] Result<void> beginFrom(const Checkpoint& checkpoint);
    [[nodiscard]] Result<Advance> trainToEnd();
    [[nodiscard]] Advance step();
    [[nodiscard]] bool testDue();
    [[nodiscard]] Snapshot measure();
    void measureAndPublish(bool tests);
    [[nodiscard]] RunResult conclude(Advance end);
    void publish(Snapshot snapshot);
    void finishTimes(Snapshot& snapshot);

    [[nodiscard]] double modelledIterations() const;
    void addModelledTime();

    /// Whether there were any.
    [[nodiscard]] Result<bool> takeFaults();
    [[nodiscard]] Result<void> apply(const Fault& fault);
    [[nodiscard]] Result<void> restart();
    /// Whether there is anything to wait for.
    [[nodiscard]] Result<bool> awaitRevival();
    void keepCheckpoint();

    const Parts m_parts;
    std::stop_token m_stop;

    ThreadPool m_pool;
    std::unique_ptr<TrainingEngine> m_engine;
    CheckpointStore m_checkpoints;
    std::vector<ScheduledFault> m_scheduled;  ///< the next one last
    std::vector<Revival> m_revivals;          ///< the next one last

    double m_wall_s = 0, m_training_s = 0;
    double m_windowTraining_s = 0;
    double m_modelled_s = 0, m_modelledIterations = 0;
    double m_iterationsBefore = 0;  ///< of engines and states that were given up
    long long m_windowSamples = 0;
    double m_testedEpochs = 0;
    double m_bytesBefore = 0;  ///< sent for steps that were undone
    int m_restarts = 0;
    long long m_lostSteps = 0;
    Snapshot m_last;
};

}  // namespace lockstep
