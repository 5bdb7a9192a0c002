#include "train/batch_source.h"

#include <algorithm>
#include <array>

namespace lockstep {
namespace {

constexpr std::size_t kLargestImageBytes = std::size_t{64} * 64 * 3;

}  // namespace

BatchSource::BatchSource(const TrainingImages& images, Partition& partition, const Settings& settings)
    : m_images(images), m_partition(partition), m_settings(settings) {
    if (settings.augmentation) m_augmentation.emplace(settings.seed, images.images());
}

std::size_t BatchSource::batchSamples(int rank) const {
    return m_settings.fullShard ? m_partition.shard(rank).size()
                                : static_cast<std::size_t>(m_partition.batchPerWorker());
}

std::size_t BatchSource::pieceCount(int rank) const {
    return (batchSamples(rank) + kMaxPieceSamples - 1) / kMaxPieceSamples;
}

std::size_t BatchSource::pieceSamples(const PiecePlace& place) const {
    return std::min(kMaxPieceSamples, batchSamples(place.rank) - place.piece * kMaxPieceSamples);
}

PiecePlace BatchSource::after(const PiecePlace& place) const {
    const bool last = place.piece + 1 == pieceCount(place.rank);
    return last ? PiecePlace{place.rank, place.batch + 1, 0} : PiecePlace{place.rank, place.batch, place.piece + 1};
}

long long BatchSource::epoch(const PiecePlace& place) const {
    return m_settings.fullShard ? place.batch : place.batch / m_partition.stepsPerEpoch();
}

std::span<const std::uint32_t> BatchSource::samples(const PiecePlace& place) {
    const std::span<const std::uint32_t> batch =
        m_settings.fullShard ? m_partition.shard(place.rank)
                             : m_partition.batch(place.rank, epoch(place), place.batch % m_partition.stepsPerEpoch());
    return batch.subspan(place.piece * kMaxPieceSamples, pieceSamples(place));
}

void BatchSource::fill(const PiecePlace& place, std::span<float> values, std::span<std::uint8_t> labels) {
    const std::span<const std::uint32_t> chosen = samples(place);
    if (!m_augmentation) return m_images.fillBatch(chosen, values, labels);
    const std::size_t size = valuesPerImage();
    std::array<std::uint8_t, kLargestImageBytes> memory;
    const std::span changed = std::span(memory).first(size);
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        m_augmentation->fill(m_images.images(), chosen.subspan(i, 1), epoch(place), changed);
        toFloats(changed, values.data() + i * size);
        labels[i] = m_images.labels()[chosen[i]];
    }
}

void BatchSource::fill(const PiecePlace& place, std::span<std::uint8_t> pixels, std::span<std::uint8_t> labels) {
    const std::span<const std::uint32_t> chosen = samples(place);
    const std::size_t size = valuesPerImage();
    for (std::size_t i = 0; i < chosen.size(); ++i) labels[i] = m_images.labels()[chosen[i]];
    if (m_augmentation) return m_augmentation->fill(m_images.images(), chosen, epoch(place), pixels);
    for (std::size_t i = 0; i < chosen.size(); ++i)
        std::ranges::copy(m_images.images().image(chosen[i]), pixels.subspan(i * size, size).begin());
}

}  // namespace lockstep
