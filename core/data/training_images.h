#pragma once

#include <cstdint>
#include <span>
#include <stop_token>

#include "data/image_set.h"

namespace lockstep {

class ThreadPool;

/// An image set as a run reads it: square images at the training resolution, raw values 0..1 stored as bytes, and the
/// figures to standardize with. Immutable, any number of threads may read; copies share the memory.
class TrainingImages {
public:
    /// `resolutionPx` 8..64 (asserted). Takes no further memory when the images already have that size. The pool, if
    /// given, only makes it faster. When stopped before the end, what results is of no use.
    TrainingImages(const ImageSet& images, int resolutionPx, ThreadPool* pool = nullptr,
                   const std::stop_token& stop = {});

    [[nodiscard]] std::size_t size() const { return m_images.size(); }
    [[nodiscard]] int resolutionPx() const { return m_images.width(); }
    [[nodiscard]] int channels() const { return m_images.channels(); }
    [[nodiscard]] int classes() const { return m_images.classes(); }
    /// resolution x resolution x channels
    [[nodiscard]] std::size_t valuesPerImage() const { return m_images.bytesPerImage(); }
    [[nodiscard]] const ImageSet& images() const { return m_images; }
    [[nodiscard]] std::span<const std::uint8_t> labels() const { return m_images.labels(); }

    /// Mean and standard deviation of all values (0..1, over all channels); the deviation of constant images is 1, so
    /// that one can always divide by it. Networks are standardized with the training set's, test images included.
    [[nodiscard]] float mean() const { return m_mean; }
    [[nodiscard]] float deviation() const { return m_deviation; }

    /// Writes images `samples` as floats 0..1, NHWC [samples x resolution x resolution x channels], and their labels
    /// [samples]. `values` and `labels` hold exactly that many.
    void fillBatch(std::span<const std::uint32_t> samples, std::span<float> values,
                   std::span<std::uint8_t> labels) const;

    /// The same for the contiguous samples first .. first + labels.size() - 1 (test sets).
    void fillRange(std::size_t first, std::span<float> values, std::span<std::uint8_t> labels) const;

private:
    ImageSet m_images;
    float m_mean = 0, m_deviation = 1;
};

/// Bytes 0..255 as networks read them, 0..1, one float each.
void toFloats(std::span<const std::uint8_t> bytes, float* values);

}  // namespace lockstep
