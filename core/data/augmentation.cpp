#include "data/augmentation.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <cstring>

#include "base/random.h"

namespace lockstep {
namespace {

/// A row of pixels moved by `right`, its outermost pixels repeated.
void moveRow(const std::uint8_t* row, std::size_t side, std::size_t channels, int right, std::uint8_t* moved) {
    const auto distance = static_cast<std::size_t>(std::abs(right));
    const std::size_t kept = (side - distance) * channels;
    const std::uint8_t* edge = right > 0 ? row : row + (side - 1) * channels;
    std::uint8_t* gap = right > 0 ? moved : moved + kept;
    std::memcpy(right > 0 ? moved + distance * channels : moved, right > 0 ? row : row + distance * channels, kept);
    for (std::size_t i = 0; i < distance; ++i) std::memcpy(gap + i * channels, edge, channels);
}

void mirrorRow(std::uint8_t* row, std::size_t side, std::size_t channels) {
    for (std::size_t left = 0, right = side - 1; left < right; ++left, --right)
        std::swap_ranges(row + left * channels, row + (left + 1) * channels, row + right * channels);
}

}  // namespace

void changeImage(std::span<const std::uint8_t> image, int sidePx, const ImageChange& change,
                 std::span<std::uint8_t> changed) {
    assert(image.size() == changed.size() && std::abs(change.right) < sidePx);
    const auto side = static_cast<std::size_t>(sidePx);
    const std::size_t rowBytes = image.size() / side, channels = rowBytes / side;
    for (std::size_t y = 0; y < side; ++y) {
        const auto from = std::clamp(static_cast<int>(y) - change.down, 0, sidePx - 1);
        std::uint8_t* row = changed.data() + y * rowBytes;
        moveRow(image.data() + static_cast<std::size_t>(from) * rowBytes, side, channels, change.right, row);
        if (change.mirrored) mirrorRow(row, side, channels);
    }
}

ImageChange Augmentation::change(std::uint32_t sample, long long epoch) const {
    RandomStream stream(m_seed, RandomPurpose::Augmentation, sample, static_cast<std::uint32_t>(epoch));
    const auto moves = static_cast<std::uint32_t>(2 * m_reach + 1);
    ImageChange change;
    change.right = static_cast<int>(stream.nextBelow(moves)) - m_reach;
    change.down = static_cast<int>(stream.nextBelow(moves)) - m_reach;
    change.mirrored = m_mirrors && stream.nextBelow(2) == 1;
    return change;
}

void Augmentation::fill(const ImageSet& images, std::span<const std::uint32_t> samples, long long epoch,
                        std::span<std::uint8_t> pixels) const {
    const std::size_t bytes = images.bytesPerImage();
    assert(images.width() == images.height() && pixels.size() == samples.size() * bytes);
    for (std::size_t i = 0; i < samples.size(); ++i)
        changeImage(images.image(samples[i]), images.width(), change(samples[i], epoch),
                    pixels.subspan(i * bytes, bytes));
}

}  // namespace lockstep
