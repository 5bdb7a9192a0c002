#include "data/training_images.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <vector>

#include "base/thread_pool.h"
#include "data/resample.h"

namespace lockstep {
namespace {

constexpr int kSmallestPx = 8, kLargestPx = 64;
constexpr float kWhite = 255.0F;

/// Counting each of the 256 values first makes the sums exact whole numbers.
using Histogram = std::array<std::uint64_t, 256>;

Histogram histogram(std::span<const std::uint8_t> values, ThreadPool* pool, const std::stop_token& stop) {
    constexpr std::size_t kValuesPerTask = 1 << 20;
    std::vector<Histogram> parts((values.size() + kValuesPerTask - 1) / kValuesPerTask);
    const auto work = [&](std::size_t task, int) {
        if (stop.stop_requested()) return;
        const std::size_t first = task * kValuesPerTask;
        for (const std::uint8_t value : values.subspan(first, std::min(kValuesPerTask, values.size() - first)))
            ++parts[task][value];
    };
    if (pool)
        pool->parallelFor(parts.size(), work);
    else
        for (std::size_t task = 0; task < parts.size(); ++task) work(task, 0);
    Histogram all{};
    for (const Histogram& part : parts)
        for (std::size_t value = 0; value < all.size(); ++value) all[value] += part[value];
    return all;
}

}  // namespace

void toFloats(std::span<const std::uint8_t> bytes, float* values) {
    for (std::size_t i = 0; i < bytes.size(); ++i) values[i] = static_cast<float>(bytes[i]) / kWhite;
}

TrainingImages::TrainingImages(const ImageSet& images, int resolutionPx, ThreadPool* pool, const std::stop_token& stop)
    : m_images(resampleArea(images, resolutionPx, pool, stop)) {
    assert(resolutionPx >= kSmallestPx && resolutionPx <= kLargestPx);
    const Histogram counts = histogram(m_images.pixels(), pool, stop);
    double sum = 0, squares = 0;
    for (std::size_t value = 0; value < counts.size(); ++value) {
        sum += static_cast<double>(counts[value] * value);
        squares += static_cast<double>(counts[value] * value * value);
    }
    const double count = static_cast<double>(m_images.pixels().size());
    const double mean = sum / count, variance = squares / count - mean * mean;
    m_mean = static_cast<float>(mean / kWhite);
    m_deviation = variance > 0 ? static_cast<float>(std::sqrt(variance) / kWhite) : 1.0F;
}

void TrainingImages::fillBatch(std::span<const std::uint32_t> samples, std::span<float> values,
                               std::span<std::uint8_t> labels) const {
    assert(values.size() == samples.size() * valuesPerImage() && labels.size() == samples.size());
    for (std::size_t i = 0; i < samples.size(); ++i) {
        toFloats(m_images.image(samples[i]), values.data() + i * valuesPerImage());
        labels[i] = m_images.labels()[samples[i]];
    }
}

void TrainingImages::fillRange(std::size_t first, std::span<float> values, std::span<std::uint8_t> labels) const {
    assert(values.size() == labels.size() * valuesPerImage() && first + labels.size() <= size());
    toFloats(m_images.pixels().subspan(first * valuesPerImage(), values.size()), values.data());
    for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = m_images.labels()[first + i];
}

}  // namespace lockstep
