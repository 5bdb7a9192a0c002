#pragma once

#include "data/dataset.h"

namespace lockstep {

/// How often the images are in memory while they are split.
inline constexpr std::size_t kCopiesWhileSplit = 2;

/// For files that come without images to be tested on: a sixth of them, as in MNIST and CIFAR, is set aside, drawn by a
/// seeded permutation that depends on the number of images alone. What remains keeps its order. Fails where there are
/// fewer than two images.
[[nodiscard]] Result<TrainTest> splitOffTest(const ImageSet& images, const std::string& name);

}  // namespace lockstep
