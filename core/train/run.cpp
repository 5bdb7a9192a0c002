#include "train/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "train/curve.h"
#include "train/run_controls.h"
#include "train/training_engine.h"

namespace lockstep {
namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

int threadsFor(const RunOptions& options) { return options.threads > 0 ? options.threads : coreCount(); }

RunResult endedBefore(RunState outcome, std::string error = {}) {
    RunResult result;
    result.outcome = outcome;
    result.error = std::move(error);
    return result;
}

/// What other threads may see of a run.
class Published {
public:
    void setState(RunState state) {
        const std::scoped_lock lock(m_mutex);
        m_state = state;
    }
    void add(std::shared_ptr<const Snapshot> snapshot) {
        const std::scoped_lock lock(m_mutex);
        m_curve.add(*snapshot);
        m_latest = std::move(snapshot);
        m_history = nullptr;
    }
    void end(RunResult result) {
        {
            const std::scoped_lock lock(m_mutex);
            m_state = result.outcome;
            m_result = std::make_shared<const RunResult>(std::move(result));
        }
        m_ended.notify_all();
    }
    [[nodiscard]] bool awaitEnd(std::chrono::milliseconds patience) const {
        std::unique_lock lock(m_mutex);
        return m_ended.wait_for(lock, patience, [&] { return m_result != nullptr; });
    }

    [[nodiscard]] RunState state() const {
        const std::scoped_lock lock(m_mutex);
        return m_state;
    }
    [[nodiscard]] std::shared_ptr<const Snapshot> latest() const {
        const std::scoped_lock lock(m_mutex);
        return m_latest;
    }
    [[nodiscard]] std::shared_ptr<const RunResult> result() const {
        const std::scoped_lock lock(m_mutex);
        return m_result;
    }
    /// Copied at most once for each snapshot.
    [[nodiscard]] std::shared_ptr<const std::vector<Snapshot>> history() const {
        const std::scoped_lock lock(m_mutex);
        if (!m_history) m_history = std::make_shared<const std::vector<Snapshot>>(m_curve.points());
        return m_history;
    }

private:
    mutable std::mutex m_mutex;
    mutable std::condition_variable m_ended;
    RunState m_state = RunState::Preparing;
    Curve m_curve;
    std::shared_ptr<const Snapshot> m_latest;
    mutable std::shared_ptr<const std::vector<Snapshot>> m_history;
    std::shared_ptr<const RunResult> m_result;
};

}  // namespace

class Run::Impl {
public:
    Impl(Experiment experiment, std::shared_ptr<const TrainTest> data, RunOptions options)
        : m_experiment(std::move(experiment)),
          m_data(std::move(data)),
          m_options(std::move(options)),
          m_controls(m_options.startPaused, {.learningRate = m_experiment.training.learningRate,
                                             .maxStepsPerSecond = m_options.maxStepsPerSecond,
                                             .modelledIteration_s = m_options.modelledIteration_s}),
          m_thread([this](std::stop_token stop) { threadMain(stop); }) {}

    ~Impl() {
        m_thread.request_stop();
        wait();
    }

    void wait() {
        const std::scoped_lock lock(m_joinMutex);
        if (m_thread.joinable()) m_thread.join();
    }
    void requestStop() { m_thread.get_stop_source().request_stop(); }

    [[nodiscard]] const Experiment& experiment() const { return m_experiment; }
    [[nodiscard]] const Published& published() const { return m_published; }
    [[nodiscard]] RunControls& controls() { return m_controls; }

private:
    void threadMain(std::stop_token stop);
    [[nodiscard]] RunResult train(std::stop_token stop);
    [[nodiscard]] TrainingEngine::Advance trainToEnd(TrainingEngine& engine, std::stop_token stop);
    [[nodiscard]] TrainingEngine::Advance step(TrainingEngine& engine, std::stop_token stop);
    [[nodiscard]] bool testDue(const TrainingEngine& engine);
    [[nodiscard]] Snapshot measure(TrainingEngine& engine, std::stop_token stop);
    [[nodiscard]] RunResult conclude(TrainingEngine& engine, TrainingEngine::Advance end, std::stop_token stop);
    void publish(Snapshot snapshot);
    void finishTimes(TrainingEngine& engine, Snapshot& snapshot);
    void addModelledTime(const TrainingEngine& engine);

