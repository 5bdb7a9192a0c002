#include "cluster/sharding.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace lockstep {

std::vector<int> dealTensors(std::span<const double> sizes, int servers) {
    std::vector<std::size_t> order(sizes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater<>{}, [&](std::size_t i) { return sizes[i]; });
    // Beyond one server for each tensor the others stay empty.
    std::vector<double> held(std::min(static_cast<std::size_t>(servers), sizes.size()));
    std::vector<int> serverOf(sizes.size());
    for (const std::size_t tensor : order) {
        const auto emptiest = std::ranges::min_element(held);
        *emptiest += sizes[tensor];
        serverOf[tensor] = static_cast<int>(emptiest - held.begin());
    }
    return serverOf;
}

std::vector<double> tensorShares(std::span<const double> sizes, int servers) {
    const std::vector<int> serverOf = dealTensors(sizes, servers);
    const double all = std::accumulate(sizes.begin(), sizes.end(), 0.0);
    std::vector<double> shares(std::min(static_cast<std::size_t>(servers), sizes.size()));
    for (std::size_t i = 0; i < sizes.size(); ++i) shares[static_cast<std::size_t>(serverOf[i])] += sizes[i] / all;
    std::ranges::sort(shares, std::greater<>{});
    return shares;
}

}  // namespace lockstep
