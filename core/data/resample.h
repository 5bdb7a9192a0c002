#pragma once

#include <stop_token>

#include "data/image_set.h"

namespace lockstep {

class ThreadPool;

/// The images at `sidePx` x `sidePx` pixels (1..1024, asserted). Every new pixel is the mean of the original image over
/// its area, original pixels being squares of constant value: the same integral whether the side shrinks or grows, so a
/// square image keeps its mean brightness up to the rounding of each pixel to a byte (half a level at most). Weights
/// are whole numbers, so every platform gets the same bytes. Images already of that size are returned as they are; so
/// are all when stopped before the end.
[[nodiscard]] ImageSet resampleArea(const ImageSet& images, int sidePx, ThreadPool* pool = nullptr,
                                    const std::stop_token& stop = {});

}  // namespace lockstep
