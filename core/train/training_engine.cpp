#include "train/training_engine.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "experiment/resolved.h"
#include "optim/schedule.h"
#include "train/parameters_hash.h"
#include "train/server_layout.h"

namespace lockstep {
namespace {

/// Sums of images that differing replicas are tested on, all together.
constexpr std::size_t kReplicaTests = 20000, kReplicaTestsAtEnd = 80000, kLeastReplicaTests = 250;

bool sendsGradients(const Experiment& experiment, const RunPlan& plan) {
    const SynchronizationKind kind = experiment.training.synchronization;
    const bool alone = plan.servers == 0 && plan.workers == 1;
    return !alone && kind != SynchronizationKind::LocalSgd && kind != SynchronizationKind::None;
}

/// `count` vectors of `size` in one piece of memory, each on cache lines of its own.
std::vector<std::span<float>> cutIntoVectors(FloatVector& memory, std::size_t count, std::size_t size) {
    constexpr std::size_t kFloatsPerLine =
        static_cast<std::size_t>(CacheLineAllocator<float>::kAlignment) / sizeof(float);
    const std::size_t stride = (size + kFloatsPerLine - 1) / kFloatsPerLine * kFloatsPerLine;
    memory.resize(count * stride);
    std::vector<std::span<float>> vectors;
    for (std::size_t i = 0; i < count; ++i) vectors.push_back(std::span(memory).subspan(i * stride, size));
    return vectors;
}

Standardization standardization(const TrainingImages& images) { return {{images.mean()}, {images.deviation()}}; }

}  // namespace

Result<std::unique_ptr<TrainingEngine>> TrainingEngine::make(const Experiment& experiment, const TrainTest& data,
                                                             ThreadPool& pool, std::stop_token stop,
                                                             std::shared_ptr<LoadingPace> pace) {
    auto plan = planRun(experiment, data);
    if (!plan) return fail(plan.error().message);
    plan->computeShare = modelledComputeShare(experiment);
    TrainingImages train(data.train, plan->resolutionPx, &pool, stop);
    if (stop.stop_requested()) return nullptr;
    TrainingImages test(data.test, plan->resolutionPx, &pool, stop);
    if (stop.stop_requested()) return nullptr;
    auto network = buildNetwork(experiment, *plan, data.train, standardization(train));
    if (!network) return fail(network.error().message);
    auto partition = Partition::make({.kind = experiment.training.partition,
                                      .workers = plan->workers,
                                      .batchPerWorker = experiment.training.batchPerWorker,
                                      .seed = experiment.training.seed},
                                     train.labels());
    if (!partition) return fail(partition.error().message);
    if (stop.stop_requested()) return nullptr;
    if (!pace) pace = std::make_shared<LoadingPace>(experiment.cluster.loaderSamplesPerS);
    return std::unique_ptr<TrainingEngine>(new TrainingEngine(experiment, *plan, *std::move(network), std::move(train),
                                                              std::move(test), *std::move(partition), std::move(pace),
                                                              pool));
}

TrainingEngine::TrainingEngine(const Experiment& experiment, const RunPlan& plan, Network network, TrainingImages train,
                               TrainingImages test, Partition partition, std::shared_ptr<LoadingPace> pace,
                               ThreadPool& pool)
    : m_experiment(experiment),
      m_plan(plan),
      m_health{std::vector<MachineHealth>(static_cast<std::size_t>(plan.workers)),
               std::vector<MachineHealth>(static_cast<std::size_t>(plan.servers))},
      m_network(std::move(network)),
      m_train(std::move(train)),
      m_test(std::move(test)),
      m_partition(std::move(partition)),
      m_pace(std::move(pace)),
      m_pool(pool),
      m_queue(experiment, plan.workers, plan.computeShare),
      m_timePerIteration(m_queue.timePerIteration(experiment.training)),
      m_meters(experiment, plan, m_network, m_train, m_partition, pool),
      m_evaluator(m_network, m_test, pool),
      m_states(static_cast<std::size_t>(plan.workers)) {
    createReplicas();
    createExchange();
    m_gradients = std::make_unique<GradientEngine>(m_network, m_train, m_partition, *m_pace, gradientSettings(), pool);
    m_synchronization = makeSynchronization(
        m_experiment, {.workers = m_workers,
                       .queue = m_queue,
                       .pool = m_pool,
                       .exchange = *m_exchange,
                       .servers = m_servers,
                       .noiseScale = m_meters.noiseScale(),
                       .update = updateSettings(),
                       .health = m_health,
                       .initialize = [this](std::span<float> replica, int rank) { initialize(replica, rank); }});
    m_synchronization->begin();
}

TrainingEngine::~TrainingEngine() = default;

GradientEngine::Settings TrainingEngine::gradientSettings() const {
    const TrainingSettings& training = m_experiment.training;
    return {.accumulationSteps = training.accumulationSteps,
            .batches = {.fullShard = training.gradient == GradientKind::Full,
                        .augmentation = training.augmentation,
                        .seed = training.seed},
            .loading = BatchLoader::settingsFor(m_experiment, m_plan.workers, m_pool.threadCount()),
            .compression = compressions()};
}

std::vector<IndexRange> TrainingEngine::layers() const {
    std::vector<IndexRange> layers;
    int layer = -1;
    for (const ParameterRange& range : m_network.parameterRanges()) {
        if (range.layer != layer) layers.push_back({range.offset, range.offset});
        layer = range.layer;
        layers.back().end = range.offset + range.count;
    }
    return layers;
}

ServerGroup::Settings TrainingEngine::updateSettings() const {
    return {.optimizer = optimizerSettings(m_experiment.training),
            .clipNorm = m_experiment.training.gradientClipNorm,
            .layers = layers(),
            .trained = m_network.trainedCount()};
}

void TrainingEngine::createReplicas() {
    const std::size_t parameters = m_network.parameterCount();
    const auto workers = static_cast<std::size_t>(m_plan.workers);
    m_replicas = cutIntoVectors(m_replicaMemory, m_plan.sharedReplica ? 1 : workers, parameters);
    for (std::size_t replica = 0; replica < m_replicas.size(); ++replica)
        initialize(m_replicas[replica], static_cast<int>(replica));
    const std::vector<std::span<float>> gradients = cutIntoVectors(m_gradientMemory, workers, parameters);
    for (std::size_t rank = 0; rank < workers; ++rank) {
        Worker worker;
        worker.rank = static_cast<int>(rank);
        worker.parameters = m_replicas[m_plan.sharedReplica ? 0 : rank];
        worker.gradient = gradients[rank];
        m_workers.push_back(worker);
    }
}

void TrainingEngine::initialize(std::span<float> replica, int rank) const {
    const bool different = m_experiment.training.initialization == Initialization::Different;
    RandomStream stream(m_experiment.training.seed, RandomPurpose::Parameters,
                        different ? static_cast<std::uint32_t>(rank) : 0);
    m_network.initialize(replica, stream);
}

void TrainingEngine::createExchange() {
    if (m_plan.servers == 0) {
        auto exchange = std::make_unique<AllReduceExchange>(
            m_workers, updateSettings(), allReduceOf(m_experiment, m_plan, m_network.parameterCount()),
            m_replicas.size(), m_pool);
        if (m_experiment.training.compression == Compression::TopK && sendsGradients(m_experiment, m_plan))
            exchange->gatherSparse(
                GradientCompression::keptEntries(m_experiment.training.topKFraction, m_network.trainedCount()));
        m_exchange = std::move(exchange);
        return;
    }
    std::vector<IndexRange> tensors;
    for (const ParameterRange& range : m_network.parameterRanges())
        tensors.push_back({range.offset, range.offset + range.count});
    const auto layout = serverLayout(m_experiment.cluster.sharding, m_plan.servers, tensors);
    auto group = std::make_unique<ServerGroup>(layout, updateSettings(), m_replicas.front(), m_pool);
    auto exchange =
        std::make_unique<ServerExchange>(m_workers, std::move(group), m_experiment.cluster.serverPlacement, layout);
    m_servers = exchange.get();
    m_exchange = std::move(exchange);
}

std::vector<GradientCompression> TrainingEngine::compressions() const {
    const TrainingSettings& training = m_experiment.training;
    std::vector<GradientCompression> compressions;
    if (training.compression == Compression::None || !sendsGradients(m_experiment, m_plan)) return compressions;
    for (int rank = 0; rank < m_plan.workers; ++rank)
        compressions.emplace_back(training.compression, training.topKFraction, m_network.trainedCount());
    m_exchange->setWireFormat(WireFormat(training.compression, m_network.trainedCount()));
    return compressions;
}

void TrainingEngine::setMeters(const Meters& meters) {
    m_meters.setEnabled(meters);
    m_timed = meters.times;
    m_gradients->setTimed(meters.times);
    m_exchange->time().setEnabled(meters.times);
}

void TrainingEngine::setLearningRate(double baseRate) { m_experiment.training.learningRate = baseRate; }

double TrainingEngine::learningRate() const {
    const ScheduleSettings schedule{.schedule = m_experiment.training.schedule,
                                    .warmupSteps = m_experiment.training.warmupSteps,
                                    .totalSteps = m_begun.step + m_plan.totalSteps};
    return scaledLearningRate(m_experiment) * scheduleFactor(schedule, m_step);
}

TrainingEngine::Advance TrainingEngine::advance(std::stop_token stop) {
    while (!halted()) {
        if (m_unsettled && (m_queue.empty() || m_queue.next().time > m_time)) {
            m_synchronization->settled(m_time);
            m_unsettled = false;
        }
        if (m_queue.empty()) break;
        if (!m_gradients->compute(m_workers, stop)) return Advance::Stopped;
        // Who is not there has no gradient of this step.
        if (m_health.up() && !m_meters.observeGradients(m_workers, m_step, stop)) return Advance::Stopped;
        const Arrival arrival = m_queue.next();
        const Worker& worker = m_workers[static_cast<std::size_t>(arrival.rank)];
        if (!std::isfinite(worker.loss)) return Advance::Diverged;
        m_queue.pop();
        m_time = arrival.time;
        m_unsettled = true;
        record(worker);
        if (!m_synchronization->arrived(arrival, learningRate())) continue;
        ++m_step;
        return Advance::Stepped;
    }
    return Advance::Halted;
}

void TrainingEngine::record(const Worker& worker) {
    m_window.lossSum += worker.loss * static_cast<double>(worker.samples);
    m_window.samples += worker.samples;
    m_window.correct += worker.correct;
    m_states[static_cast<std::size_t>(worker.rank)].loss = worker.loss;
}

void TrainingEngine::takeProgress(Snapshot& snapshot) {
    snapshot.step = m_step;
    snapshot.epoch = epoch();
    snapshot.learningRate = learningRate();
    m_meters.addGradients(snapshot, m_states);
    addTransfersAndTimes(snapshot);
    const AppliedGradients applied = m_synchronization->takeApplied();
    m_samplesSeen += applied.samples;
    snapshot.samplesSeen = m_samplesSeen;
    if (applied.gradients > 0)
        snapshot.staleness = {static_cast<double>(applied.stalenessSum) / static_cast<double>(applied.gradients),
                              static_cast<double>(applied.stalenessMax)};
    if (m_window.samples > 0) {
        const auto samples = static_cast<double>(m_window.samples);
        snapshot.loss = m_window.lossSum / samples;
        snapshot.trainAccuracy = static_cast<double>(m_window.correct) / samples;
    }
    m_window = {};
    snapshot.replicas = m_states;
    snapshot.health = m_health;
}

void TrainingEngine::addTransfersAndTimes(Snapshot& snapshot) {
    const Traffic& traffic = m_exchange->traffic();
    snapshot.bytesSent = bytesSent();
    snapshot.servers = traffic.servers;
    // Without synchronization nobody waits; that the run goes step by step is its own affair.
    const bool wait = m_experiment.training.synchronization != SynchronizationKind::None && m_time > 0;
    for (std::size_t rank = 0; rank < m_states.size(); ++rank) {
        ReplicaState& state = m_states[rank];
        state.bytes = traffic.workers[rank];
        state.waitingShare = wait ? m_queue.waited(static_cast<int>(rank), m_time) / m_time : 0;
        if (!m_timed) continue;
        state.compute_s = m_gradients->computeSeconds(static_cast<int>(rank));
        state.communication_s = m_exchange->time().seconds()[rank];
    }
}

long long TrainingEngine::samplesSeen() const { return m_samplesSeen + m_synchronization->appliedSamples(); }

std::vector<std::span<const float>> TrainingEngine::replicas() const { return {m_replicas.begin(), m_replicas.end()}; }

std::vector<std::span<const float>> TrainingEngine::trainedParts() const {
    std::vector<std::span<const float>> parts;
    for (const std::span<const float> replica : replicas()) parts.push_back(replica.first(m_network.trainedCount()));
    return parts;
}

/// The mean of what the replicas trained, and of their running statistics. Nothing when stopped.
std::optional<FloatVector> TrainingEngine::averageModel(std::stop_token stop) const {
    std::optional<FloatVector> average = m_meters.average(trainedParts(), std::move(stop));
    if (!average) return average;
    const std::size_t trained = m_network.trainedCount();
    average->resize(m_network.parameterCount());
    const std::span<float> statistics = std::span<float>(*average).subspan(trained);
    for (const std::span<const float> replica : replicas()) add(replica.subspan(trained), statistics);
    multiply(statistics, 1.0F / static_cast<float>(m_replicas.size()));
    return average;
}

void TrainingEngine::measureDivergence(Snapshot& snapshot, std::stop_token stop) {
    if (m_synchronization->replicasIdentical())
        m_meters.addNoDivergence(snapshot);
    else
        m_meters.addDivergence(snapshot, m_states, trainedParts(), finished(), stop);
    snapshot.replicas = m_states;
}

void TrainingEngine::test(Snapshot& snapshot, bool atEnd, std::stop_token stop) {
    if (m_synchronization->hasModel()) {
        const FloatVector parameters = model();
        const std::span<const float> one = parameters;
        const auto tested = m_evaluator.evaluate({&one, 1}, m_evaluator.size(), stop);
        if (tested.empty()) return;
        snapshot.testAccuracy = tested.front().accuracy;
        snapshot.testLoss = tested.front().loss;
    }
    if (m_synchronization->replicasIdentical()) {
        snapshot.divergence.predictionDisagreement = 0;
        for (ReplicaState& state : m_states) state.testAccuracy = snapshot.testAccuracy;
        snapshot.replicas = m_states;
    } else {
        testReplicas(snapshot, atEnd, stop);
    }
}

void TrainingEngine::testReplicas(Snapshot& snapshot, bool atEnd, std::stop_token stop) {
    std::vector<std::span<const float>> models = replicas();
    const std::size_t budget = (atEnd ? kReplicaTestsAtEnd : kReplicaTests) / models.size();
    const std::size_t samples =
        std::clamp(budget, kLeastReplicaTests, std::max(kLeastReplicaTests, m_evaluator.size()));
    FloatVector average;
    if (!m_synchronization->hasModel()) {
        auto mean = averageModel(stop);
        if (!mean) return;
        average = *std::move(mean);
        models.push_back(average);
    }
    auto tested = m_evaluator.evaluate(models, samples, stop);
    if (tested.empty()) return;
    if (!m_synchronization->hasModel()) {
        snapshot.averageModelTestAccuracy = tested.back().accuracy;
        tested.pop_back();
        snapshot.testAccuracy = snapshot.testLoss = 0;
        for (const Evaluation& one : tested) {
            snapshot.testAccuracy += one.accuracy / static_cast<double>(tested.size());
            snapshot.testLoss += one.loss / static_cast<double>(tested.size());
        }
    }
    snapshot.divergence.predictionDisagreement = predictionDisagreement(tested);
    for (std::size_t rank = 0; rank < m_states.size(); ++rank) m_states[rank].testAccuracy = tested[rank].accuracy;
    snapshot.replicas = m_states;
}

FloatVector TrainingEngine::model() {
    FloatVector parameters(m_network.parameterCount());
    if (m_synchronization->hasModel())
        m_synchronization->readModel(parameters);
    else
        std::ranges::copy(m_replicas.front(), parameters.begin());
    return parameters;
}

std::uint64_t TrainingEngine::modelHash() { return parametersHash(model()); }

std::vector<std::uint64_t> TrainingEngine::replicaHashes() {
    std::vector<std::uint64_t> hashes(m_replicas.size());
    m_pool.parallelFor(hashes.size(), [&](std::size_t i, int) { hashes[i] = parametersHash(m_replicas[i]); });
    hashes.resize(m_workers.size(), hashes.front());
    return hashes;
}

}  // namespace lockstep
