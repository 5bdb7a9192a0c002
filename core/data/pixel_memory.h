#pragma once

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <vector>

namespace lockstep {

/// Makes the empty vector `bytes` long, in large pages where the system has them. False when stopped before the end.
[[nodiscard]] bool takePixelMemory(std::vector<std::uint8_t>& pixels, std::size_t bytes, const std::stop_token& stop);

}  // namespace lockstep
