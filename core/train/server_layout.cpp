#include "train/server_layout.h"

#include <algorithm>

#include "cluster/sharding.h"

namespace lockstep {
namespace {

std::vector<std::vector<IndexRange>> equalSlices(std::size_t servers, std::size_t size) {
    std::vector<std::vector<IndexRange>> layout(servers);
    for (std::size_t server = 0; server < servers; ++server)
        layout[server].push_back({size * server / servers, size * (server + 1) / servers});
    return layout;
}

std::vector<std::vector<IndexRange>> wholeTensors(std::size_t servers, std::span<const IndexRange> tensors) {
    std::vector<double> sizes;
    for (const IndexRange& tensor : tensors) sizes.push_back(static_cast<double>(tensor.size()));
    const std::vector<int> serverOf = dealTensors(sizes, static_cast<int>(servers));
    std::vector<std::vector<IndexRange>> layout(servers);
    for (std::size_t i = 0; i < tensors.size(); ++i)
        layout[static_cast<std::size_t>(serverOf[i])].push_back(tensors[i]);
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
