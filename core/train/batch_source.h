#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "data/augmentation.h"
#include "data/partition.h"
#include "data/training_images.h"

namespace lockstep {

/// A piece of one of a worker's batches, counted from the run's start.
struct PiecePlace {
    int rank = 0;
    long long batch = 0;
    std::size_t piece = 0;

    bool operator==(const PiecePlace&) const = default;
};

/// What the workers' batches consist of, piece by piece: those of the partition, or all that a worker holds each time,
/// changed epoch by epoch where augmentation asks for it. What a piece holds depends on (settings, place) alone, so it
/// can be made at any time, by any thread, and again. Different ranks may be served at the same time, one by one thread
/// at a time.
class BatchSource {
public:
    struct Settings {
        bool fullShard = false;  ///< a batch is everything that the worker holds; each is an epoch
        bool augmentation = false;
        std::uint64_t seed = 1;
    };

    /// Larger batches are cut into pieces of this many samples.
    static constexpr std::size_t kMaxPieceSamples = 256;

    /// Images and partition outlive it.
    BatchSource(const TrainingImages& images, Partition& partition, const Settings& settings);

    [[nodiscard]] std::size_t valuesPerImage() const { return m_images.valuesPerImage(); }
    [[nodiscard]] std::size_t batchSamples(int rank) const;
    [[nodiscard]] std::size_t pieceCount(int rank) const;
    [[nodiscard]] std::size_t pieceSamples(const PiecePlace& place) const;
    [[nodiscard]] PiecePlace after(const PiecePlace& place) const;

    /// The piece as floats 0..1 [samples x resolution x resolution x channels] and its labels [samples].
    void fill(const PiecePlace& place, std::span<float> values, std::span<std::uint8_t> labels);
    /// The same as bytes 0..255.
    void fill(const PiecePlace& place, std::span<std::uint8_t> pixels, std::span<std::uint8_t> labels);

private:
    [[nodiscard]] std::span<const std::uint32_t> samples(const PiecePlace& place);
    [[nodiscard]] long long epoch(const PiecePlace& place) const;

    const TrainingImages& m_images;
    Partition& m_partition;
    Settings m_settings;
    std::optional<Augmentation> m_augmentation;
};

}  // namespace lockstep
