#include "train/noise_scale_meter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "optim/vector_math.h"

namespace lockstep {
namespace {

constexpr long long kEvery = 10;
constexpr std::size_t kBlock = 8192;

/// Sums of the workers' weights, over the even and the odd places among the contributions.
struct Weights {
    std::array<double, 2> half{};
    std::array<double, 2> halfSquares{};

    [[nodiscard]] double squares() const { return halfSquares[0] + halfSquares[1]; }
    /// Variance of the mean over that of the difference of the halves' averages.
    [[nodiscard]] double shareOfDifference() const {
        return squares() / (halfSquares[0] / (half[0] * half[0]) + halfSquares[1] / (half[1] * half[1]));
    }
};

Weights weightsOf(std::span<const Contribution> gradients) {
    Weights weights;
    for (std::size_t i = 0; i < gradients.size(); ++i) {
        const double weight = gradients[i].weight;
        weights.half[i % 2] += weight;
        weights.halfSquares[i % 2] += weight * weight;
    }
    return weights;
}

struct Norms {
    double each = 0;    ///< weighted mean of |g_i|^2
    double mean = 0;    ///< |mean of g_i|^2
    double halves = 0;  ///< |mean of the even - mean of the odd|^2
};

void addScaled(float weight, std::span<const float> x, std::span<float> y) {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += weight * x[i];
}

Norms blockNorms(std::span<const Contribution> gradients, const Weights& weights, std::size_t begin, std::size_t size) {
    Norms norms;
    std::array<std::vector<float>, 2> sums{std::vector<float>(size), std::vector<float>(size)};
    for (std::size_t i = 0; i < gradients.size(); ++i) {
        const auto values = gradients[i].values.subspan(begin, size);
        norms.each += gradients[i].weight * squaredNorm(values);
        addScaled(gradients[i].weight, values, sums[i % 2]);
    }
    for (std::size_t half = 0; half < 2; ++half) multiply(sums[half], static_cast<float>(1 / weights.half[half]));
    norms.halves = squaredDistance(sums[0], sums[1]);
    multiply(sums[0], static_cast<float>(weights.half[0]));
    addScaled(static_cast<float>(weights.half[1]), sums[1], sums[0]);
    norms.mean = squaredNorm(sums[0]);
    return norms;
}

}  // namespace

void NoiseScaleMeter::observe(std::span<const Contribution> gradients, double samplesEach) {
    const bool wanted = m_enabled && (m_settings.noiseScale || m_settings.variance);
    if (!wanted || gradients.size() < 2 || m_updates++ % kEvery != 0) return;
    const std::size_t size = std::min(m_settings.trained, gradients.front().values.size());
    const Weights weights = weightsOf(gradients);
    std::vector<Norms> blocks((size + kBlock - 1) / kBlock);
    m_pool.parallelFor(blocks.size(), [&](std::size_t block, int) {
        blocks[block] = blockNorms(gradients, weights, block * kBlock, std::min(kBlock, size - block * kBlock));
    });
    Norms norms;
    for (const Norms& block : blocks) {
        norms.each += block.each;
        norms.mean += block.mean;
        norms.halves += block.halves;
    }
    if (m_settings.noiseScale) observeNoise(norms.each, norms.mean, samplesEach, gradients.size());
    if (m_settings.variance)
        m_variance.observe(std::max(0.0, norms.each - norms.mean) / (1 - weights.squares()),
                           norms.halves * weights.shareOfDifference());
}

void NoiseScaleMeter::observeNoise(double meanOfSquares, double squareOfMean, double samplesEach, std::size_t workers) {
    const double small = samplesEach, large = samplesEach * static_cast<double>(workers);
    m_noise.observe((large * squareOfMean - small * meanOfSquares) / (large - small),
                    (meanOfSquares - squareOfMean) / (1 / small - 1 / large));
}

GradientVariance NoiseScaleMeter::variance() const {
    if (m_variance.empty()) return {};
    return {m_variance.x(), m_variance.y()};
}

double suggestedGlobalBatch(double noiseScale) {
    return noiseScale > 0 ? std::max(1.0, std::round(noiseScale)) : kNotMeasured;
}

}  // namespace lockstep
