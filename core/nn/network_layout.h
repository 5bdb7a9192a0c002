#pragma once

#include <vector>

#include "nn/network.h"

namespace lockstep {

/// What is known of a network whichever way it is computed: its parameters, how pixels enter, its cost.
struct NetworkLayout {
    NetworkSpec spec;
    std::vector<ParameterRange> ranges;
    std::size_t parameterCount = 0;
    std::size_t trainedCount = 0;     ///< the running statistics are behind these
    std::vector<float> scale, shift;  ///< pixel * scale - shift, per channel
    double denseFlop = 0, executedFlop = 0;

    /// Takes the specification when images, standardization and the last layer are in order.
    Result<void> begin(NetworkSpec given);
    /// Appends a range; returns its offset.
    std::size_t add(ParameterRange range);
    [[nodiscard]] int classes() const { return spec.layers.back().outputs; }
    /// One image of raw pixels to where `to` points, rows `rowStride` floats apart.
    void standardize(const float* image, float* to, int rowStride) const;
    /// Network::initialize().
    void initialize(std::span<float> parameters, RandomStream& stream) const;
};

}  // namespace lockstep
