#pragma once

#include <cstddef>
#include <span>

namespace lockstep {

/// Elements [begin, end) of a flat vector.
struct IndexRange {
    std::size_t begin = 0, end = 0;

    [[nodiscard]] std::size_t size() const { return end - begin; }
    bool operator==(const IndexRange&) const = default;
};

/// Sums in double with a fixed order, so they are the same for the same vector everywhere.
[[nodiscard]] double squaredNorm(std::span<const float> x);
[[nodiscard]] double squaredDistance(std::span<const float> x, std::span<const float> y);
[[nodiscard]] double dotProduct(std::span<const float> x, std::span<const float> y);

/// y += x, y *= factor.
void add(std::span<const float> x, std::span<float> y);
void multiply(std::span<float> y, float factor);

}  // namespace lockstep
