#pragma once

#include <algorithm>
#include <span>

#include "nn/staged_memory.h"

namespace lockstep {

/// Samples of a slice: [first, first + count) in the memory, from `inBatch` on in the batch.
struct SliceSamples {
    int first = 0, count = 0, inBatch = 0;

    [[nodiscard]] static SliceSamples at(int batch, int slice);
};

/// The forward and backward pass of a StagedPlan, phase by phase. Within a phase slices touch nothing of each other's;
/// they read what others summed up in earlier phases.
class StagedPass {
public:
    StagedPass(const StagedPlan& plan, const NetworkCall& call)
        : m_plan(plan), m_call(call), m_memory(static_cast<StagedMemory&>(call.memory)) {}

    /// Once for each set of parameters.
    void prepare(bool forGradient) const;
    void forward(int phase, int slice) const;
    /// After the last forward phase: loss, correct, and the logits' gradient.
    void score(int slice) const;
    void backward(int phase, int slice) const;
    /// One of kGatherParts parts of the gradient from what all slices left.
    void gather(int part, std::span<float> gradient) const;
    /// `samples` lie at the memory's beginning. Running statistics, as prepare(false) left them.
    void evaluate(const SliceSamples& samples, std::span<std::uint8_t> predictions) const;

private:
    struct At {
        StagedSlice& slice;
        int sample;  ///< in the memory
        int inBatch;
    };
    /// Sample by sample through as many operations as can be, so that what one leaves is still in the cache; dense
    /// layers take a slice at a time.
    template <class PerSample, class PerSlice>
    void run(std::span<const StagedAction> actions, const SliceSamples& samples, StagedSlice& slice,
             PerSample perSample, PerSlice perSlice) const;
    [[nodiscard]] const Operation& operation(const StagedAction& action) const {
        return m_plan.operations[static_cast<std::size_t>(action.operation)];
    }
    [[nodiscard]] const float* parameters(std::size_t offset) const { return m_call.parameters.data() + offset; }
    [[nodiscard]] int sliceCount() const { return stagedSliceCount(m_call.samples()); }

    [[nodiscard]] kernels::MutablePixels value(int tensor, int sample) const;
    [[nodiscard]] kernels::ConstPixels constValue(int tensor, int sample) const;
    [[nodiscard]] kernels::MutablePixels gradient(int tensor, const At& at) const;
    [[nodiscard]] kernels::NormalizationGradient opened(const Operation& o, const At& at) const;

    void prepareConvolution(std::size_t index, bool forGradient) const;
    void standardize(const At& at) const;

    void forwardSample(const StagedAction& action, const At& at) const;
    void forwardConvolution(std::size_t index, const At& at) const;
    void forwardNormalization(std::size_t index, const At& at) const;
    void forwardPooling(std::size_t index, const At& at) const;
    void forwardDense(const Operation& o, const SliceSamples& samples, StagedSlice& slice) const;

    void backwardSample(const StagedAction& action, const At& at) const;
    void backwardConvolution(std::size_t index, const At& at) const;
    void backwardActivation(const Operation& o, const At& at) const;
    void backwardMaxPool(std::size_t index, const At& at) const;
    void backwardAveragePool(const Operation& o, const At& at) const;
    void backwardDense(const Operation& o, const SliceSamples& samples, StagedSlice& slice) const;
    void gatherDense(const Operation& o, int part, std::span<float> gradient) const;

    void measureInput(std::size_t index, const At& at) const;
    void measureGradient(std::size_t index, const At& at) const;
    void useBatchStatistics(std::size_t index, StagedSlice& slice) const;
    void useRunningStatistics(std::size_t index, StagedSlice& slice) const;
    void useGradientMeans(std::size_t index, StagedSlice& slice) const;
    void leaveNormalizationGradient(std::size_t index, StagedSlice& slice) const;
    void observeStatistics(std::size_t index, std::span<float> gradient) const;

    const StagedPlan& m_plan;
    const NetworkCall& m_call;
    StagedMemory& m_memory;
};

template <class PerSample, class PerSlice>
void StagedPass::run(std::span<const StagedAction> actions, const SliceSamples& samples, StagedSlice& slice,
                     PerSample perSample, PerSlice perSlice) const {
    const auto isDense = [&](const StagedAction& action) { return operation(action).type == OperationType::Dense; };
    for (auto action = actions.begin(); action != actions.end();) {
        if (isDense(*action)) {
            perSlice(operation(*action++));
            continue;
        }
        const auto end = std::find_if(action, actions.end(), isDense);
        for (int s = 0; s < samples.count; ++s) {
            if (m_call.stop.stop_requested()) return;
            for (auto each = action; each != end; ++each)
                perSample(*each, At{slice, samples.first + s, samples.inBatch + s});
        }
        action = end;
    }
}

}  // namespace lockstep
