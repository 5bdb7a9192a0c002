#include "train/sparse_gather.h"

#include <algorithm>
#include <cassert>

namespace lockstep {
namespace {

/// Entries that one task adds up: few enough for a core's own cache.
constexpr std::size_t kPieceEntries = 8192;

}  // namespace

double SparseGather::bytes(std::size_t senders, std::size_t workers, std::size_t entries) const {
    const std::size_t message =
        m_kept * (sizeof(std::uint32_t) + sizeof(float)) + (entries - m_trained) * sizeof(float);
    return static_cast<double>(senders) * static_cast<double>(workers - 1) * static_cast<double>(message);
}

void SparseGather::sum(std::span<Worker> workers, std::span<const Share> shares) {
    assert(std::ranges::is_sorted(shares, {}, &Share::rank));
    m_messages.resize(shares.size());
    m_pool.parallelFor(shares.size(), [&](std::size_t i, int) {
        write(workers[static_cast<std::size_t>(shares[i].rank)].gradient, shares[i].weight, m_messages[i]);
    });
    const std::span<float> sum = workers.front().gradient;
    m_pool.parallelFor((m_trained + kPieceEntries - 1) / kPieceEntries, [&](std::size_t piece, int) {
        addPiece(piece * kPieceEntries, std::min(m_trained, (piece + 1) * kPieceEntries), sum);
    });
    const std::span<float> statistics = sum.subspan(m_trained);
    std::ranges::fill(statistics, 0.0F);
    for (const Message& message : m_messages)
        for (std::size_t i = 0; i < statistics.size(); ++i) statistics[i] += message.statistics[i];
}

void SparseGather::write(std::span<const float> gradient, float weight, Message& message) const {
    message.indices.clear();
    message.values.clear();
    for (std::size_t i = 0; i < m_trained; ++i) {
        if (gradient[i] == 0) continue;
        message.indices.push_back(static_cast<std::uint32_t>(i));
        message.values.push_back(weight * gradient[i]);
    }
    message.statistics.assign(gradient.begin() + static_cast<std::ptrdiff_t>(m_trained), gradient.end());
    for (float& value : message.statistics) value *= weight;
}

void SparseGather::addPiece(std::size_t begin, std::size_t end, std::span<float> sum) const {
    std::ranges::fill(sum.subspan(begin, end - begin), 0.0F);
    for (const Message& message : m_messages) {
        const auto first = std::ranges::lower_bound(message.indices, begin) - message.indices.begin();
        for (auto at = static_cast<std::size_t>(first); at < message.indices.size() && message.indices[at] < end; ++at)
            sum[message.indices[at]] += message.values[at];
    }
}

}  // namespace lockstep
