#include "nn/round_memory.h"

#include <algorithm>

namespace lockstep {
namespace {

int roundCapacity(int maxBatch) { return std::clamp(maxBatch, 1, Workspace::kRoundSamples); }

/// Visits every buffer of a workspace with its element count; allocation and estimate are this one description.
class Layout {
public:
    Layout(const NetworkPlan& plan, int capacity) : m_plan(plan), m_samples(static_cast<std::size_t>(capacity)) {}

    template <class Visit>
    void visit(RoundMemory& to, Visit&& buffer) const {
        for (std::size_t i = 0; i < m_plan.images.size(); ++i) {
            const ImageStep& step = m_plan.images[i];
            buffer(to.imageInputs[i], m_samples * step.inputElements());
            buffer(to.places[i], m_samples * step.outputElements());
            if (const kernels::Convolution* c = step.convolution()) {
                buffer(to.packedWeights[i], static_cast<std::size_t>(c->taps()) * c->packedOutputs());
                buffer(to.packedBias[i], static_cast<std::size_t>(c->packedOutputs()));
                if (i > 0) buffer(to.transposedWeights[i], static_cast<std::size_t>(c->taps()) * c->outChannels);
            }
        }
        for (std::size_t d = 0; d < m_plan.dense.size(); ++d) {
            const DenseStep& step = m_plan.dense[d];
            if (!step.sparse) buffer(to.denseInputs[d], m_samples * step.inputs);
            buffer(to.denseGradients[d], m_samples * step.outputs);
        }
        buffer(to.logits, m_samples * static_cast<std::size_t>(m_plan.classes()));
        if (!m_plan.images.empty()) buffer(to.flatGradient, m_samples * m_plan.dense.front().inputs);
        if (m_plan.startsSparse()) buffer(to.sparseConstant, static_cast<std::size_t>(m_plan.dense.front().outputs));
        for (SliceMemory& slice : to.slices) visitSlice(slice, buffer);
    }

private:
    template <class Visit>
    void visitSlice(SliceMemory& slice, Visit& buffer) const {
        std::size_t entries = 0;
        for (std::size_t i = 0; i < m_plan.images.size(); ++i) {
            const ImageStep& step = m_plan.images[i];
            if (i > 0) buffer(slice.inputGradients[i], step.inputElements());
            if (const kernels::Convolution* c = step.convolution()) {
                buffer(slice.weightGradients[i], static_cast<std::size_t>(c->taps()) * c->outChannels);
                buffer(slice.biasGradients[i], static_cast<std::size_t>(c->outChannels));
                entries = std::max(entries, kernels::backwardListEntries(*c));
            }
        }
        buffer(slice.list, entries);
        std::size_t scratch = 0;
        for (const DenseStep& step : m_plan.dense)
            if (!step.sparse) scratch = std::max(scratch, kernels::denseScratch(step.inputs, step.outputs));
        buffer(slice.denseScratch, scratch);
    }

    const NetworkPlan& m_plan;
    std::size_t m_samples;
};

void makeLists(const NetworkPlan& plan, RoundMemory& memory) {
    const std::size_t images = plan.images.size();
    for (auto* list : {&memory.imageInputs, &memory.packedWeights, &memory.packedBias, &memory.transposedWeights})
        list->resize(images);
    memory.places.resize(images);
    memory.denseInputs.resize(plan.dense.size());
    memory.denseGradients.resize(plan.dense.size());
    for (SliceMemory& slice : memory.slices)
        for (auto* list : {&slice.inputGradients, &slice.weightGradients, &slice.biasGradients}) list->resize(images);
}

}  // namespace

RoundMemory::RoundMemory(const NetworkPlan& plan, int maxBatch) {
    capacity = roundCapacity(maxBatch);
    scores.resize(slices.size());
    makeLists(plan, *this);
    Layout(plan, capacity).visit(*this, [](auto& buffer, std::size_t count) { buffer.resize(count); });
}

std::size_t RoundMemory::bytes(const NetworkPlan& plan, int maxBatch) {
    RoundMemory lists;
    makeLists(plan, lists);
    std::size_t total = sizeof(RoundMemory);
    Layout(plan, roundCapacity(maxBatch)).visit(lists, [&](auto& buffer, std::size_t count) {
        total += count * sizeof(buffer[0]);
    });
    return total;
}

}  // namespace lockstep
