#pragma once

#include <cstddef>
#include <cstdint>
#include <stop_token>

#include "data/dataset.h"

namespace lockstep {

class ThreadPool;

struct ShapesSettings {
    int resolutionPx = 28;      ///< 8..64 (asserted)
    std::size_t train = 60000;  ///< images, 1 to 2^31 each
    std::size_t test = 10000;
    std::uint64_t seed = 1;
};

/// Ten kinds of figures, drawn: disc, ring, square, frame, triangle, star, cross, crescent, stripes, checks. Grey,
/// somewhere in the image, turned and sized at random, on an uneven background with stray strokes over it. Half of the
/// kinds differ from another only in fine detail (a hole, a pattern), which is drawn at about 56 samples a side and
/// averaged, so that it shows at 28 px, blurs at 14 and is gone at 8: resolution matters as with photographs.
///
/// Image i depends on (seed, i, resolution) alone and is the same bytes on every platform and for any number of
/// threads; the pose and brightness do not depend on the resolution. Fails with "stopped" only.
[[nodiscard]] Result<TrainTest> makeShapes(const ShapesSettings& settings, ThreadPool* pool = nullptr,
                                           std::stop_token stop = {});

}  // namespace lockstep