    const Experiment m_experiment;
    const std::shared_ptr<const TrainTest> m_data;
    const RunOptions m_options;
    RunControls m_controls;
    Published m_published;

    // The run's thread only.
    double m_wall_s = 0, m_training_s = 0;
    double m_windowTraining_s = 0;
    double m_modelled_s = 0, m_modelledIterations = 0;
    long long m_windowSamples = 0;
    double m_testedEpochs = 0;
    Snapshot m_last;

    std::mutex m_joinMutex;
    std::jthread m_thread;  ///< last, so that everything it uses is there before it and after it
};

void Run::Impl::threadMain(std::stop_token stop) {
    lowerThisThreadsPriority();
    RunResult result = endedBefore(RunState::Failed);
    try {
        result = train(stop);
    } catch (const std::exception& exception) {
        result.error = fmt::format("the run was given up: {}", exception.what());
        result.last = m_last;
    }
    m_published.end(std::move(result));
}

RunResult Run::Impl::train(std::stop_token stop) {
    ThreadPool pool(threadsFor(m_options));
    const Clock::time_point start = Clock::now();
    auto engine = TrainingEngine::make(m_experiment, *m_data, pool, stop);
    if (!engine) return endedBefore(RunState::Failed, engine.error().message);
    if (!*engine) return endedBefore(RunState::Stopped);
    (*engine)->setMeters(m_options.meters);
    m_wall_s += secondsSince(start);
    publish(measure(**engine, stop));
    const TrainingEngine::Advance end = trainToEnd(**engine, stop);
    return conclude(**engine, end, stop);
}

TrainingEngine::Advance Run::Impl::trainToEnd(TrainingEngine& engine, std::stop_token stop) {
    while (!engine.finished()) {
        const auto turn = m_controls.awaitTurn(stop, [&] { m_published.setState(RunState::Paused); });
        if (turn == RunControls::Turn::Stop) return TrainingEngine::Advance::Stopped;
        m_published.setState(RunState::Running);
        engine.setLearningRate(m_controls.settings().learningRate);
        const auto end = step(engine, stop);
        if (end != TrainingEngine::Advance::Stepped) return end;
        if (engine.finished()) break;
        const bool tests = testDue(engine);
        if (!tests && turn == RunControls::Turn::Go && engine.step() % std::max(1, m_options.snapshotEvery) != 0)
            continue;
        Snapshot snapshot = measure(engine, stop);
        const Clock::time_point start = Clock::now();
        if (tests) engine.test(snapshot, false, stop);
        m_wall_s += secondsSince(start);
        publish(std::move(snapshot));
    }
    return TrainingEngine::Advance::Stepped;
}

TrainingEngine::Advance Run::Impl::step(TrainingEngine& engine, std::stop_token stop) {
    const Clock::time_point start = Clock::now();
    const auto end = engine.advance(stop);
    const double seconds = secondsSince(start);
    m_wall_s += seconds;
    m_training_s += seconds;
    return end;
}

bool Run::Impl::testDue(const TrainingEngine& engine) {
    if (m_options.testEvery > 0) return engine.step() % m_options.testEvery == 0;
    const double epochs = std::floor(engine.epoch() + 1e-9);
    return std::exchange(m_testedEpochs, epochs) < epochs;
}

Snapshot Run::Impl::measure(TrainingEngine& engine, std::stop_token stop) {
    const Clock::time_point start = Clock::now();
    Snapshot snapshot;
    // What no new gradient has said anything about stays as it was.
    snapshot.loss = m_last.loss;
    snapshot.trainAccuracy = m_last.trainAccuracy;
    snapshot.measuredSamplesPerS = m_last.measuredSamplesPerS;
    engine.takeProgress(snapshot);
    engine.measureDivergence(snapshot, stop);
    m_wall_s += secondsSince(start);
    finishTimes(engine, snapshot);
    return snapshot;
}

