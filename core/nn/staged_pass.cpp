#include "nn/staged_pass.h"

#include <algorithm>

namespace lockstep {
namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }

/// A sample's pixels within stored memory.
kernels::MutablePixels inside(float* stored, const ImageShape& shape, int border) {
    const int rowStride = StagedTensor::rowStride(shape, border);
    return {stored + static_cast<std::ptrdiff_t>(border) * (rowStride + shape.channels), rowStride};
}

}  // namespace

SliceSamples SliceSamples::at(int batch, int slice) {
    const int slices = stagedSliceCount(batch), first = batch * slice / slices;
    return {first, batch * (slice + 1) / slices - first, first};
}

kernels::MutablePixels StagedPass::value(int tensor, int sample) const {
    const StagedTensor& t = m_plan.tensors[index(tensor)];
    return inside(m_memory.values[index(tensor)].data() + index(sample) * t.elements(), t.shape, t.border);
}

kernels::ConstPixels StagedPass::constValue(int tensor, int sample) const {
    const kernels::MutablePixels pixels = value(tensor, sample);
    return {pixels.first, pixels.rowStride};
}

kernels::MutablePixels StagedPass::gradient(int tensor, const At& at) const {
    const StagedTensor& t = m_plan.tensors[index(tensor)];
    float* stored = t.gradientLocal
                        ? at.slice.localGradients[index(tensor)].data()
                        : m_memory.gradients[index(tensor)].data() + index(at.sample) * t.gradientElements();
    return inside(stored, t.shape, t.gradientBorder);
}

void StagedPass::prepare(bool forGradient) const {
    std::ranges::fill(m_memory.scores, SliceScore{});
    for (std::size_t i = 0; i < m_plan.operations.size(); ++i) {
        const Operation& o = m_plan.operations[i];
        if (o.type == OperationType::Convolution) prepareConvolution(i, forGradient);
        if (o.normalizes() && !forGradient) useRunningStatistics(i, m_memory.slices.front());
    }
}

void StagedPass::prepareConvolution(std::size_t i, bool forGradient) const {
    const Operation& o = m_plan.operations[i];
    const kernels::Convolution& c = o.convolution;
    const kernels::Convolution back = turned(c);
    const bool packs = forGradient && m_plan.in(o).hasGradient;
    const float* from = parameters(o.weights);
    if (o.hasBias) std::copy_n(parameters(o.bias), c.outChannels, m_memory.bias[i].data());
    for (int t = 0; t < c.taps(); ++t, from += c.outChannels) {
        std::copy_n(from, c.outChannels,
                    m_memory.weights[i].data() + static_cast<std::ptrdiff_t>(t) * c.packedOutputs());
        if (!packs) continue;
        const int place = t / c.inChannels, channel = t % c.inChannels;
        const int firstTap = (c.kernel * c.kernel - 1 - place) * c.outChannels;
        float* to = m_memory.backwardWeights[i].data();
        to += c.stride == 1 ? static_cast<std::ptrdiff_t>(firstTap) * back.packedOutputs() + channel : t;
        const std::ptrdiff_t step = c.stride == 1 ? back.packedOutputs() : c.taps();
        for (int out = 0; out < c.outChannels; ++out) to[out * step] = from[out];
    }
}

void StagedPass::standardize(const At& at) const {
    const kernels::MutablePixels to = value(0, at.sample);
    m_plan.standardize(m_call.batch.images.data() + index(at.inBatch) * index(m_plan.spec.input.elements()), to.first,
                       to.rowStride);
}

void StagedPass::forward(int phase, int sliceIndex) const {
    StagedSlice& slice = m_memory.slices[index(sliceIndex)];
    const SliceSamples samples = SliceSamples::at(m_call.samples(), sliceIndex);
    const std::vector<StagedAction>& actions = m_plan.forward[index(phase)];
    for (const StagedAction& action : actions) {
        const std::size_t i = index(action.operation);
        SliceStatistics& s = slice.statistics[i];
        if (action.measures) {
            s.count = 0;
            std::ranges::fill(s.mean, 0.0);
            std::ranges::fill(s.squares, 0.0);
        } else if (operation(action).normalizes()) {
            useBatchStatistics(i, slice);
        }
    }
    if (phase == 0)
        for (int s = 0; s < samples.count; ++s) standardize({slice, samples.first + s, samples.inBatch + s});
    run(
        actions, samples, slice, [&](const StagedAction& action, const At& at) { forwardSample(action, at); },
        [&](const Operation& o) { forwardDense(o, samples, slice); });
}

