#pragma once

#include <cstdint>
#include <span>

#include "data/image_set.h"

namespace lockstep {

/// How one image is shown: moved by whole pixels, then perhaps mirrored.
struct ImageChange {
    int right = 0, down = 0;  ///< pixels, negative for left and up
    bool mirrored = false;    ///< left and right exchanged

    bool operator==(const ImageChange&) const = default;
};

/// Training images a little different in every epoch: moved by up to an eighth of the side in either direction (4 of 32
/// pixels, He et al., "Deep Residual Learning for Image Recognition", 2016, section 4.2; 1 of 8, 8 of 64), uniformly,
/// and mirrored half of the time where the set allows it (ImageSet::mirrors). What moves in from outside repeats the
/// image's edge: black where the background is black, and no bar of another brightness where it is not.
///
///   Fashion-MNIST, CIFAR-10 and -100   mirrored: clothes, animals and vehicles are seen from either side
///   shapes                             not: crescents open to one side, and tests show no others
///   other files                        not: they may hold digits or letters, whose mirror images are other signs
///
/// A change depends on (seed, sample, epoch) alone, not on who trains on the sample: N workers with batch b see what
/// one worker with batch N b sees. Test images are never changed.
class Augmentation {
public:
    Augmentation(std::uint64_t seed, const ImageSet& images)
        : m_seed(seed), m_reach(images.width() / 8), m_mirrors(images.mirrors()) {}

    /// Of the sample in epoch 0..2^32-1 (later ones begin anew).
    [[nodiscard]] ImageChange change(std::uint32_t sample, long long epoch) const;

    /// Writes samples of square images, changed as befits the epoch, as bytes [samples x side x side x channels].
    void fill(const ImageSet& images, std::span<const std::uint32_t> samples, long long epoch,
              std::span<std::uint8_t> pixels) const;

private:
    std::uint64_t m_seed;
    int m_reach;
    bool m_mirrors;
};

/// `image` [side x side x channels] changed into `changed`, which is of the same size and does not overlap it. Moves
/// are shorter than the side.
void changeImage(std::span<const std::uint8_t> image, int sidePx, const ImageChange& change,
                 std::span<std::uint8_t> changed);

}  // namespace lockstep
