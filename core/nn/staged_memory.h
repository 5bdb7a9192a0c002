#pragma once

#include <cstdint>
#include <vector>

#include "nn/network_method.h"
#include "nn/staged_plan.h"

namespace lockstep {

/// What one slice of the batch shows of the channels that a normalization sees, and what it computes with.
struct SliceStatistics {
    double count = 0;                         ///< samples x pixels
    std::vector<double> mean, squares;        ///< of the slice; squared deviations summed up
    std::vector<double> gradients, products;  ///< sums of output gradients, and of them times (x - mean)
    FloatVector batchMean, factor, inverse;   ///< by which the slice normalizes; factor = scale * inverse deviation
    FloatVector first, second;                ///< scratch
};

/// What a slice works with and sums up alone.
struct StagedSlice {
    std::vector<SliceStatistics> statistics;  ///< per operation; empty but for normalizations
    std::vector<FloatVector> localGradients;  ///< per tensor, one sample
    FloatVector gradient;                     ///< StagedPlan::sliceGradientCount
    FloatVector image;                        ///< one sample of whatever gradient does not fit its place as it comes
    FloatVector columns, denseScratch;
    std::vector<std::uint8_t> places;
};

/// What the whole batch leaves from phase to phase.
struct StagedMemory : Workspace::Impl {
    StagedMemory(const StagedPlan& plan, int maxBatch, Workspace::Use use);
    /// What the constructor would allocate.
    [[nodiscard]] static std::size_t bytes(const StagedPlan& plan, int maxBatch, Workspace::Use use);
    StagedMemory() = default;

    std::vector<FloatVector> values, gradients;     ///< per tensor [capacity x elements]; borders stay zero
    std::vector<std::vector<std::uint8_t>> places;  ///< per operation, of max-pooling
    std::vector<FloatVector> weights, bias;         ///< per convolution, as the forward kernel wants them
    std::vector<FloatVector> backwardWeights;       ///< per convolution: turned for stride 1, otherwise transposed
    FloatVector zeros;                              ///< the bias of a convolution without one
    std::vector<StagedSlice> slices;
};

/// How a batch is cut: a function of its size alone, so that no thread count can show in the result.
inline constexpr int kMostStagedSlices = 8;
inline constexpr int kGatherParts = 4;
inline constexpr int kEvaluationSamples = 8;
[[nodiscard]] inline int stagedSliceCount(int samples) {
    if (samples < 16) return samples < 2 ? 1 : 2;
    return samples < 64 ? 4 : kMostStagedSlices;
}

}  // namespace lockstep
