#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "train/parameter_shard.h"

namespace lockstep {

/// What one worker brings to a sum: its vector, and its share of the weighted mean.
struct Contribution {
    std::span<const float> values;  ///< the whole vector
    float weight = 1;
};

/// One parameter server: it owns a slice of the parameters and the optimizer's state for it. Workers push gradients to
/// it and pull parameters from it; it alone changes them. Every call works on one piece of the slice, so that several
/// threads can serve different pieces.
class ParameterServer {
public:
    /// `shard` consists of these slices of the whole vector.
    ParameterServer(ParameterShard shard, std::span<const IndexRange> slices, std::span<const float> initialParameters);

    [[nodiscard]] std::size_t size() const { return m_shard.size(); }
    [[nodiscard]] std::size_t pieceCount() const { return m_shard.pieces().size(); }

    /// The weighted sum of what the workers pushed, added in the order given.
    void collect(std::size_t piece, std::span<const Contribution> pushed);
    void measure(std::size_t piece);
    void addNorms(LayerNorms& norms) const { m_shard.addNorms(norms); }
    /// One update with what was collected.
    void update(std::size_t piece, const UpdateOrder& order);
    /// What was collected becomes the parameters (averaging parameters rather than gradients).
    void adopt(std::size_t piece);
    /// Writes the piece to its place in a worker's whole vector.
    void pull(std::size_t piece, std::span<float> replica) const;
    void pullCollected(std::size_t piece, std::span<float> vector) const;

    /// Its slice of these parameters.
    void adopt(std::span<const float> parameters);
    [[nodiscard]] const ParameterShard& shard() const { return m_shard; }
    [[nodiscard]] ParameterShard& shard() { return m_shard; }
    void archive(StateArchive& archive);

private:
    ParameterShard m_shard;
    std::vector<float> m_weights, m_collected;
};

/// All servers of a run, and the work of one exchange with them shared among the pool's threads. Results do not depend
/// on the number of threads: each piece is summed and updated by itself, in the order of the contributions.
class ServerGroup {
public:
    struct Settings {
        OptimizerSettings optimizer;
        double clipNorm = 0;
        std::vector<IndexRange> layers;     ///< cover the vector, for LARS
        std::size_t trained = kAllTrained;  ///< running statistics are behind, in a layer of their own
    };

    ServerGroup(const std::vector<std::vector<IndexRange>>& layout, Settings settings,
                std::span<const float> initialParameters, ThreadPool& pool);

    [[nodiscard]] std::size_t serverCount() const { return m_servers.size(); }
    /// Workers push: the servers hold the weighted sum afterwards.
    void collect(std::span<const Contribution> pushed);
    /// One update from what was collected; `update` is its number from 1. Clipping sees the norm over all servers.
    void update(double rate, long long update);
    void adopt();
    /// Workers pull: every replica gets all parameters.
    void pull(std::span<const std::span<float>> replicas) const;
    void pullCollected(std::span<const std::span<float>> vectors) const;

    /// Whole vectors: parameters, and the optimizer's state where there is any.
    void adopt(std::span<const float> parameters);
    void readOptimizer(std::span<float> first, std::span<float> second) const;
    void writeOptimizer(std::span<const float> first, std::span<const float> second);
    void archive(StateArchive& archive);

private:
    struct Task {
        std::size_t server, piece;
    };
    template <class Work>
    void forEachPiece(Work work) const;

    Settings m_settings;
    ThreadPool& m_pool;
    std::vector<ParameterServer> m_servers;
    std::vector<Task> m_tasks;
};

}  // namespace lockstep
