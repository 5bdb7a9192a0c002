#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "base/result.h"

namespace lockstep {

/// An array of bytes with up to three dimensions, as MNIST and its kin are published.
struct IdxArray {
    std::vector<std::uint32_t> dimensions;  ///< outermost first
    std::vector<std::uint8_t> values;       ///< row-major
};

/// Reads an IDX file of unsigned bytes, plain or gzip'd. Format (LeCun, MNIST database): two zero bytes, type 8, the
/// number of dimensions, each dimension as 32 bits big-endian, the values.
///
/// Strict: fails with one line where the magic number is another, the number of dimensions is not `dimensions`, one is
/// 0 or larger than `maxSide` (the first excepted), all together exceed `memoryLimitBytes`, or the file is truncated,
/// damaged or goes on after the last value.
[[nodiscard]] Result<IdxArray> readIdx(const std::filesystem::path& path, int dimensions, std::uint32_t maxSide,
                                       std::size_t memoryLimitBytes);

}  // namespace lockstep
