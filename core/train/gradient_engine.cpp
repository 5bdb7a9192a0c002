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
                               LoadingPace& pace, Settings settings, ThreadPool& pool)
    : m_network(network),
      m_settings(std::move(settings)),
      m_pool(pool),
      m_batchesDone(static_cast<std::size_t>(partition.workers())),
      m_compute_s(m_batchesDone.size()),
      m_source(images, partition, m_settings.batches),
      m_loader(m_source, pace, m_settings.loading) {
    const int samples = pieceSamples(samplesPerGradient(0));
    const auto count = static_cast<std::size_t>(samples);
    for (int thread = 0; thread < pool.threadCount(); ++thread)
        m_scratch.push_back({Workspace(network, samples), FloatVector(count * images.valuesPerImage()),
                             std::vector<std::uint8_t>(count), FloatVector(), LoadingTally()});
}

double GradientEngine::samplesPerGradient(int rank) const {
    return static_cast<double>(m_source.batchSamples(rank)) * batchesPerGradient();
}

int GradientEngine::batchesPerGradient() const {
    return m_settings.batches.fullShard ? 1 : m_settings.accumulationSteps;
}

LoadingReport GradientEngine::takeLoading() {
    LoadingTally all;
    for (Scratch& scratch : m_scratch) all.add(std::exchange(scratch.loading, {}));
    return m_loader.report(all);
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

LabelledBatch GradientEngine::load(const PiecePlace& place, const Turn& turn) {
    const std::size_t samples = m_source.pieceSamples(place);
    const std::span values = std::span(turn.scratch.images).first(samples * m_source.valuesPerImage());
    const std::span labels = std::span(turn.scratch.labels).first(samples);
    if (!m_loader.load(place, values, labels, turn.share, turn.scratch.loading, turn.stop)) return {};
    return {values, labels};
}

/// `pieceGradient` computes the gradient of a loaded piece; the batch's is the mean over its samples.
template <class PieceGradient>
void GradientEngine::computeBatch(Worker& worker, Turn turn, PieceGradient pieceGradient) {
    Scratch& scratch = turn.scratch;
    const double total = samplesPerGradient(worker.rank);
    const std::size_t pieces = m_source.pieceCount(worker.rank);
    const bool onePiece = pieces == 1 && m_settings.accumulationSteps == 1;
    if (!onePiece) scratch.gradient.resize(worker.gradient.size());
    const std::span<float> target = onePiece ? std::span<float>(worker.gradient) : std::span<float>(scratch.gradient);
    PiecePlace place{.rank = worker.rank, .batch = m_batchesDone[static_cast<std::size_t>(worker.rank)]};
    long long done = 0, correct = 0;
    double loss = 0;
    for (std::size_t piece = 0; piece < pieces * static_cast<std::size_t>(batchesPerGradient()); ++piece) {
        const LabelledBatch batch = load(place, turn);
        if (batch.labels.empty()) return;
        const BatchResult result = pieceGradient(batch, target);
        if (!result.complete) return;
        const double weight = static_cast<double>(batch.labels.size()) / total;
        if (!onePiece) accumulate(target, static_cast<float>(weight), done == 0, worker.gradient);
        loss += weight * result.loss;
        correct += result.correct;
        done += static_cast<long long>(batch.labels.size());
        place = m_source.after(place);
    }
    worker.loss = loss;
    worker.correct = correct;
    worker.samples = done;
    finish(worker);
}

void GradientEngine::archive(StateArchive& archive) {
    archive.elements(std::span(m_batchesDone));
    for (GradientCompression& compression : m_settings.compression) compression.archive(archive);
}

void GradientEngine::finish(Worker& worker) {
    const auto rank = static_cast<std::size_t>(worker.rank);
    m_batchesDone[rank] += batchesPerGradient();
    if (!m_settings.compression.empty())
        m_settings.compression[rank].apply(worker.gradient.first(m_network.trainedCount()));
    worker.pending = false;
}

void GradientEngine::computeAlone(Worker& worker, Scratch& scratch, std::stop_token stop) {
    if (stop.stop_requested()) return;
    const Turn turn{scratch, 1.0 / m_pool.threadCount(), stop};
    computeBatch(worker, turn, [&](const LabelledBatch& batch, std::span<float> gradient) {
        const BusyTime busy(m_timed ? &m_compute_s[static_cast<std::size_t>(worker.rank)] : nullptr);
        return m_network.lossAndGradient(worker.parameters, batch, gradient, scratch.workspace, stop);
    });
}

void GradientEngine::computeTogether(Worker& worker, std::stop_token stop) {
    Scratch& scratch = m_scratch.front();
    std::vector<double> seconds(m_scratch.size());  // by thread
    computeBatch(worker, {scratch, 1, stop}, [&](const LabelledBatch& batch, std::span<float> gradient) {
        GradientTask task(m_network, worker.parameters, batch, gradient, scratch.workspace, stop);
        return task.run(m_pool, [&](int thread, auto part) {
            const BusyTime busy(m_timed ? &seconds[static_cast<std::size_t>(thread)] : nullptr);
            part();
        });
    });
    for (const double busy : seconds) m_compute_s[static_cast<std::size_t>(worker.rank)] += busy;
}

}  // namespace lockstep
