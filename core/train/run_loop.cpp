#include "train/run_loop.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/stopwatch.h"

namespace lockstep {
namespace {

/// Modelled iterations that are too few to tell apart.
constexpr double kInstant = 1e-6;

RunResult endedBefore(RunState outcome, std::string error = {}) {
    RunResult result;
    result.outcome = outcome;
    result.error = std::move(error);
    return result;
}

void addLoading(const LoadingReport& loading, double training_s, Snapshot& snapshot) {
    if (std::isnan(loading.samplesPerS) || !(training_s > 0)) return;
    snapshot.loadingSamplesPerS = loading.samplesPerS;
    snapshot.loadingBlockedShare = std::clamp(loading.blocked_s / training_s, 0.0, 1.0);
}

}  // namespace

RunLoop::RunLoop(const Parts& parts, std::stop_token stop)
    : m_parts(parts),
      m_stop(std::move(stop)),
      m_pool(m_parts.options.threads > 0 ? m_parts.options.threads : coreCount()),
      m_checkpoints(m_parts.options.checkpointEvery, m_parts.options.checkpointBytes),
      m_scheduled(m_parts.options.faults) {
    std::ranges::stable_sort(m_scheduled, std::greater<>{}, &ScheduledFault::step);
}

RunResult RunLoop::run() {
    const Result<bool> prepared = prepare();
    if (!prepared) return endedBefore(RunState::Failed, prepared.error().message);
    if (!*prepared) return endedBefore(RunState::Stopped);
    publish(measure());
    const Result<Advance> end = trainToEnd();
    if (!end) return endedBefore(RunState::Failed, end.error().message);
    return conclude(*end);
}

/// False when stopped.
Result<bool> RunLoop::prepare() {
    const SteadyClock::time_point start = SteadyClock::now();
    auto engine = TrainingEngine::make(m_parts.experiment, m_parts.data, m_pool, m_stop, m_parts.pace);
    if (!engine) return tl::unexpected(engine.error());
    if (!*engine) return false;
    m_engine = *std::move(engine);
    m_engine->setMeters(m_parts.options.meters);
    for (const ScheduledFault& scheduled : m_scheduled)
        if (const auto checked = m_engine->check(scheduled.fault); !checked) return tl::unexpected(checked.error());
    if (m_parts.options.goOnFrom)
        if (const auto gone = goOn(*m_parts.options.goOnFrom); !gone) return tl::unexpected(gone.error());
    m_wall_s += secondsSince(start);
    return true;
}

/// The run begins with what another has learnt, with the same bits where it trains the same.
Result<void> RunLoop::goOn(const Checkpoint& checkpoint) {
    if (const auto begun = beginFrom(checkpoint); !begun) return begun;
    m_modelledIterations = m_engine->modelledIterations();
    m_modelled_s = checkpoint.last.modelled_s;
    m_wall_s = checkpoint.last.wall_s;
    m_windowSamples = checkpoint.last.samplesSeen;
    m_testedEpochs = std::floor(m_engine->epoch() + 1e-9);
    m_last = checkpoint.last;
    return {};
}

Result<void> RunLoop::beginFrom(const Checkpoint& checkpoint) {
    if (!trainsTheSame(checkpoint.experiment, m_parts.experiment)) return m_engine->adopt(checkpoint);
    m_engine->restore(checkpoint);
    return {};
}

Result<RunLoop::Advance> RunLoop::trainToEnd() {
    while (!m_engine->finished()) {
        const auto turn = m_parts.controls.awaitTurn(m_stop, [&] { m_parts.published.setState(RunState::Paused); });
        if (turn == RunControls::Turn::Stop) return Advance::Stopped;
        const Result<bool> faults = takeFaults();
        if (!faults) return tl::unexpected(faults.error());
        if (m_parts.controls.takeCheckpointWish()) keepCheckpoint();
        if (turn == RunControls::Turn::Look) {
            if (*faults) publish(measure());
            continue;
        }
        m_parts.published.setState(RunState::Running);
        m_engine->setLearningRate(m_parts.controls.settings().learningRate);
        const Advance end = step();
        if (end == Advance::Halted) {
            const Result<bool> waited = awaitRevival();
            if (!waited) return tl::unexpected(waited.error());
            if (!*waited) return Advance::Halted;
            continue;
        }
        if (end != Advance::Stepped) return end;
        if (m_engine->finished()) break;
        const bool tests = testDue(), once = turn == RunControls::Turn::GoOnce;
        if (tests || once || m_engine->step() % std::max(1, m_parts.options.snapshotEvery) == 0)
            measureAndPublish(tests);
        if (m_checkpoints.due(m_engine->step()) && m_engine->checkpointBytes() <= m_checkpoints.mostBytes())
            keepCheckpoint();
        if (m_engine->step() == m_parts.options.stopAtStep) {
            keepCheckpoint();
            return Advance::Stopped;
        }
    }
    return Advance::Stepped;
}

RunLoop::Advance RunLoop::step() {
    const SteadyClock::time_point start = SteadyClock::now();
    const auto end = m_engine->advance(m_stop);
    const double seconds = secondsSince(start);
    m_wall_s += seconds;
    m_training_s += seconds;
    return end;
}

bool RunLoop::testDue() {
    if (m_parts.options.testEvery > 0) return m_engine->step() % m_parts.options.testEvery == 0;
    const double epochs = std::floor(m_engine->epoch() + 1e-9);
    return std::exchange(m_testedEpochs, epochs) < epochs;
}

Snapshot RunLoop::measure() {
    const SteadyClock::time_point start = SteadyClock::now();
    Snapshot snapshot;
    // What no new gradient has said anything about stays as it was.
    snapshot.loss = m_last.loss;
    snapshot.trainAccuracy = m_last.trainAccuracy;
    snapshot.measuredSamplesPerS = m_last.measuredSamplesPerS;
    snapshot.loadingSamplesPerS = m_last.loadingSamplesPerS;
    snapshot.loadingBlockedShare = m_last.loadingBlockedShare;
    m_engine->takeProgress(snapshot);
    m_engine->measureDivergence(snapshot, m_stop);
    snapshot.bytesSent += m_bytesBefore;
    snapshot.restarts = m_restarts;
    snapshot.lostSteps = m_lostSteps;
    m_wall_s += secondsSince(start);
    finishTimes(snapshot);
    return snapshot;
}

void RunLoop::measureAndPublish(bool tests) {
    Snapshot snapshot = measure();
    const SteadyClock::time_point start = SteadyClock::now();
    if (tests) m_engine->test(snapshot, false, m_stop);
    m_wall_s += secondsSince(start);
    publish(std::move(snapshot));
}

void RunLoop::finishTimes(Snapshot& snapshot) {
    const double training_s = m_training_s - m_windowTraining_s;
    const long long samples = snapshot.samplesSeen - m_windowSamples;
    if (samples > 0 && training_s > 0) snapshot.measuredSamplesPerS = static_cast<double>(samples) / training_s;
    addLoading(m_engine->takeLoading(), training_s, snapshot);
    m_windowTraining_s = m_training_s;
    m_windowSamples = snapshot.samplesSeen;
    snapshot.wall_s = m_wall_s;
    addModelledTime();
    snapshot.modelled_s = m_modelled_s;
}

/// Since the run's start, whatever was undone.
double RunLoop::modelledIterations() const { return m_iterationsBefore + m_engine->modelledIterations(); }

/// The iterations since the last time, at what one takes on the cluster as it is described now.
void RunLoop::addModelledTime() {
    const double iterations = m_engine->modelledIterations() - m_modelledIterations;
    m_modelledIterations = m_engine->modelledIterations();
    m_modelled_s += iterations * m_parts.controls.settings().modelledIteration_s.value_or(kNotMeasured);
}

void RunLoop::publish(Snapshot snapshot) {
    m_last = snapshot;
    const auto shared = std::make_shared<const Snapshot>(std::move(snapshot));
    m_parts.published.add(shared);
    if (m_parts.options.onSnapshot) m_parts.options.onSnapshot(*shared);
}

RunResult RunLoop::conclude(Advance end) {
    RunResult result;
    Snapshot snapshot = measure();
    if (end == Advance::Stepped) {
        const SteadyClock::time_point start = SteadyClock::now();
        m_engine->test(snapshot, true, m_stop);
        m_wall_s += secondsSince(start);
        snapshot.wall_s = m_wall_s;
        if (m_stop.stop_requested()) end = Advance::Stopped;
        // The last update may have been the one too many: no loss of training followed it.
        if (std::isinf(snapshot.testLoss)) end = Advance::Diverged;
    }
    if (end == Advance::Halted) snapshot.waitingFor = m_engine->health().missing();
    result.outcome = end == Advance::Stepped    ? RunState::Done
                     : end == Advance::Diverged ? RunState::Diverged
                                                : RunState::Stopped;
    if (end == Advance::Diverged) result.divergedAtStep = m_engine->step();
    const bool nothingNew = end == Advance::Stopped && m_parts.published.latest()->step == snapshot.step;
    if (!nothingNew) publish(snapshot);
    result.last = std::move(snapshot);
    result.parametersHash = m_engine->modelHash();
    result.parametersHashPerReplica = m_engine->replicaHashes();
    return result;
}

Result<bool> RunLoop::takeFaults() {
    bool any = false;
    for (const Fault& fault : m_parts.controls.takeFaults()) {
        if (!m_engine->check(fault)) continue;
        if (const auto applied = apply(fault); !applied) return tl::unexpected(applied.error());
        any = true;
    }
    while (!m_revivals.empty() && m_revivals.back().iterations <= modelledIterations() + kInstant) {
        const Fault fault = m_revivals.back().fault;
        m_revivals.pop_back();
        if (const auto applied = apply(fault); !applied) return tl::unexpected(applied.error());
        any = true;
    }
    while (!m_scheduled.empty() && m_scheduled.back().step <= m_engine->step()) {
        const ScheduledFault scheduled = m_scheduled.back();
        m_scheduled.pop_back();
        if (const auto applied = apply(scheduled.fault); !applied) return tl::unexpected(applied.error());
        any = true;
        if (!scheduled.iterations) continue;
        Fault revival = scheduled.fault;
        revival.kind = FaultKind::Revive;
        m_revivals.push_back({modelledIterations() + *scheduled.iterations, revival});
        std::ranges::stable_sort(m_revivals, std::greater<>{}, &Revival::iterations);
    }
    return any;
}

Result<void> RunLoop::apply(const Fault& fault) {
    const auto effect = m_engine->apply(fault);
    if (!effect) return tl::unexpected(effect.error());
    return *effect == TrainingEngine::FaultEffect::Restart ? restart() : Result<void>{};
}

/// From the newest checkpoint or else from the beginning; the clocks go on.
Result<void> RunLoop::restart() {
    addModelledTime();
    const long long before = m_engine->step();
    const double iterations = modelledIterations(), bytes = m_engine->bytesSent();
    if (const auto checkpoint = m_checkpoints.newest()) {
        m_engine->restart(*checkpoint);
        m_last = checkpoint->last;
        m_windowSamples = m_last.samplesSeen;
    } else {
        const ClusterHealth health = m_engine->health();
        auto engine = TrainingEngine::make(m_parts.experiment, m_parts.data, m_pool, m_stop, m_parts.pace);
        if (!engine) return tl::unexpected(engine.error());
        if (!*engine) return {};
        m_engine = *std::move(engine);
        m_engine->setMeters(m_parts.options.meters);
        if (m_parts.options.goOnFrom)
            if (const auto begun = beginFrom(*m_parts.options.goOnFrom); !begun) return begun;
        m_engine->takeOver(health);
        m_last = {};
        m_windowSamples = m_engine->samplesSeen();
    }
    ++m_restarts;
    m_lostSteps += before - m_engine->step();
    m_bytesBefore += bytes - m_engine->bytesSent();
    m_iterationsBefore = iterations - m_engine->modelledIterations();
    m_modelledIterations = m_engine->modelledIterations();
    m_testedEpochs = std::floor(m_engine->epoch() + 1e-9);
    m_windowTraining_s = m_training_s;
    publish(measure());
    return {};
}

Result<bool> RunLoop::awaitRevival() {
    if (!m_revivals.empty()) {
        m_engine->waitUntil(m_revivals.back().iterations - m_iterationsBefore);
        return true;
    }
    if (!m_parts.options.waitsForRevival) return false;
    Snapshot snapshot = measure();
    snapshot.waitingFor = m_engine->health().missing();
    publish(std::move(snapshot));
    m_parts.published.setState(RunState::Waiting);
    m_parts.controls.awaitChange(m_stop);
    return true;
}

void RunLoop::keepCheckpoint() {
    if (m_engine->restartDue()) return;
    addModelledTime();
    Snapshot last = m_last;
    last.modelled_s = m_modelled_s;
    last.wall_s = m_wall_s;
    m_checkpoints.add(m_engine->save(last));
    m_parts.published.setCheckpoints(m_checkpoints.all());
}

}  // namespace lockstep