void StagedPass::score(int sliceIndex) const {
    const SliceSamples samples = SliceSamples::at(m_call.samples(), sliceIndex);
    const std::size_t logits = m_plan.tensors.size() - 1;
    const std::size_t first = index(samples.first) * index(m_plan.classes());
    SliceScore& score = m_memory.scores[index(sliceIndex)];
    score.loss += kernels::softmaxCrossEntropy(samples.count, m_plan.classes(), m_memory.values[logits].data() + first,
                                               m_call.batch.labels.data() + samples.inBatch,
                                               1.0F / static_cast<float>(m_call.samples()),
                                               m_memory.gradients[logits].data() + first, nullptr, &score.correct);
}

void StagedPass::evaluate(const SliceSamples& samples, std::span<std::uint8_t> predictions) const {
    StagedSlice& slice = m_memory.slices.front();
    for (int s = 0; s < samples.count; ++s) standardize({slice, samples.first + s, samples.inBatch + s});
    for (const std::vector<StagedAction>& actions : m_plan.forward)
        run(
            actions, samples, slice,
            [&](const StagedAction& action, const At& at) {
                if (!action.measures) forwardSample(action, at);
            },
            [&](const Operation& o) { forwardDense(o, samples, slice); });
    if (m_call.stop.stop_requested()) return;
    SliceScore& score = m_memory.scores.front();
    score.loss += kernels::softmaxCrossEntropy(
        samples.count, m_plan.classes(), m_memory.values.back().data(), m_call.batch.labels.data() + samples.inBatch,
        1.0F, nullptr, predictions.empty() ? nullptr : predictions.data() + samples.inBatch, &score.correct);
}

void StagedPass::forwardSample(const StagedAction& action, const At& at) const {
    const std::size_t i = index(action.operation);
    switch (operation(action).type) {
        case OperationType::Convolution:
            return forwardConvolution(i, at);
        case OperationType::Normalization:
        case OperationType::Activation:
            return action.measures ? measureInput(i, at) : forwardNormalization(i, at);
        case OperationType::MaxPool:
        case OperationType::AveragePool:
            return forwardPooling(i, at);
        case OperationType::Dense:
            return;  // a slice at a time
    }
}

void StagedPass::forwardConvolution(std::size_t i, const At& at) const {
    const Operation& o = m_plan.operations[i];
    const kernels::ConstPixels x = constValue(o.input, at.sample);
    const float* firstWindow = x.first - o.convolution.padding() * (x.rowStride + o.convolution.inChannels);
    kernels::convolutionForward(o.convolution, firstWindow, m_memory.weights[i].data(), m_memory.bias[i].data(),
                                value(o.output, at.sample).first, at.slice.places.data());
}

void StagedPass::forwardPooling(std::size_t i, const At& at) const {
    const Operation& o = m_plan.operations[i];
    const kernels::ConstPixels x = constValue(o.input, at.sample);
    const kernels::MutablePixels y = value(o.output, at.sample);
    if (o.type == OperationType::MaxPool) {
        std::uint8_t* places = m_memory.places[i].data() + index(at.sample) * index(o.pooling.outputElements());
        return kernels::poolingForward(o.pooling, x.first, y.first, places);
    }
    const ImageShape& shape = m_plan.in(o).shape;
    const float share = 1.0F / static_cast<float>(shape.heightPx * shape.widthPx);
    std::fill_n(y.first, shape.channels, 0.0F);
    kernels::channelSums({shape.heightPx, shape.widthPx, shape.channels}, x, y.first);
    for (int c = 0; c < shape.channels; ++c) y.first[c] *= share;
}

void StagedPass::forwardDense(const Operation& o, const SliceSamples& samples, StagedSlice& slice) const {
    kernels::denseForward({m_plan.in(o).shape.elements(), m_plan.out(o).shape.elements(), parameters(o.weights),
                           parameters(o.bias), o.relu},
                          samples.count, value(o.input, samples.first).first, value(o.output, samples.first).first,
                          slice.denseScratch.data());
}

}  // namespace lockstep
