#include "nn/staged_memory.h"

#include <algorithm>

namespace lockstep {
namespace {

std::size_t size(int count) { return static_cast<std::size_t>(count); }

/// Visits every buffer with its element count; allocation and estimate are this one description.
class StagedBuffers {
public:
    StagedBuffers(const StagedPlan& plan, int capacity, bool forGradient)
        : m_plan(plan), m_samples(size(capacity)), m_forGradient(forGradient) {}

    template <class Visit>
    void visit(StagedMemory& to, Visit&& buffer) const {
        for (std::size_t t = 0; t < m_plan.tensors.size(); ++t) {
            const StagedTensor& tensor = m_plan.tensors[t];
            buffer(to.values[t], m_samples * tensor.elements());
            if (m_forGradient && tensor.hasGradient && !tensor.gradientLocal)
                buffer(to.gradients[t], m_samples * tensor.gradientElements());
        }
        for (std::size_t i = 0; i < m_plan.operations.size(); ++i) visitOperation(to, i, buffer);
        int widest = 0;
        for (const Operation& o : m_plan.operations) widest = std::max(widest, turned(o.convolution).packedOutputs());
        buffer(to.zeros, size(widest));
        for (StagedSlice& slice : to.slices) visitSlice(slice, buffer);
    }

private:
    template <class Visit>
    void visitOperation(StagedMemory& to, std::size_t i, Visit& buffer) const {
        const Operation& o = m_plan.operations[i];
        if (o.type == OperationType::MaxPool) buffer(to.places[i], m_samples * size(o.pooling.outputElements()));
        if (o.type != OperationType::Convolution) return;
        const kernels::Convolution& c = o.convolution;
        buffer(to.weights[i], size(c.taps()) * size(c.packedOutputs()));
        buffer(to.bias[i], size(c.packedOutputs()));
        if (!m_forGradient || !m_plan.in(o).hasGradient) return;
        const kernels::Convolution back = turned(c);
        buffer(to.backwardWeights[i],
               c.stride == 1 ? size(back.taps()) * size(back.packedOutputs()) : size(c.taps()) * size(c.outChannels));
    }

    template <class Visit>
    void visitSlice(StagedSlice& slice, Visit& buffer) const {
        std::size_t image = 0, columns = 0, dense = 0, places = 0;
        for (std::size_t i = 0; i < m_plan.operations.size(); ++i) {
            const Operation& o = m_plan.operations[i];
            image = std::max({image, m_plan.in(o).elements(), m_plan.out(o).gradientElements()});
            if (o.type == OperationType::Convolution) {
                columns = std::max(columns, size(o.convolution.outputWidth() * o.convolution.taps()));
                places = std::max(places, m_plan.out(o).elements());
                places = std::max(places, m_plan.in(o).elements());
            }
            if (o.type == OperationType::Dense)
                dense = std::max(dense,
                                 kernels::denseScratch(m_plan.in(o).shape.elements(), m_plan.out(o).shape.elements()));
            if (o.normalizes()) visitStatistics(slice.statistics[i], size(m_plan.in(o).shape.channels), buffer);
        }
        buffer(slice.places, places);
        buffer(slice.denseScratch, dense);
        if (!m_forGradient) return;
        buffer(slice.image, image);
        buffer(slice.columns, columns);
        buffer(slice.gradient, m_plan.sliceGradientCount);
        for (std::size_t t = 0; t < m_plan.tensors.size(); ++t)
            if (m_plan.tensors[t].gradientLocal) buffer(slice.localGradients[t], m_plan.tensors[t].gradientElements());
    }

    template <class Visit>
    void visitStatistics(SliceStatistics& s, std::size_t channels, Visit& buffer) const {
        for (auto* sums : {&s.mean, &s.squares, &s.gradients, &s.products}) buffer(*sums, channels);
        for (auto* values : {&s.batchMean, &s.factor, &s.inverse, &s.first, &s.second}) buffer(*values, channels);
    }

    const StagedPlan& m_plan;
    std::size_t m_samples;
    bool m_forGradient;
};

int capacityFor(int maxBatch, Workspace::Use use) {
    return use == Workspace::Use::Gradient ? std::max(1, maxBatch) : std::clamp(maxBatch, 1, kEvaluationSamples);
}

void makeLists(const StagedPlan& plan, int slices, StagedMemory& memory) {
    const std::size_t tensors = plan.tensors.size(), operations = plan.operations.size();
    for (auto* list : {&memory.values, &memory.gradients}) list->resize(tensors);
    for (auto* list : {&memory.weights, &memory.bias, &memory.backwardWeights}) list->resize(operations);
    memory.places.resize(operations);
    memory.slices.resize(size(slices));
    memory.scores.resize(size(slices));
    for (StagedSlice& slice : memory.slices) {
        slice.statistics.resize(operations);
        slice.localGradients.resize(tensors);
    }
}

}  // namespace

StagedMemory::StagedMemory(const StagedPlan& plan, int maxBatch, Workspace::Use use) {
    const bool forGradient = use == Workspace::Use::Gradient;
    capacity = capacityFor(maxBatch, use);
    makeLists(plan, forGradient ? stagedSliceCount(capacity) : 1, *this);
    StagedBuffers(plan, capacity, forGradient).visit(*this, [](auto& buffer, std::size_t count) {
        buffer.resize(count);
    });
}

std::size_t StagedMemory::bytes(const StagedPlan& plan, int maxBatch, Workspace::Use use) {
    const bool forGradient = use == Workspace::Use::Gradient;
    const int samples = capacityFor(maxBatch, use);
    StagedMemory lists;
    makeLists(plan, forGradient ? stagedSliceCount(samples) : 1, lists);
    std::size_t total = sizeof(StagedMemory);
    StagedBuffers(plan, samples, forGradient).visit(lists, [&](auto& buffer, std::size_t count) {
        total += count * sizeof(buffer[0]);
    });
    return total;
}

}  // namespace lockstep
