#include "train/noise_scale_meter.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "optim/vector_math.h"

namespace lockstep {
namespace {

constexpr long long kEvery = 10;
constexpr double kSmoothing = 0.9;
constexpr std::size_t kBlock = 16384;

struct BlockNorms {
    double each = 0, mean = 0;  // weighted mean of |g_i|^2, and |mean of g_i|^2
};

BlockNorms blockNorms(std::span<const Contribution> gradients, std::size_t begin, std::size_t size) {
    BlockNorms norms;
    std::vector<float> mean(size);
    for (const Contribution& one : gradients) {
        const auto values = one.values.subspan(begin, size);
        norms.each += one.weight * squaredNorm(values);
        for (std::size_t i = 0; i < size; ++i) mean[i] += one.weight * values[i];
    }
    norms.mean = squaredNorm(mean);
    return norms;
}

}  // namespace

void NoiseScaleMeter::observe(std::span<const Contribution> gradients, double samplesEach) {
    if (!m_enabled || gradients.size() < 2 || m_updates++ % kEvery != 0) return;
    const std::size_t size = std::min(m_trained, gradients.front().values.size());
    std::vector<BlockNorms> blocks((size + kBlock - 1) / kBlock);
    m_pool.parallelFor(blocks.size(), [&](std::size_t block, int) {
        blocks[block] = blockNorms(gradients, block * kBlock, std::min(kBlock, size - block * kBlock));
    });
    BlockNorms norms;
    for (const BlockNorms& block : blocks) {
        norms.each += block.each;
        norms.mean += block.mean;
    }
    const double small = samplesEach, large = samplesEach * static_cast<double>(gradients.size());
    const double gradientSquared = (large * norms.mean - small * norms.each) / (large - small);
    const double covarianceTrace = (norms.each - norms.mean) / (1 / small - 1 / large);
    const double keep = m_observations++ == 0 ? 0 : kSmoothing;
    m_gradientSquared = keep * m_gradientSquared + (1 - keep) * gradientSquared;
    m_covarianceTrace = keep * m_covarianceTrace + (1 - keep) * covarianceTrace;
}

double NoiseScaleMeter::noiseScale() const {
    if (m_observations == 0 || !(m_gradientSquared > 0)) return std::numeric_limits<double>::quiet_NaN();
    return m_covarianceTrace / m_gradientSquared;
}

}  // namespace lockstep
