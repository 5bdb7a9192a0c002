#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "optim/optimizer.h"

namespace lockstep {

/// Neighbouring parameters of one layer: what one task updates at a time, small enough for a core's own cache.
struct UpdatePiece {
    IndexRange local;             ///< within the shard
    std::size_t globalBegin = 0;  ///< of the same elements within the whole vector
    int layer = 0;
    bool statistics = false;  ///< running statistics: not trained, see Network
};

/// Where running statistics begin in a vector that has none.
inline constexpr std::size_t kAllTrained = static_cast<std::size_t>(-1);

/// What clipping and LARS need to know of a gradient before it is applied: sums over all shards, by layer.
struct LayerNorms {
    std::vector<double> weight, gradient;  ///< squared, one per layer
};

/// How an update is to be made: the same for every shard of the vector.
struct UpdateOrder {
    UpdateScale scale;
    std::vector<double> trustRatios;  ///< one per layer for LARS, otherwise empty
};

/// A part of the parameter vector together with its optimizer's state: all of it for a replica that updates itself, a
/// slice for a parameter server. Cut into pieces which different threads may update at the same time.
class ParameterShard {
public:
    /// `slices` of the whole vector in ascending order; `layers` covers the whole vector. What is behind the first
    /// `trained` elements are running statistics, which begin a layer of their own: they follow what gradients carry
    /// for them, without the optimizer, and count for no norm.
    ParameterShard(std::span<const IndexRange> slices, std::span<const IndexRange> layers,
                   const OptimizerSettings& settings, std::size_t trained = kAllTrained);

    [[nodiscard]] std::size_t size() const { return m_size; }
    [[nodiscard]] std::span<const UpdatePiece> pieces() const { return m_pieces; }
    [[nodiscard]] Optimizer& optimizer() { return m_optimizer; }
    [[nodiscard]] const Optimizer& optimizer() const { return m_optimizer; }

    /// Norms of one piece, kept for addNorms. Spans cover the shard.
    void measure(std::size_t piece, std::span<const float> weights, std::span<const float> gradient);
    void addNorms(LayerNorms& norms) const;
    void update(std::size_t piece, std::span<float> weights, std::span<const float> gradient, const UpdateOrder& order);

    /// The shard's part of the optimizer's state, at its place in whole vectors. A vector the rule has no use for is
    /// left as it is.
    void readState(std::span<float> first, std::span<float> second) const;
    void writeState(std::span<const float> first, std::span<const float> second);
    void archive(StateArchive& archive) { m_optimizer.archive(archive); }

private:
    struct PieceNorms {
        double weight = 0, gradient = 0;
    };

    std::size_t m_size = 0;
    std::vector<UpdatePiece> m_pieces;
    std::vector<PieceNorms> m_norms;
    Optimizer m_optimizer;
};

/// Whether an update must see the whole gradient's norms first.
[[nodiscard]] bool needsNorms(const OptimizerSettings& settings, double clipNorm);

/// The order for one update from what was measured; `norms` may be empty when they are not needed.
[[nodiscard]] UpdateOrder updateOrder(const OptimizerSettings& settings, double rate, long long update, double clipNorm,
                                      const LayerNorms& norms);

}  // namespace lockstep
