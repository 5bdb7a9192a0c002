#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "nn/network_method.h"
#include "nn/network_plan.h"

namespace lockstep {

using PlaceVector = std::vector<std::uint8_t, CacheLineAllocator<std::uint8_t>>;

/// How a round of samples is cut: a function of its size alone, so that no thread count can show in the result.
inline constexpr int kMostSlices = 4;
inline constexpr int kWeightParts = 4;
[[nodiscard]] inline int sliceCount(int samples) {
    if (samples == 1) return 1;
    return samples <= 64 ? 2 : (samples + 31) / 32;
}

/// What one slice of samples works with and sums up alone.
struct SliceMemory {
    std::vector<FloatVector> inputGradients;   ///< per image step after the first, one sample in stored layout
    std::vector<FloatVector> weightGradients;  ///< per image step [outputs x taps]
    std::vector<FloatVector> biasGradients;    ///< per image step [outputs]
    std::vector<kernels::PlacedGradient> list;
    FloatVector denseScratch;
};

/// Everything a round of up to kRoundSamples samples leaves for its later phases.
struct RoundMemory : Workspace::Impl {
    RoundMemory(const NetworkPlan& plan, int maxBatch);
    /// What the constructor would allocate.
    [[nodiscard]] static std::size_t bytes(const NetworkPlan& plan, int maxBatch);
    RoundMemory() = default;

    std::vector<FloatVector> imageInputs;     ///< per image step [samples x stored input]; borders stay zero
    std::vector<PlaceVector> places;          ///< per image step [samples x outputs]
    std::vector<FloatVector> denseInputs;     ///< per dense step [samples x inputs]; the first empty when sparse
    std::vector<FloatVector> denseGradients;  ///< per dense step, of its outputs before ReLU [samples x outputs]
    FloatVector logits;
    FloatVector flatGradient;  ///< of the first dense step's input, when images precede it
    std::vector<FloatVector> packedWeights, packedBias, transposedWeights;  ///< per image step
    FloatVector sparseConstant;
    std::array<SliceMemory, kMostSlices> slices;
};

}  // namespace lockstep
