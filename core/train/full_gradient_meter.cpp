#include "train/full_gradient_meter.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "nn/float_vector.h"

namespace lockstep {
namespace {

constexpr std::size_t kPiece = 256, kBlock = 8192;

/// Of a vector x against the one that it ought to be.
struct Comparison {
    double differenceSquared = 0, product = 0, xSquared = 0, trueSquared = 0;
};

template <class Values>
Comparison compareVectors(const Values& x, std::span<const double> truth) {
    Comparison sums;
    for (std::size_t i = 0; i < truth.size(); ++i) {
        const double value = x[i];
        sums.differenceSquared += (value - truth[i]) * (value - truth[i]);
        sums.product += value * truth[i];
        sums.xSquared += value * value;
        sums.trueSquared += truth[i] * truth[i];
    }
    return sums;
}

double relativeError(const Comparison& sums) {
    return sums.trueSquared > 0 ? std::sqrt(sums.differenceSquared / sums.trueSquared) : kNotMeasured;
}

double angleDeg(const Comparison& sums) {
    const double lengths = std::sqrt(sums.xSquared * sums.trueSquared);
    if (!(lengths > 0)) return kNotMeasured;
    return std::acos(std::clamp(sums.product / lengths, -1.0, 1.0)) * 180 / std::numbers::pi;
}

}  // namespace

FullGradientMeter::FullGradientMeter(const Network& network, const TrainingImages& images, const Partition& partition,
                                     ThreadPool& pool)
    : m_network(network), m_images(images), m_pool(pool) {
    for (int rank = 0; rank < partition.workers(); ++rank) {
        const auto shard = partition.shard(rank);
        m_samples.insert(m_samples.end(), shard.begin(), shard.end());
    }
    std::ranges::sort(m_samples);
}

bool FullGradientMeter::observe(std::span<const Worker> workers, std::stop_token stop) {
    const std::vector<double> mean = weightedMean(workers);
    if (m_updates % kCheckEvery == 0) {
        const std::vector<double> truth = gradientInOneGo(workers.front().parameters, stop);
        if (truth.empty()) return false;
        m_weightedMeanError = relativeError(compareVectors(mean, truth));
    }
    ++m_updates;
    compare(workers, mean);
    return true;
}

std::vector<double> FullGradientMeter::weightedMean(std::span<const Worker> workers) const {
    double samples = 0;
    for (const Worker& worker : workers) samples += static_cast<double>(worker.samples);
    std::vector<double> mean(m_network.trainedCount());
    m_pool.parallelFor((mean.size() + kBlock - 1) / kBlock, [&](std::size_t block, int) {
        const std::size_t begin = block * kBlock, end = std::min(begin + kBlock, mean.size());
        for (const Worker& worker : workers) {
            const double weight = static_cast<double>(worker.samples) / samples;
            for (std::size_t i = begin; i < end; ++i) mean[i] += weight * double{worker.gradient[i]};
        }
    });
    return mean;
}

void FullGradientMeter::compare(std::span<const Worker> workers, std::span<const double> mean) {
    m_shards.resize(workers.size());
    m_pool.parallelFor(workers.size(), [&](std::size_t rank, int) {
        const Comparison sums = compareVectors(workers[rank].gradient, mean);
        m_shards[rank] = {relativeError(sums), angleDeg(sums)};
    });
}

std::vector<double> FullGradientMeter::gradientInOneGo(std::span<const float> parameters, std::stop_token stop) const {
    const std::size_t largest = std::min(kPiece, m_samples.size());
    Workspace workspace(m_network, static_cast<int>(largest));
    FloatVector images(largest * m_images.valuesPerImage()), gradient(m_network.parameterCount());
    std::vector<std::uint8_t> labels(largest);
    std::vector<double> sum(m_network.trainedCount());
    for (std::size_t first = 0; first < m_samples.size(); first += kPiece) {
        const auto samples = std::span(m_samples).subspan(first, std::min(kPiece, m_samples.size() - first));
        const auto values = std::span(images).first(samples.size() * m_images.valuesPerImage());
        const auto pieceLabels = std::span(labels).first(samples.size());
        m_images.fillBatch(samples, values, pieceLabels);
        GradientTask task(m_network, parameters, {values, pieceLabels}, gradient, workspace, stop);
        if (!task.run(m_pool).complete) return {};
        const double weight = static_cast<double>(samples.size()) / static_cast<double>(m_samples.size());
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += weight * double{gradient[i]};
    }
    return sum;
}

FullGradients FullGradientMeter::summary() const {
    if (m_shards.empty()) return {};
    FullGradients summary{.mean = {0, 0}, .largest = {0, 0}, .weightedMeanError = m_weightedMeanError};
    const auto count = static_cast<double>(m_shards.size());
    for (const ShardGradient& shard : m_shards) {
        summary.mean.relativeError += shard.relativeError / count;
        summary.mean.angleDeg += shard.angleDeg / count;
        summary.largest.relativeError = std::max(summary.largest.relativeError, shard.relativeError);
        summary.largest.angleDeg = std::max(summary.largest.angleDeg, shard.angleDeg);
    }
    return summary;
}

}  // namespace lockstep
