#include "train/soak.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <initializer_list>
#include <thread>

#include "base/random.h"
#include "base/stopwatch.h"
#include "experiment/experiment_json.h"
#include "train/run.h"

namespace lockstep {
namespace {

constexpr std::chrono::seconds kPatience{120};  // a run that has not ended by then hangs

double residentBytes() {
    std::ifstream statm("/proc/self/statm");
    double total = 0, resident = 0;
    statm >> total >> resident;
    return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

class Soak {
public:
    Soak(const SoakSettings& settings, std::shared_ptr<const TrainTest> data)
        : m_data(std::move(data)), m_random(settings.seed, RandomPurpose::Test) {}

    void round() {
        const Experiment experiment = randomExperiment();
        m_what = experimentToJson(experiment).dump();
        sameBitsWithFaults(experiment);
        sameBitsAfterAFork(experiment);
        stopsWhateverHappens(experiment);
        ++report.rounds;
    }

    SoakReport report;

private:
    template <class T>
    T one(std::initializer_list<T> choices) {
        return choices.begin()[m_random.nextBelow(static_cast<std::uint32_t>(choices.size()))];
    }
    int below(int bound) { return static_cast<int>(m_random.nextBelow(static_cast<std::uint32_t>(bound))); }
    bool chance(double probability) { return m_random.nextDouble() < probability; }

    Experiment randomExperiment();
    std::vector<ScheduledFault> randomFaults(const Experiment& experiment);
    Fault randomFault(const Experiment& experiment);

    void sameBitsWithFaults(const Experiment& experiment);
    void sameBitsAfterAFork(const Experiment& experiment);
    void stopsWhateverHappens(Experiment experiment);
    /// Pauses, steps and resumes it at random until it ends.
    void disturb(Run& run);
    std::shared_ptr<const RunResult> ended(Run& run);
    void failed(const std::string& what) {
        if (report.firstFailure.empty()) report.firstFailure = what + ": " + m_what;
    }

    std::shared_ptr<const TrainTest> m_data;
    RandomStream m_random;
    std::string m_what;
};

Experiment Soak::randomExperiment() {
    Experiment experiment;
    ClusterSettings& cluster = experiment.cluster;
    TrainingSettings& training = experiment.training;
    using Kind = SynchronizationKind;
    cluster.architecture = chance(0.6) ? Architecture::ParameterServer : Architecture::AllReduce;
    cluster.workers = 1 + below(9);
    cluster.servers = 1 + below(4);
    cluster.sharding = one({Sharding::Bytes, Sharding::Tensors});
    cluster.allreduce = one({AllReduceAlgorithm::Ring, AllReduceAlgorithm::Tree, AllReduceAlgorithm::HalvingDoubling,
                             AllReduceAlgorithm::Naive});
    cluster.computeJitter = one({0.0, 0.3});
    cluster.stragglerCount = below(2);
    cluster.stragglerSlowdown = 3;
    training.model = one({"softmax", "mlp", "cnn"});
    training.resolutionPx = 8;
    training.batchPerWorker = one({1, 4, 8, 300});
    training.maxSteps = 20 + below(40);
    training.epochs = 1e6;
    training.synchronization =
        cluster.architecture == Architecture::ParameterServer
            ? one({Kind::BulkSynchronous, Kind::StaleSynchronous, Kind::Asynchronous, Kind::LocalSgd, Kind::None})
            : one({Kind::BulkSynchronous, Kind::LocalSgd, Kind::None});
    training.stalenessBound = below(4);
    training.localSteps = 1 + below(8);
    if (cluster.workers > 2 && training.synchronization == Kind::BulkSynchronous) training.backupWorkers = below(2);
    training.optimizer = one({OptimizerKind::Sgd, OptimizerKind::Momentum, OptimizerKind::Nesterov, OptimizerKind::Adam,
                              OptimizerKind::Lars});
    training.learningRate = one({0.001, 0.01, 1e6});  // the last diverges
    training.gradientClipNorm = one({0.0, 1.0});
    training.compression = one({Compression::None, Compression::None, Compression::Fp16, Compression::TopK});
    training.partition = one({PartitionKind::Disjoint, PartitionKind::ByLabel, PartitionKind::Replicated});
    training.initialization = one({Initialization::Same, Initialization::Different});
    training.accumulationSteps = 1 + below(2);
    training.augmentation = chance(0.3);
    training.seed = m_random.nextBits();
    return experiment;
}

Fault Soak::randomFault(const Experiment& experiment) {
    const bool server = experiment.cluster.architecture == Architecture::ParameterServer && chance(0.3);
    return {.kind = one({FaultKind::Slow, FaultKind::Pause, FaultKind::Kill, FaultKind::Revive}),
            .server = server,
            .index = below(server ? experiment.cluster.servers : experiment.cluster.workers),
            .slowdown = 1 + 4 * m_random.nextDouble()};
}

std::vector<ScheduledFault> Soak::randomFaults(const Experiment& experiment) {
    std::vector<ScheduledFault> faults;
    for (int i = below(4); i > 0; --i) {
        ScheduledFault scheduled{.step = below(40), .fault = randomFault(experiment), .iterations = std::nullopt};
        if (scheduled.fault.kind != FaultKind::Revive && chance(0.8)) scheduled.iterations = below(10);
        faults.push_back(scheduled);
    }
    report.faults += static_cast<long long>(faults.size());
    return faults;
}

std::shared_ptr<const RunResult> Soak::ended(Run& run) {
    ++report.runs;
    if (!run.waitFor(kPatience)) {
        failed("a run hangs");
        run.requestStop();
    }
    run.wait();
    const auto result = run.result();
    if (result->outcome == RunState::Failed) failed("a run failed (" + result->error + ")");
    return result;
}

void Soak::disturb(Run& run) {
    while (!run.waitFor(std::chrono::milliseconds(below(5)))) {
        if (chance(0.3)) run.pause();
        if (chance(0.3)) run.stepOnce();
        run.resume();
        if (chance(0.01)) break;
    }
    run.resume();
}

void Soak::sameBitsWithFaults(const Experiment& experiment) {
    RunOptions options{.threads = 1, .waitsForRevival = false};
    options.faults = randomFaults(experiment);
    options.checkpointEvery = one({0, 5, 13});
    Run plain(experiment, m_data, options);
    const auto expected = ended(plain);
    options.threads = 2;
    options.snapshotEvery = 1 + below(10);
    Run disturbed(experiment, m_data, options);
    disturb(disturbed);
    const auto found = ended(disturbed);
    if (found->outcome != expected->outcome || found->parametersHashPerReplica != expected->parametersHashPerReplica ||
        found->last.step != expected->last.step)
        failed("other bits on two threads with pauses");
}

void Soak::sameBitsAfterAFork(const Experiment& experiment) {
    RunOptions options{.threads = 2};
    Run straight(experiment, m_data, options);
    const auto expected = ended(straight);
    options.stopAtStep = 1 + below(experiment.training.maxSteps - 1);
    Run first(experiment, m_data, options);
    const auto stopped = ended(first);
    if (stopped->outcome == RunState::Diverged) return;
    const auto checkpoints = first.checkpoints();
    if (checkpoints.empty()) return failed("no checkpoint where the run was to stop");
    options.stopAtStep = 0;
    options.goOnFrom = checkpoints.back();
    Run forked(experiment, m_data, options);
    const auto found = ended(forked);
    ++report.forks;
    if (found->outcome != expected->outcome || found->parametersHashPerReplica != expected->parametersHashPerReplica)
        failed("other bits after a fork");
}

void Soak::stopsWhateverHappens(Experiment experiment) {
    experiment.training.maxSteps = 0;
    Run run(experiment, m_data, {.threads = 2, .checkpointEvery = 10});
    for (int i = below(6); i > 0; --i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(below(8)));
        run.inject(randomFault(experiment));
        ++report.faults;
        if (chance(0.2)) run.pause();
        if (chance(0.2)) run.keepCheckpoint();
    }
    const SteadyClock::time_point request = SteadyClock::now();
    run.requestStop();
    static_cast<void>(ended(run));
    ++report.stops;
    report.worstStop_s = std::max(report.worstStop_s, secondsSince(request));
}

}  // namespace

SoakReport soak(const SoakSettings& settings, const std::shared_ptr<const TrainTest>& data,
                const std::function<void(const SoakReport&)>& progress) {
    Soak soak(settings, data);
    const SteadyClock::time_point begin = SteadyClock::now();
    while (secondsSince(begin) < settings.seconds && soak.report.firstFailure.empty()) {
        soak.round();
        if (soak.report.residentBytesEarly == 0 && secondsSince(begin) > settings.seconds / 10)
            soak.report.residentBytesEarly = residentBytes();
        progress(soak.report);
    }
    soak.report.residentBytesAtEnd = residentBytes();
    return soak.report;
}

}  // namespace lockstep
