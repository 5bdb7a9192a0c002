#pragma once

#include <cstdint>
#include <span>

namespace lockstep {

/// 64 bits that tell whether two parameter vectors have the same bits: FNV-1a over their 32-bit patterns, in four
/// interleaved lanes for speed. The same on every platform.
[[nodiscard]] std::uint64_t parametersHash(std::span<const float> parameters);

}  // namespace lockstep
