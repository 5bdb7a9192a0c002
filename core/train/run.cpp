#include "train/run.h"

#include <fmt/format.h>

#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "train/published_run.h"
#include "train/run_controls.h"
#include "train/run_loop.h"
#include "train/run_plan.h"

namespace lockstep {

struct Run::Impl {
    Impl(Experiment givenExperiment, std::shared_ptr<const TrainTest> givenData, RunOptions givenOptions)
        : experiment(std::move(givenExperiment)),
          data(std::move(givenData)),
          options(std::move(givenOptions)),
          controls(options.startPaused, {.learningRate = experiment.training.learningRate,
                                         .maxStepsPerSecond = options.maxStepsPerSecond,
                                         .modelledIteration_s = options.modelledIteration_s}),
          pace(std::make_shared<LoadingPace>(experiment.cluster.loaderSamplesPerS)),
          thread([this](std::stop_token stop) { threadMain(std::move(stop)); }) {}

    ~Impl() {
        thread.request_stop();
        wait();
    }

    void wait() {
        const std::scoped_lock lock(joinMutex);
        if (thread.joinable()) thread.join();
    }

    void threadMain(std::stop_token stop);
    void tune(const LiveSettings& settings) {
        if (settings.loaderSamplesPerS) pace->setRate(*settings.loaderSamplesPerS);
        controls.tune(settings);
    }

    const Experiment experiment;
    const std::shared_ptr<const TrainTest> data;
    const RunOptions options;
    RunControls controls;
    const std::shared_ptr<LoadingPace> pace;  ///< of the input pipelines; thread-safe
    PublishedRun published;
    std::mutex joinMutex;
    std::jthread thread;  ///< last, so that everything it uses is there before it and after it
};

void Run::Impl::threadMain(std::stop_token stop) {
    lowerThisThreadsPriority();
    RunResult result;
    result.outcome = RunState::Failed;
    try {
        RunLoop loop({experiment, *data, options, controls, pace, published}, std::move(stop));
        try {
            result = loop.run();
        } catch (const std::exception& exception) {
            result.error = fmt::format("the run was given up: {}", exception.what());
            result.last = loop.last();
        }
    } catch (const std::exception& exception) {
        result.error = fmt::format("the run could not begin: {}", exception.what());
    }
    published.end(std::move(result));
}

Run::Run(const Experiment& experiment, std::shared_ptr<const TrainTest> data, RunOptions options)
    : m_impl(std::make_unique<Impl>(experiment, std::move(data), std::move(options))) {}
Run::~Run() = default;

const Experiment& Run::experiment() const { return m_impl->experiment; }
RunState Run::state() const { return m_impl->published.state(); }
std::shared_ptr<const Snapshot> Run::latest() const { return m_impl->published.latest(); }
std::shared_ptr<const std::vector<Snapshot>> Run::history() const { return m_impl->published.history(); }
std::vector<std::shared_ptr<const Checkpoint>> Run::checkpoints() const { return m_impl->published.checkpoints(); }
std::shared_ptr<const RunResult> Run::result() const { return m_impl->published.result(); }
void Run::pause() { m_impl->controls.pause(); }
void Run::resume() { m_impl->controls.resume(); }
void Run::stepOnce() { m_impl->controls.stepOnce(); }
void Run::tune(const LiveSettings& settings) { m_impl->tune(settings); }
void Run::inject(const Fault& fault) { m_impl->controls.inject(fault); }
void Run::keepCheckpoint() { m_impl->controls.keepCheckpoint(); }
void Run::requestStop() { m_impl->thread.get_stop_source().request_stop(); }
void Run::wait() { m_impl->wait(); }
bool Run::waitFor(std::chrono::milliseconds patience) { return m_impl->published.awaitEnd(patience); }

Result<void> checkRun(const Experiment& experiment, const TrainTest& data, double memoryLimitBytes) {
    const auto plan = planRun(experiment, data);
    if (!plan) return fail(plan.error().message);
    const auto network = buildNetwork(experiment, *plan, data.train, {});
    if (!network) return fail(network.error().message);
    const double bytes = estimateRunBytes(experiment, *plan, data, *network, coreCount());
    if (bytes <= memoryLimitBytes) return {};
    return fail(
        fmt::format("training.workers {}, training.batch_per_worker {}: the run would take {:.3g} MB of memory, {:.3g} "
                    "MB are allowed",
                    plan->workers, experiment.training.batchPerWorker, bytes / 1e6, memoryLimitBytes / 1e6));
}

}  // namespace lockstep
