#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "base/thread_pool.h"
#include "nn/float_vector.h"
#include "optim/vector_math.h"
#include "train/replica_plane.h"
#include "train/snapshot.h"

namespace lockstep {

/// Distances between replicas, in all and layer by layer, and their places in a plane (ReplicaPlane). Cost: O(N P), N
/// replicas of P parameters, in fixed pieces whose sums are added in double, so that it does not depend on threads.
///
/// The largest pairwise distance is exact for up to kExactPairs replicas. For more, all pairs are compared by a sketch
/// (256 sums of randomly signed coordinates, whose distances are right to about 9 %, Johnson and Lindenstrauss), and
/// the exact distance of the eight pairs that are farthest by it decides: never more than the truth, and close to it.
class DivergenceMeter {
public:
    static constexpr std::size_t kExactPairs = 8;

    /// Of one layer, as Divergence of all.
    struct Layer {
        double meanDistanceToAverage = 0, relative = 0;
    };
    struct Measured {
        Divergence divergence;  ///< without predictionDisagreement
        std::vector<Layer> layers;
        std::vector<ReplicaPlace> places;  ///< one for each replica; at the origin while no plane is fixed
    };

    /// `layers` are neighbours from 0 on and together the whole vector.
    DivergenceMeter(std::vector<IndexRange> layers, std::uint64_t seed, ThreadPool& pool);

    /// Nothing when stopped before the end. Fixes the plane when it is time.
    [[nodiscard]] std::optional<Measured> measure(std::span<const std::span<const float>> replicas,
                                                  std::stop_token stop = {});
    /// The replicas' mean. Nothing when stopped before the end.
    [[nodiscard]] std::optional<FloatVector> average(std::span<const std::span<const float>> replicas,
                                                     std::stop_token stop = {}) const;

private:
    /// Neighbouring coordinates of one layer.
    struct Block {
        std::size_t layer, begin, size;
    };
    struct BlockSums;
    struct Totals;
    struct Pair;

    void averageBlock(std::span<const std::span<const float>> replicas, const Block& block,
                      std::span<float> average) const;
    [[nodiscard]] BlockSums blockSums(std::span<const std::span<const float>> replicas, const Block& block,
                                      const float* average, const std::stop_token& stop) const;
    Totals addUp(std::span<const BlockSums> blocks, std::size_t replicas, Measured& measured) const;
    [[nodiscard]] static std::vector<Pair> allPairs(std::size_t replicas);
    [[nodiscard]] static std::vector<Pair> farthestPairs(std::vector<Pair> pairs, const Totals& totals);
    [[nodiscard]] std::vector<Pair> candidatePairs(std::span<const std::span<const float>> replicas,
                                                   const Totals& totals, const std::stop_token& stop);
    [[nodiscard]] double largestDistance(std::span<const std::span<const float>> replicas, std::vector<Pair> candidates,
                                         const std::stop_token& stop) const;
    [[nodiscard]] std::vector<double> sketch(std::span<const float> replica) const;
    void drawSigns();

    std::vector<IndexRange> m_layers;
    std::vector<Block> m_blocks;
    std::uint64_t m_seed;
    ThreadPool& m_pool;
    ReplicaPlane m_plane;
    FloatVector m_average;  ///< of the newest measurement; kept, because touching new memory takes longer than the sums
    FloatVector m_signs;    ///< +-1, for sketches; empty until one is needed
};

}  // namespace lockstep
