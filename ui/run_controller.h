#pragma once

#include <QObject>
#include <QStringList>
#include <QTimer>
#include <deque>
#include <memory>
#include <vector>

#include "experiment/experiment.h"
#include "run/dataset_loader.h"
#include "run/retired_runs.h"
#include "train/run.h"

namespace lockstep::ui {

class ExperimentStore;

/// A run that has been replaced: its curve, and what was different then.
struct Ghost {
    Experiment experiment;
    std::shared_ptr<const std::vector<Snapshot>> history;
    QString label;  ///< what was different: "Workers 4, Algorithm Ring"
};

/// Owns the current Run. Follows the store: takes live changes live, restarts by itself for the others and keeps the
/// replaced curve as a ghost. Polls the newest snapshot on a timer; never waits for a run (retired ones are joined
/// elsewhere).
class RunController : public QObject {
    Q_OBJECT
public:
    RunController(ExperimentStore& store, QObject* parent = nullptr);
    ~RunController() override;

    enum class State { Idle, Loading, Running, Paused, Ended };
    [[nodiscard]] State state() const { return m_state; }
    [[nodiscard]] std::shared_ptr<const Snapshot> latest() const { return m_latest; }
    [[nodiscard]] std::shared_ptr<const std::vector<Snapshot>> history() const { return m_history; }
    [[nodiscard]] std::shared_ptr<const RunResult> result() const { return m_result; }
    /// Newest first, at most eight.
    [[nodiscard]] const std::deque<Ghost>& ghosts() const { return m_ghosts; }
    /// What the real run trains, for panel titles: "CNN on Fashion-MNIST, 28 px, 4 replicas". With the reason when it
    /// stands in for a workload too big to train here.
    [[nodiscard]] QString runTitle() const { return m_runTitle; }
    /// Whether latest() and history() are of the present experiment, and not of one that is about to be replaced.
    [[nodiscard]] bool isCurrent() const { return m_run && !m_restart.isActive(); }
    /// How many steps the run takes, if nothing stops it; 0 while unknown.
    [[nodiscard]] long long plannedSteps() const { return m_plannedSteps; }

    void run();  ///< starts, resumes, or starts anew after an end
    void pause();
    void step();   ///< one step of the run, then paused
    void reset();  ///< drops the run and its ghosts
    /// Something happens to a machine of the real run.
    void inject(const Fault& fault);
    /// From now on a run that starts because of a change goes on from the present step, until reset().
    void branch();
    [[nodiscard]] bool canBranch() const { return m_state == State::Running || m_state == State::Paused; }
    /// Where runs go on from; 0: they begin anew.
    [[nodiscard]] long long branchStep() const { return m_branch ? m_branch->step : 0; }
    /// Steps per second at most; 0: as fast as possible.
    void setSpeedLimit(double stepsPerSecond);

signals:
    void stateChanged();
    void snapshotChanged();  ///< latest() or history() is new
    void ghostsChanged();
    void noticeRaised(const QString& line);  ///< for a person: what happened and what was done about it

private:
    void follow();
    void load();
    void start(std::shared_ptr<const TrainTest> data, const QString& notice);
    void restart();
    /// Gives up the present run, keeping its curve as a ghost if it says anything.
    void retire(bool keepGhost);
    void poll();
    void setState(State state);
    void tune();
    void takeBranch();
    [[nodiscard]] long long plannedSteps(const TrainTest& data) const;
    [[nodiscard]] bool hasRun() const { return m_run != nullptr; }

    ExperimentStore& m_store;
    RetiredRuns m_retired;
    DatasetLoader m_loader;
    QTimer m_poll, m_restart;
    State m_state = State::Idle;
    bool m_wantsRun = false;    ///< from run() to reset(), whether or not the present experiment can be trained
    bool m_wantsPause = false;  ///< what the person asked for last; holds across restarts
    bool m_wantsStep = false;   ///< one step, as soon as there is a run
    bool m_branchAsked = false;
    long long m_branchFrom = 0;
    std::shared_ptr<const Checkpoint> m_branch;  ///< what runs go on from
    std::shared_ptr<Run> m_run;
    Experiment m_running;  ///< what m_run, or what is being loaded, trains
    std::shared_ptr<const Snapshot> m_latest;
    std::shared_ptr<const std::vector<Snapshot>> m_history;
    std::shared_ptr<const RunResult> m_result;
    std::deque<Ghost> m_ghosts;
    QString m_runTitle;
    long long m_plannedSteps = 0;
    double m_speedLimit = 0;
};

}  // namespace lockstep::ui
