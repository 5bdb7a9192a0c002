#include "train/parameters_hash.h"

#include <array>
#include <bit>

namespace lockstep {
namespace {

constexpr std::uint64_t kOffset = 0xcbf29ce484222325, kPrime = 0x100000001b3;
constexpr std::size_t kLanes = 4;

}  // namespace

std::uint64_t parametersHash(std::span<const float> parameters) {
    std::array<std::uint64_t, kLanes> lanes;
    lanes.fill(kOffset);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        std::uint64_t& lane = lanes[i % kLanes];
        lane = (lane ^ std::bit_cast<std::uint32_t>(parameters[i])) * kPrime;
    }
    std::uint64_t hash = kOffset ^ parameters.size();
    for (const std::uint64_t lane : lanes) {
        hash = (hash ^ lane) * kPrime;
        hash ^= hash >> 32;  // FNV's multiplication never moves high bits down
    }
    return hash;
}

}  // namespace lockstep
