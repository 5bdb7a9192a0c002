#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "base/thread_pool.h"
#include "nn/float_vector.h"
#include "train/snapshot.h"

namespace lockstep {

/// Distances between replicas, and their places in a fixed plane. Cost: O(N P), N replicas of P parameters, in fixed
/// blocks with sums in double, so that it does not depend on threads.
///
/// The largest pairwise distance is exact for up to kExactPairs replicas. For more, all pairs are compared by a sketch
/// (256 sums of randomly signed coordinates, whose distances are right to about 9 %, Johnson and Lindenstrauss), and
/// the exact distance of the eight pairs that are farthest by it decides: never more than the truth, and close to it.
class DivergenceMeter {
public:
    static constexpr std::size_t kExactPairs = 8;

    struct Measured {
        Divergence divergence;
        std::vector<ReplicaState> places;  ///< x and y only
        FloatVector average;
    };

    DivergenceMeter(std::size_t parameters, std::uint64_t seed, ThreadPool& pool);

    /// Nothing when stopped before the end.
    [[nodiscard]] std::optional<Measured> measure(std::span<const std::span<const float>> replicas,
                                                  std::stop_token stop = {}) const;

private:
    struct BlockSums;

    [[nodiscard]] BlockSums blockSums(std::span<const std::span<const float>> replicas, std::size_t block,
                                      std::span<float> average, const std::stop_token& stop) const;
    [[nodiscard]] double largestDistance(std::span<const std::span<const float>> replicas,
                                         const std::stop_token& stop) const;
    [[nodiscard]] std::vector<double> sketch(std::span<const float> replica) const;

    std::size_t m_parameters;
    ThreadPool& m_pool;
    FloatVector m_signs[2];  ///< +-1: the two directions; a projection's mean square is the squared distance
};

}  // namespace lockstep
