#pragma once

#include <span>
#include <stop_token>

#include "nn/round_memory.h"

namespace lockstep {

/// One round: samples [first, first + count) of a batch, at most Workspace::kRoundSamples.
struct Round {
    int first = 0;
    int count = 0;

    [[nodiscard]] static int countFor(int batch) {
        return (batch + Workspace::kRoundSamples - 1) / Workspace::kRoundSamples;
    }
    [[nodiscard]] static Round at(int batch, int index);
};

/// The forward and backward pass, cut into pieces that touch nothing of each other's: the slices of a round, then the
/// parts of the dense weights' gradients. All members may run concurrently where GradientTask says so.
class RoundPass {
public:
    RoundPass(const NetworkPlan& plan, std::span<const float> parameters, const LabelledBatch& batch,
              RoundMemory& memory, const std::stop_token& stop)
        : m_plan(plan), m_parameters(parameters), m_batch(batch), m_memory(memory), m_stop(stop) {}

    /// Once for each set of parameters: weights as the kernels want them.
    void prepare(bool forGradient) const;
    /// Forward; loss, correct and logits' gradients; back to the images. Loss and correct add up in the slice.
    void runSlice(const Round& round, int slice) const;
    /// Forward only. `predictions` [batch] may be empty.
    void evaluateSlice(const Round& round, int slice, std::span<std::uint8_t> predictions) const;
    /// One of kWeightParts parts of the weights' gradients from what all slices left. The first round overwrites.
    void gatherWeights(const Round& round, int part, std::span<float> gradient) const;

private:
    struct Samples {
        int first = 0;  ///< in the round
        int count = 0;
        int inBatch = 0;  ///< of the first
    };
    [[nodiscard]] static Samples samplesOf(const Round& round, int slice);
    [[nodiscard]] const float* weights(std::size_t offset) const { return m_parameters.data() + offset; }
    [[nodiscard]] const float* pixels(int inBatch) const;
    [[nodiscard]] const float* denseInput(std::size_t step, const Samples& samples) const;

    [[nodiscard]] float* imageOutput(std::size_t step, int sample) const;
    void forwardImage(const Samples& samples, int index) const;
    void forwardDense(const Samples& samples, SliceMemory& slice) const;
    void backwardDense(const Samples& samples) const;
    void backwardImage(int sample, SliceMemory& slice) const;
    void gatherDense(const Round& round, std::size_t step, int part, std::span<float> gradient) const;
    void gatherConvolution(const Round& round, std::size_t step, std::span<float> gradient) const;

    const NetworkPlan& m_plan;
    std::span<const float> m_parameters;
    const LabelledBatch& m_batch;
    RoundMemory& m_memory;
    const std::stop_token& m_stop;
};

}  // namespace lockstep
