#include "nn/workspace.h"

#include <algorithm>

namespace lockstep {
namespace {

int roundCapacity(int maxBatch) { return std::clamp(maxBatch, 1, Workspace::kRoundSamples); }

/// Visits every buffer of a workspace with its element count; allocation and estimate are this one description.
class Layout {
public:
    Layout(const NetworkPlan& plan, int capacity) : m_plan(plan), m_samples(static_cast<std::size_t>(capacity)) {}

    template <class Visit>
    void visit(Workspace::Impl& to, Visit&& buffer) const {
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

void makeLists(const NetworkPlan& plan, Workspace::Impl& impl) {
    const std::size_t images = plan.images.size();
    for (auto* list : {&impl.imageInputs, &impl.packedWeights, &impl.packedBias, &impl.transposedWeights})
        list->resize(images);
    impl.places.resize(images);
    impl.denseInputs.resize(plan.dense.size());
    impl.denseGradients.resize(plan.dense.size());
    for (SliceMemory& slice : impl.slices)
        for (auto* list : {&slice.inputGradients, &slice.weightGradients, &slice.biasGradients}) list->resize(images);
}

}  // namespace

Workspace::Workspace(const Network& network, int maxBatch) : m_impl(std::make_unique<Impl>()) {
    m_impl->capacity = roundCapacity(maxBatch);
    makeLists(*network.m_plan, *m_impl);
    Layout(*network.m_plan, m_impl->capacity).visit(*m_impl, [](auto& buffer, std::size_t count) {
        buffer.resize(count);
    });
}

std::size_t Workspace::bytes(const Network& network, int maxBatch) {
    Impl impl;
    makeLists(*network.m_plan, impl);
    std::size_t total = sizeof(Impl);
    Layout(*network.m_plan, roundCapacity(maxBatch)).visit(impl, [&](auto& buffer, std::size_t count) {
        total += count * sizeof(buffer[0]);
    });
    return total;
}

Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;
Workspace::~Workspace() = default;

}  // namespace lockstep
