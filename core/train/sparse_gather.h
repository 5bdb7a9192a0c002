#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "train/exchange.h"
#include "train/worker.h"

namespace lockstep {

/// Sums of sparse gradients (top-k) among equal workers. A sum of sparse vectors fills up from one worker to the next,
/// so that nothing would be saved on a ring that adds. Instead every worker's k indices and values go round the ring as
/// they are (sparse all-gather, W - 1 steps), after which each worker adds all of them by itself, in rank order: the
/// same bits everywhere. Lin et al., "Deep Gradient Compression", ICLR 2018; Renggli et al., "SparCML", SC 2019.
///
/// On the wire: 8 bytes for each entry (32-bit index, float value), W - 1 times each worker's list; running statistics,
/// which no compression touches, travel whole with it, 4 bytes each.
class SparseGather {
public:
    /// The first `trained` of each gradient's entries are sparse, `kept` of them at most; what is behind is dense.
    SparseGather(std::size_t trained, std::size_t kept, ThreadPool& pool)
        : m_trained(trained), m_kept(kept), m_pool(pool) {}

    /// Writes the weighted sum of the gradients named into that of worker 0.
    void sum(std::span<Worker> workers, std::span<const Share> shares);

    /// Bytes that `senders` of so many workers cause, each with a gradient of so many entries.
    [[nodiscard]] double bytes(std::size_t senders, std::size_t workers, std::size_t entries) const;

private:
    /// What one worker sends.
    struct Message {
        std::vector<std::uint32_t> indices;  ///< ascending
        std::vector<float> values;           ///< weighted
        std::vector<float> statistics;       ///< weighted
    };
    void write(std::span<const float> gradient, float weight, Message& message) const;
    void addPiece(std::size_t begin, std::size_t end, std::span<float> sum) const;

    std::size_t m_trained, m_kept;
    ThreadPool& m_pool;
    std::vector<Message> m_messages;  ///< in rank order
};

}  // namespace lockstep
