#include "train/parameter_shard.h"

#include <algorithm>

#include "base/flush_subnormals.h"
#include "nn/network.h"

namespace lockstep {
namespace {

constexpr std::size_t kPieceElements = 16384;  // 64 KiB of each vector

std::size_t totalSize(std::span<const IndexRange> slices) {
    std::size_t size = 0;
    for (const IndexRange& slice : slices) size += slice.size();
    return size;
}

}  // namespace

ParameterShard::ParameterShard(std::span<const IndexRange> slices, std::span<const IndexRange> layers,
                               const OptimizerSettings& settings, std::size_t trained)
    : m_size(totalSize(slices)), m_optimizer(settings, m_size) {
    std::size_t local = 0;
    for (const IndexRange& slice : slices) {
        for (std::size_t layer = 0; layer < layers.size(); ++layer) {
            std::size_t begin = std::max(slice.begin, layers[layer].begin);
            const std::size_t end = std::min(slice.end, layers[layer].end);
            while (begin < end) {
                const std::size_t count = std::min(kPieceElements, end - begin);
                m_pieces.push_back({{local, local + count}, begin, static_cast<int>(layer), begin >= trained});
                local += count;
                begin += count;
            }
        }
    }
    m_norms.resize(m_pieces.size());
}

void ParameterShard::measure(std::size_t piece, std::span<const float> weights, std::span<const float> gradient) {
    if (m_pieces[piece].statistics) return;
    const IndexRange range = m_pieces[piece].local;
    m_norms[piece] = {squaredNorm(weights.subspan(range.begin, range.size())),
                      squaredNorm(gradient.subspan(range.begin, range.size()))};
}

void ParameterShard::addNorms(LayerNorms& norms) const {
    for (std::size_t piece = 0; piece < m_pieces.size(); ++piece) {
        const auto layer = static_cast<std::size_t>(m_pieces[piece].layer);
        if (norms.weight.size() <= layer) {
            norms.weight.resize(layer + 1);
            norms.gradient.resize(layer + 1);
        }
        norms.weight[layer] += m_norms[piece].weight;
        norms.gradient[layer] += m_norms[piece].gradient;
    }
}

void ParameterShard::update(std::size_t piece, std::span<float> weights, std::span<const float> gradient,
                            const UpdateOrder& order) {
    const FlushSubnormals flush;
    const IndexRange range = m_pieces[piece].local;
    if (m_pieces[piece].statistics)
        return updateStatistics(weights.subspan(range.begin, range.size()),
                                gradient.subspan(range.begin, range.size()));
    UpdateScale scale = order.scale;
    if (!order.trustRatios.empty())
        scale.trustRatio = order.trustRatios[static_cast<std::size_t>(m_pieces[piece].layer)];
    m_optimizer.update(range, weights, gradient, scale);
}

void ParameterShard::readState(std::span<float> first, std::span<float> second) const {
    for (const UpdatePiece& piece : m_pieces) {
        const auto read = [&](std::span<const float> state, std::span<float> whole) {
            if (!state.empty())
                std::copy_n(state.data() + piece.local.begin, piece.local.size(), whole.data() + piece.globalBegin);
        };
        read(m_optimizer.firstState(), first);
        read(m_optimizer.secondState(), second);
    }
}

void ParameterShard::writeState(std::span<const float> first, std::span<const float> second) {
    for (const UpdatePiece& piece : m_pieces) {
        const auto write = [&](std::span<const float> whole, std::span<float> state) {
            if (!state.empty())
                std::copy_n(whole.data() + piece.globalBegin, piece.local.size(), state.data() + piece.local.begin);
        };
        write(first, m_optimizer.firstState());
        write(second, m_optimizer.secondState());
    }
}

bool needsNorms(const OptimizerSettings& settings, double clipNorm) {
    return clipNorm > 0 || settings.kind == OptimizerKind::Lars;
}

UpdateOrder updateOrder(const OptimizerSettings& settings, double rate, long long update, double clipNorm,
                        const LayerNorms& norms) {
    UpdateOrder order;
    order.scale.rate = rate;
    order.scale.update = update;
    double gradientNormSquared = 0;
    for (const double norm : norms.gradient) gradientNormSquared += norm;
    order.scale.gradientScale = clipFactor(gradientNormSquared, clipNorm);
    if (settings.kind != OptimizerKind::Lars) return order;
    const double clipSquared = order.scale.gradientScale * order.scale.gradientScale;
    for (std::size_t layer = 0; layer < norms.weight.size(); ++layer)
        order.trustRatios.push_back(larsTrustRatio(settings, norms.weight[layer], clipSquared * norms.gradient[layer]));
    return order;
}

}  // namespace lockstep
