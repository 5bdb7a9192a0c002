#include "train/gradient_engine.h"

#include <algorithm>
#include <utility>

#include "optim/vector_math.h"
#include "train/busy_time.h"

namespace lockstep {
namespace {

/// Adds weight * piece to the gradient, or begins with it.
void accumulate(std::span<const float> piece, float weight, bool first, std::span<float> gradient) {
    const float* from = piece.data();
    float* to = gradient.data();
    if (first)
        for (std::size_t i = 0; i < gradient.size(); ++i) to[i] = weight * from[i];
    else
        for (std::size_t i = 0; i < gradient.size(); ++i) to[i] += weight * from[i];
}

int pieceSamples(double samplesPerGradient) {
    return static_cast<int>(std::min<double>(samplesPerGradient, GradientEngine::kMaxPieceSamples));
}

}  // namespace

GradientEngine::GradientEngine(const Network& network, const TrainingImages& images, Partition& partition,
                               Settings settings, ThreadPool& pool)
    : m_network(network),
      m_images(images),
      m_partition(partition),
      m_settings(std::move(settings)),
      m_pool(pool),
      m_batchesDone(static_cast<std::size_t>(partition.workers())),
      m_compute_s(m_batchesDone.size()) {
    const int samples = pieceSamples(samplesPerGradient(0));
    const auto count = static_cast<std::size_t>(samples);
    for (int thread = 0; thread < pool.threadCount(); ++thread)
        m_scratch.push_back({Workspace(network, samples), FloatVector(count * images.valuesPerImage()),
                             std::vector<std::uint8_t>(count), FloatVector()});
}

double GradientEngine::samplesPerGradient(int rank) const {
    if (m_settings.fullShard) return static_cast<double>(m_partition.shard(rank).size());
    return double{1} * m_partition.batchPerWorker() * m_settings.accumulationSteps;
}

double GradientEngine::scratchBytes(const Network& network, double samplesPerGradient) {
    const int samples = pieceSamples(samplesPerGradient);
    return static_cast<double>(Workspace::bytes(network, samples)) +
           sizeof(float) * (static_cast<double>(network.spec().input.elements()) * samples +
                            static_cast<double>(network.parameterCount()));
}

bool GradientEngine::compute(std::span<Worker> workers, std::stop_token stop) {
    std::vector<Worker*> pending;
    for (Worker& worker : workers)
        if (worker.pending) pending.push_back(&worker);
    const auto threads = static_cast<std::size_t>(m_pool.threadCount());
    const std::size_t alone = pending.size() - pending.size() % threads;
    m_pool.parallelFor(alone, [&](std::size_t index, int thread) {
        computeAlone(*pending[index], m_scratch[static_cast<std::size_t>(thread)], stop);
    });
    for (std::size_t index = alone; index < pending.size(); ++index) computeTogether(*pending[index], stop);
    return std::ranges::none_of(pending, &Worker::pending);
}

LabelledBatch GradientEngine::load(Scratch& scratch, std::span<const std::uint32_t> samples) const {
    const std::span values = std::span(scratch.images).first(samples.size() * m_images.valuesPerImage());
    const std::span labels = std::span(scratch.labels).first(samples.size());
    m_images.fillBatch(samples, values, labels);
    return {values, labels};
}

/// `pieceGradient` computes the gradient of a loaded piece; the batch's is the mean over its samples.
template <class PieceGradient>
void GradientEngine::computeBatch(Worker& worker, Scratch& scratch, PieceGradient pieceGradient) {
    const double total = samplesPerGradient(worker.rank);
    const bool onePiece = total <= kMaxPieceSamples && m_settings.accumulationSteps == 1;
    if (!onePiece) scratch.gradient.resize(worker.gradient.size());
    const std::span<float> target = onePiece ? std::span<float>(worker.gradient) : std::span<float>(scratch.gradient);
    const long long batches = m_settings.fullShard ? 1 : m_settings.accumulationSteps;
    long long done = 0, correct = 0;
    double loss = 0;
    for (long long batch = 0; batch < batches; ++batch) {
        const long long number = m_batchesDone[static_cast<std::size_t>(worker.rank)] + batch;
        const long long perEpoch = m_partition.stepsPerEpoch();
        auto samples = m_settings.fullShard ? m_partition.shard(worker.rank)
                                            : m_partition.batch(worker.rank, number / perEpoch, number % perEpoch);
        while (!samples.empty()) {
            const std::size_t count = std::min<std::size_t>(samples.size(), kMaxPieceSamples);
            const BatchResult result = pieceGradient(load(scratch, samples.first(count)), target);
            if (!result.complete) return;
            const double weight = static_cast<double>(count) / total;
            if (!onePiece) accumulate(target, static_cast<float>(weight), done == 0, worker.gradient);
            loss += weight * result.loss;
            correct += result.correct;
            done += static_cast<long long>(count);
            samples = samples.subspan(count);
        }
    }
    worker.loss = loss;
    worker.correct = correct;
    worker.samples = done;
    finish(worker);
}

void GradientEngine::finish(Worker& worker) {
    const auto rank = static_cast<std::size_t>(worker.rank);
    m_batchesDone[rank] += m_settings.fullShard ? 1 : m_settings.accumulationSteps;
    if (!m_settings.compression.empty())
        m_settings.compression[rank].apply(worker.gradient.first(m_network.trainedCount()));
    worker.pending = false;
}

void GradientEngine::computeAlone(Worker& worker, Scratch& scratch, std::stop_token stop) {
    if (stop.stop_requested()) return;
    const BusyTime busy(m_timed ? &m_compute_s[static_cast<std::size_t>(worker.rank)] : nullptr);
    computeBatch(worker, scratch, [&](const LabelledBatch& batch, std::span<float> gradient) {
        return m_network.lossAndGradient(worker.parameters, batch, gradient, scratch.workspace, stop);
    });
}

void GradientEngine::computeTogether(Worker& worker, std::stop_token stop) {
    Scratch& scratch = m_scratch.front();
    std::vector<double> seconds(m_scratch.size());  // by thread
    computeBatch(worker, scratch, [&](const LabelledBatch& batch, std::span<float> gradient) {
        GradientTask task(m_network, worker.parameters, batch, gradient, scratch.workspace, stop);
        for (int phase = 0; phase < task.phaseCount(); ++phase) {
            if (stop.stop_requested()) return BatchResult{};
            m_pool.parallelFor(static_cast<std::size_t>(task.partCount(phase)), [&](std::size_t part, int thread) {
                const BusyTime busy(m_timed ? &seconds[static_cast<std::size_t>(thread)] : nullptr);
                task.runPart(phase, static_cast<int>(part));
            });
        }
        return task.result();
    });
    for (const double busy : seconds) m_compute_s[static_cast<std::size_t>(worker.rank)] += busy;
}

}  // namespace lockstep
