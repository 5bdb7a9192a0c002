#pragma once

#include <array>
#include <cstddef>

namespace lockstep {

/// Inner product of two short vectors, summed in float: independent partial sums let the compiler use vector registers
/// in a fixed order. For up to kLanePiece elements, so that rounding stays below 1e-5 of the product of the lengths;
/// longer vectors are added up in double, piece by piece.
inline constexpr std::size_t kLanePiece = 1024;

[[nodiscard]] inline double laneProduct(const float* a, const float* b, std::size_t size) {
    constexpr std::size_t kLanes = 16;
    std::array<float, kLanes> lanes{};
    std::size_t i = 0;
    for (; i + kLanes <= size; i += kLanes)
        for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += a[i + lane] * b[i + lane];
    for (; i < size; ++i) lanes[i % kLanes] += a[i] * b[i];
    double sum = 0;
    for (const float lane : lanes) sum += double{lane};
    return sum;
}

}  // namespace lockstep
