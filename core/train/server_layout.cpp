#include "train/server_layout.h"

#include <algorithm>
#include <numeric>

namespace lockstep {
namespace {

std::vector<std::vector<IndexRange>> equalSlices(std::size_t servers, std::size_t size) {
    std::vector<std::vector<IndexRange>> layout(servers);
    for (std::size_t server = 0; server < servers; ++server)
        layout[server].push_back({size * server / servers, size * (server + 1) / servers});
    return layout;
}

std::vector<std::vector<IndexRange>> wholeTensors(std::size_t servers, std::span<const IndexRange> tensors) {
    std::vector<std::size_t> order(tensors.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater<>{}, [&](std::size_t i) { return tensors[i].size(); });

    std::vector<std::vector<IndexRange>> layout(servers);
    std::vector<std::size_t> held(servers);
    for (const std::size_t tensor : order) {
        const auto emptiest = static_cast<std::size_t>(std::ranges::min_element(held) - held.begin());
        layout[emptiest].push_back(tensors[tensor]);
        held[emptiest] += tensors[tensor].size();
    }
    for (auto& slices : layout) std::ranges::sort(slices, {}, &IndexRange::begin);
    return layout;
}

}  // namespace

std::vector<std::vector<IndexRange>> serverLayout(Sharding sharding, int servers, std::span<const IndexRange> tensors) {
    const auto count = static_cast<std::size_t>(servers);
    if (sharding == Sharding::Tensors) return wholeTensors(count, tensors);
    return equalSlices(count, tensors.empty() ? 0 : tensors.back().end);
}

}  // namespace lockstep
