#include "run_controller.h"

#include <algorithm>
#include <climits>

#include "controls/key_text.h"
#include "experiment/resolved.h"
#include "experiment_store.h"
#include "run/run_title.h"
#include "train/run_plan.h"

namespace lockstep::ui {
namespace {

constexpr int kPollInterval_ms = 50;
/// A drag changes the experiment with every frame; the run starts anew once the hand rests.
constexpr int kRestartDelay_ms = 250;
constexpr size_t kMaxGhosts = 8;
/// Enough for a curve of test accuracy to be seen to grow.
constexpr long long kTestsPerRun = 40, kLeastStepsBetweenTests = 10;
constexpr double kMemoryLimitBytes = 4e9;
/// What a restart after a fault may lose at most, while they fit into memory.
constexpr int kCheckpointEvery = 50;

DatasetRequest datasetFor(const Experiment& experiment) {
    return {.name = experiment.training.dataset, .resolutionPx = trainingResolutionPx(experiment)};
}

}  // namespace

RunController::RunController(ExperimentStore& store, QObject* parent) : QObject(parent), m_store(store) {
    m_poll.setInterval(kPollInterval_ms);
    m_restart.setSingleShot(true);
    m_restart.setInterval(kRestartDelay_ms);
    connect(&m_poll, &QTimer::timeout, this, &RunController::poll);
    connect(&m_restart, &QTimer::timeout, this, &RunController::restart);
    connect(&m_loader, &DatasetLoader::loaded, this, &RunController::start);
    connect(&m_loader, &DatasetLoader::failed, this, [this](const QString& line) {
        setState(State::Idle);
        emit noticeRaised(line);
    });
    connect(&store, &ExperimentStore::experimentChanged, this, &RunController::follow);
}

RunController::~RunController() { retire(false); }

void RunController::run() {
    m_wantsRun = true;
    m_wantsPause = m_wantsStep = false;
    if (m_state == State::Paused && !m_restart.isActive()) {
        m_run->resume();
        setState(State::Running);
    } else if (m_state == State::Idle || m_state == State::Ended) {
        retire(true);
        load();
    }
}

void RunController::pause() {
    m_wantsPause = true;
    if (m_state != State::Running) return;
    m_run->pause();
    setState(State::Paused);
}

void RunController::step() {
    pause();
    if (m_state == State::Paused) return m_run->stepOnce();
    m_wantsRun = m_wantsStep = true;
    if (m_state == State::Loading) return;
    retire(true);
    load();
}

void RunController::reset() {
    m_wantsRun = m_wantsStep = m_branchAsked = false;
    m_branch = nullptr;
    m_restart.stop();
    m_loader.cancel();
    retire(false);
    m_ghosts.clear();
    setState(State::Idle);
    emit ghostsChanged();
    emit snapshotChanged();
}

void RunController::inject(const Fault& fault) {
    if (hasRun() && isCurrent()) m_run->inject(fault);
}

void RunController::branch() {
    if (!canBranch() || !isCurrent()) return;
    m_branchAsked = true;
    m_branchFrom = m_latest ? m_latest->step : 0;
    m_run->keepCheckpoint();
}

/// The run's thread makes the checkpoint after the step that it is at.
void RunController::takeBranch() {
    const auto checkpoints = m_run->checkpoints();
    if (checkpoints.empty() || checkpoints.back()->step < m_branchFrom) return;
    m_branchAsked = false;
    m_branch = checkpoints.back();
    emit noticeRaised(tr("What you change now goes on from step %1 of this run. Reset begins at the start again.")
                          .arg(m_branch->step));
}

void RunController::setSpeedLimit(double stepsPerSecond) {
    m_speedLimit = stepsPerSecond;
    if (hasRun()) tune();
}

void RunController::follow() {
    if (!m_wantsRun) return;
    const Experiment& next = m_store.experiment();
    // Idle: what was asked for could not be trained; perhaps this can.
    const bool same = m_state != State::Idle && trainsTheSame(m_running, next);
    const bool tooLate = m_state == State::Ended && next.training.learningRate != m_running.training.learningRate;
    if (same && !tooLate) {
        const bool loadsAgain = m_restart.isActive() && m_state == State::Loading;
        m_restart.stop();
        if (hasRun()) tune();
        if (loadsAgain) load();  // what came meanwhile was left to the restart
    } else {
        m_restart.start();
    }
}

void RunController::tune() {
    m_running.training.learningRate = m_store.experiment().training.learningRate;
    m_running.cluster.loaderSamplesPerS = m_store.experiment().cluster.loaderSamplesPerS;
    m_run->tune({.learningRate = m_running.training.learningRate,
                 .maxStepsPerSecond = m_speedLimit,
                 .modelledIteration_s = m_store.prediction().iterationTime_s,
                 .loaderSamplesPerS = m_running.cluster.loaderSamplesPerS});
}

void RunController::restart() {
    retire(true);
    load();
}

void RunController::load() {
    m_restart.stop();
    m_running = m_store.experiment();
    m_runTitle = runTitleOf(m_running, m_store.catalogue());
    setState(State::Loading);
    m_loader.request(datasetFor(m_running));
}

void RunController::start(std::shared_ptr<const TrainTest> data, const QString& notice) {
    if (m_state != State::Loading || m_restart.isActive()) return;  // the restart loads what is wanted by then
    m_running = m_store.experiment();
    m_runTitle = runTitleOf(m_running, m_store.catalogue(), data->train.name());
    if (!notice.isEmpty()) emit noticeRaised(notice);
    if (const Result<void> checked = checkRun(m_running, *data, kMemoryLimitBytes); !checked) {
        setState(State::Idle);
        emit noticeRaised(tr("Nothing is trained: %1").arg(QString::fromStdString(checked.error().message)));
        return;
    }
    m_plannedSteps = plannedSteps(*data);
    const auto testEvery = std::clamp<long long>(m_plannedSteps / kTestsPerRun, kLeastStepsBetweenTests, INT_MAX);
    m_run = std::make_shared<Run>(m_running, std::move(data),
                                  RunOptions{.testEvery = static_cast<int>(testEvery),
                                             .meters = {.sampled = true},
                                             .startPaused = m_wantsPause,
                                             .maxStepsPerSecond = m_speedLimit,
                                             .checkpointEvery = kCheckpointEvery,
                                             .goOnFrom = m_branch,
                                             .modelledIteration_s = m_store.prediction().iterationTime_s});
    if (std::exchange(m_wantsStep, false)) m_run->stepOnce();
    m_poll.start();
    setState(m_wantsPause ? State::Paused : State::Running);
}

/// Counted from the first step of all, as snapshots are.
long long RunController::plannedSteps(const TrainTest& data) const {
    const Result<RunPlan> plan = planRun(m_running, data);
    if (!plan) return 0;
    return m_branch ? m_branch->step + stepsLeft(*m_branch, m_running.training, *plan) : plan->totalSteps;
}

void RunController::retire(bool keepGhost) {
    m_poll.stop();
    if (keepGhost && m_history && m_history->size() > 1) {
        const QString difference = differenceText(m_running, m_store.experiment());
        m_ghosts.push_front(
            {m_running, m_history, difference.isEmpty() ? tr("the run before") : tr("before: %1").arg(difference)});
        if (m_ghosts.size() > kMaxGhosts) m_ghosts.pop_back();
        emit ghostsChanged();
    }
    m_branchAsked = false;
    m_retired.take(std::exchange(m_run, nullptr));
    m_latest = nullptr;
    m_history = nullptr;
    m_result = nullptr;
    m_plannedSteps = 0;
}

void RunController::poll() {
    const auto latest = m_run->latest();
    m_result = m_run->result();
    if (latest != m_latest) {
        m_latest = latest;
        m_history = m_run->history();
        emit snapshotChanged();
    }
    if (m_branchAsked) takeBranch();
    if (!m_result) return;
    m_poll.stop();
    if (m_result->outcome == RunState::Failed) {
        emit noticeRaised(QString::fromStdString(m_result->error));
        if (m_branch) {  // another network, perhaps: then from the start
            m_branch = nullptr;
            retire(false);
            return load();
        }
    }
    setState(State::Ended);
}

void RunController::setState(State state) {
    m_state = state;
    emit stateChanged();
}

}  // namespace lockstep::ui