void Run::Impl::finishTimes(TrainingEngine& engine, Snapshot& snapshot) {
    const double training_s = m_training_s - m_windowTraining_s;
    const long long samples = snapshot.samplesSeen - m_windowSamples;
    if (samples > 0 && training_s > 0) snapshot.measuredSamplesPerS = static_cast<double>(samples) / training_s;
    m_windowTraining_s = m_training_s;
    m_windowSamples = snapshot.samplesSeen;
    snapshot.wall_s = m_wall_s;
    addModelledTime(engine);
    snapshot.modelled_s = m_modelled_s;
}

/// The iterations since the last time, at what one takes on the cluster as it is described now.
void Run::Impl::addModelledTime(const TrainingEngine& engine) {
    const double iterations = engine.modelledIterations() - m_modelledIterations;
    m_modelledIterations = engine.modelledIterations();
    m_modelled_s += iterations * m_controls.settings().modelledIteration_s.value_or(kNotMeasured);
}

void Run::Impl::publish(Snapshot snapshot) {
    m_last = snapshot;
    const auto shared = std::make_shared<const Snapshot>(std::move(snapshot));
    m_published.add(shared);
    if (m_options.onSnapshot) m_options.onSnapshot(*shared);
}

RunResult Run::Impl::conclude(TrainingEngine& engine, TrainingEngine::Advance end, std::stop_token stop) {
    RunResult result;
    Snapshot snapshot = measure(engine, stop);
    if (end == TrainingEngine::Advance::Stepped) {
        const Clock::time_point start = Clock::now();
        engine.test(snapshot, true, stop);
        m_wall_s += secondsSince(start);
        snapshot.wall_s = m_wall_s;
        if (stop.stop_requested()) end = TrainingEngine::Advance::Stopped;
        // The last update may have been the one too many: no loss of training followed it.
        if (std::isinf(snapshot.testLoss)) end = TrainingEngine::Advance::Diverged;
    }
    result.outcome = end == TrainingEngine::Advance::Stepped   ? RunState::Done
                     : end == TrainingEngine::Advance::Stopped ? RunState::Stopped
                                                               : RunState::Diverged;
    if (end == TrainingEngine::Advance::Diverged) result.divergedAtStep = engine.step();
    publish(snapshot);
    result.last = std::move(snapshot);
    result.parametersHash = engine.modelHash();
    result.parametersHashPerReplica = engine.replicaHashes();
    return result;
}

Run::Run(const Experiment& experiment, std::shared_ptr<const TrainTest> data, RunOptions options)
    : m_impl(std::make_unique<Impl>(experiment, std::move(data), std::move(options))) {}
Run::~Run() = default;

const Experiment& Run::experiment() const { return m_impl->experiment(); }
RunState Run::state() const { return m_impl->published().state(); }
std::shared_ptr<const Snapshot> Run::latest() const { return m_impl->published().latest(); }
std::shared_ptr<const std::vector<Snapshot>> Run::history() const { return m_impl->published().history(); }
std::shared_ptr<const RunResult> Run::result() const { return m_impl->published().result(); }
void Run::pause() { m_impl->controls().pause(); }
void Run::resume() { m_impl->controls().resume(); }
void Run::stepOnce() { m_impl->controls().stepOnce(); }
void Run::tune(const LiveSettings& settings) { m_impl->controls().tune(settings); }
void Run::requestStop() { m_impl->requestStop(); }
void Run::wait() { m_impl->wait(); }
bool Run::waitFor(std::chrono::milliseconds patience) { return m_impl->published().awaitEnd(patience); }

Result<void> checkRun(const Experiment& experiment, const TrainTest& data, double memoryLimitBytes) {
    const auto plan = planRun(experiment, data);
    if (!plan) return fail(plan.error().message);
    const auto network = buildNetwork(experiment, *plan, data.train, {});
    if (!network) return fail(network.error().message);
    const double bytes = estimateRunBytes(experiment, *plan, data, *network, threadsFor({}));
    if (bytes <= memoryLimitBytes) return {};
    return fail(
        fmt::format("training.workers {}, training.batch_per_worker {}: the run would take {:.3g} MB of memory, {:.3g} "
                    "MB are allowed",
                    plan->workers, experiment.training.batchPerWorker, bytes / 1e6, memoryLimitBytes / 1e6));
}

}  // namespace lockstep
