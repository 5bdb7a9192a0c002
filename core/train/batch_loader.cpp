#include "train/batch_loader.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "base/stopwatch.h"

namespace lockstep {
namespace {

/// One thread makes batches for several that compute.
constexpr int kComputingThreadsPerLoader = 4;

int pieceSamples(const BatchLoader::Settings& settings) {
    constexpr int kLargest = static_cast<int>(BatchSource::kMaxPieceSamples);
    return settings.fullShard ? kLargest : std::min(settings.batchPerWorker, kLargest);
}

/// What one node loads ahead, for all its workers.
double queueSamples(const BatchLoader::Settings& settings) {
    const int batch = settings.fullShard ? pieceSamples(settings) : settings.batchPerWorker;
    return double{1} * settings.devicesPerNode * settings.prefetchBatches * batch;
}

}  // namespace

void LoadingTally::add(const LoadingTally& other) {
    samples += other.samples;
    limited_s += other.limited_s;
    made += other.made;
    making_s += other.making_s;
    blocked_s += other.blocked_s;
}

BatchLoader::Settings BatchLoader::settingsFor(const Experiment& experiment, int workers, int computingThreads) {
    const TrainingSettings& training = experiment.training;
    const bool ahead = training.augmentation && experiment.cluster.prefetchBatches > 0;
    const int threads = (computingThreads + kComputingThreadsPerLoader - 1) / kComputingThreadsPerLoader;
    return {.workers = workers,
            .devicesPerNode = std::max(1, experiment.cluster.devicesPerNode),
            .prefetchBatches = experiment.cluster.prefetchBatches,
            .batchPerWorker = training.batchPerWorker,
            .fullShard = training.gradient == GradientKind::Full,
            .threads = ahead ? threads : 0,
            .computingThreads = computingThreads};
}

std::size_t BatchLoader::queueDepth(const Settings& settings) {
    constexpr int kPiece = static_cast<int>(BatchSource::kMaxPieceSamples);
    const int pieces = settings.fullShard ? 1 : (settings.batchPerWorker + kPiece - 1) / kPiece;
    return static_cast<std::size_t>(settings.prefetchBatches) * static_cast<std::size_t>(pieces);
}

double BatchLoader::bytes(const Settings& settings, double valuesPerImage) {
    if (settings.threads == 0) return 0;
    return PrefetchQueue::bytes({.ranks = settings.workers, .threads = 1, .depth = queueDepth(settings)},
                                pieceSamples(settings), valuesPerImage);
}

BatchLoader::BatchLoader(BatchSource& source, LoadingPace& pace, const Settings& settings)
    : m_source(source), m_pace(pace), m_settings(settings) {
    if (settings.threads > 0)
        m_queue.emplace(source,
                        PrefetchQueue::Settings{
                            .ranks = settings.workers, .threads = settings.threads, .depth = queueDepth(settings)});
}

bool BatchLoader::load(const PiecePlace& place, std::span<float> values, std::span<std::uint8_t> labels, double share,
                       LoadingTally& tally, const std::stop_token& stop) {
    const auto samples = static_cast<double>(labels.size());
    const SteadyClock::time_point begin = SteadyClock::now();
    if (const double rate = m_pace.rate(); rate > 0) {
        const bool there = m_pace.await({.node = place.rank / m_settings.devicesPerNode,
                                         .samples = samples,
                                         .queueSamples = queueSamples(m_settings)},
                                        stop);
        if (!there) return false;
        tally.limited_s += samples / rate;
    }
    if (m_queue) {
        if (!m_queue->take(place, values, labels, stop)) return false;
    } else {
        const SteadyClock::time_point making = SteadyClock::now();
        m_source.fill(place, values, labels);
        tally.made += samples;
        tally.making_s += secondsSince(making);
    }
    tally.samples += samples;
    tally.blocked_s += share * secondsSince(begin);
    return true;
}

LoadingReport BatchLoader::report(const LoadingTally& tally) {
    const PrefetchQueue::Work work = m_queue ? m_queue->takeWork() : PrefetchQueue::Work{tally.made, tally.making_s};
    const int makers = m_queue ? m_settings.threads : m_settings.computingThreads;
    const int nodes = (m_settings.workers + m_settings.devicesPerNode - 1) / m_settings.devicesPerNode;
    LoadingReport report{.samplesPerS = std::numeric_limits<double>::infinity(), .blocked_s = tally.blocked_s};
    if (work.samples > 0 && work.seconds > 0) report.samplesPerS = makers * work.samples / work.seconds;
    if (tally.limited_s > 0) report.samplesPerS = std::min(report.samplesPerS, nodes * tally.samples / tally.limited_s);
    if (!(tally.samples > 0)) report.samplesPerS = std::numeric_limits<double>::quiet_NaN();
    return report;
}

}  // namespace lockstep
