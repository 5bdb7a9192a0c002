#pragma once

#include <span>
#include <vector>

namespace lockstep {

/// The server of each tensor when whole tensors are dealt: the largest first, each to the server that holds least, of
/// equal ones the first.
[[nodiscard]] std::vector<int> dealTensors(std::span<const double> sizes, int servers);

/// Each server's share of all elements, the fullest first; servers that get no tensor are left out. They add up to 1.
[[nodiscard]] std::vector<double> tensorShares(std::span<const double> sizes, int servers);

}  // namespace lockstep
