#include "data/pixel_memory.h"

#include <algorithm>

#include "base/huge_pages.h"

namespace lockstep {

bool takePixelMemory(std::vector<std::uint8_t>& pixels, std::size_t bytes, const std::stop_token& stop) {
    constexpr std::size_t kAtOnce = 4 << 20;
    pixels.reserve(bytes);
    adviseHugePages(pixels.data(), bytes);
    while (pixels.size() < bytes) {
        if (stop.stop_requested()) return false;
        pixels.resize(std::min(bytes, pixels.size() + kAtOnce));
    }
    return true;
}

}  // namespace lockstep
