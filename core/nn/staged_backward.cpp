#include <algorithm>

#include "nn/staged_pass.h"

namespace lockstep {
namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }

kernels::ImageSize sizeOf(const StagedTensor& tensor) {
    return {tensor.shape.heightPx, tensor.shape.widthPx, tensor.shape.channels};
}

kernels::ConstPixels constant(kernels::MutablePixels pixels) { return {pixels.first, pixels.rowStride}; }

}  // namespace

void StagedPass::backward(int phase, int sliceIndex) const {
    StagedSlice& slice = m_memory.slices[index(sliceIndex)];
    const SliceSamples samples = SliceSamples::at(m_call.samples(), sliceIndex);
    const std::vector<StagedAction>& actions = m_plan.backward[index(phase)];
    if (phase == 0) std::ranges::fill(slice.gradient, 0.0F);
    for (const StagedAction& action : actions) {
        SliceStatistics& s = slice.statistics[index(action.operation)];
        if (action.measures) {
            std::ranges::fill(s.gradients, 0.0);
            std::ranges::fill(s.products, 0.0);
        } else if (operation(action).normalizes()) {
            useGradientMeans(index(action.operation), slice);
        }
    }
    run(
        actions, samples, slice, [&](const StagedAction& action, const At& at) { backwardSample(action, at); },
        [&](const Operation& o) { backwardDense(o, samples, slice); });
    for (const StagedAction& action : actions)
        if (action.measures) leaveNormalizationGradient(index(action.operation), slice);
}

void StagedPass::backwardSample(const StagedAction& action, const At& at) const {
    const std::size_t i = index(action.operation);
    const Operation& o = operation(action);
    const SliceStatistics& s = at.slice.statistics[i];
    switch (o.type) {
        case OperationType::Convolution:
            return backwardConvolution(i, at);
        case OperationType::Normalization:
            if (action.measures) return measureGradient(i, at);
            if (!m_plan.in(o).hasGradient) return;
            return kernels::normalizationBackward(
                sizeOf(m_plan.out(o)), opened(o, at),
                {s.batchMean.data(), s.factor.data(), s.first.data(), s.second.data()}, gradient(o.input, at),
                o.addsToInput);
        case OperationType::Activation:
            return backwardActivation(o, at);
        case OperationType::MaxPool:
            return backwardMaxPool(i, at);
        case OperationType::AveragePool:
            return backwardAveragePool(o, at);
        case OperationType::Dense:
            return;  // a slice at a time
    }
}

void StagedPass::backwardConvolution(std::size_t i, const At& at) const {
    const Operation& o = m_plan.operations[i];
    const kernels::MutablePixels g = gradient(o.output, at);
    if (o.relu) kernels::openGradient(sizeOf(m_plan.out(o)), opened(o, at), g, false);
    kernels::Convolution shape = o.convolution;
    shape.outputRowStride = g.rowStride;
    const kernels::ConstPixels x = constValue(o.input, at.sample);
    float* weightGradient = at.slice.gradient.data() + o.sliceGradient;
    kernels::convolutionWeightGradient(shape, x.first - shape.padding() * (x.rowStride + shape.inChannels), g.first,
                                       weightGradient);
    if (o.hasBias) kernels::channelSums(sizeOf(m_plan.out(o)), constant(g), weightGradient + (o.bias - o.weights));
    const StagedTensor& input = m_plan.in(o);
    if (!input.hasGradient) return;
    const kernels::MutablePixels to = gradient(o.input, at);
    float* scratch = at.slice.image.data();
    if (shape.stride > 1) {
        kernels::convolutionInputGradient(shape, g.first, m_memory.backwardWeights[i].data(), at.slice.columns.data(),
                                          scratch);
        scratch += input.border * (x.rowStride + shape.inChannels);
        return kernels::copyPixels(sizeOf(input), {scratch, x.rowStride}, to, o.addsToInput);
    }
    kernels::Convolution back = turned(shape);
    back.outputRowStride = o.addsToInput ? back.width * back.outChannels : to.rowStride;
    kernels::convolutionForward(back, g.first - back.padding() * (g.rowStride + back.inChannels),
                                m_memory.backwardWeights[i].data(), m_memory.zeros.data(),
                                o.addsToInput ? scratch : to.first, at.slice.places.data());
    if (o.addsToInput) kernels::copyPixels(sizeOf(input), {scratch, back.outputRowStride}, to, true);
}

void StagedPass::backwardActivation(const Operation& o, const At& at) const {
    const kernels::NormalizationGradient g = opened(o, at);
    if (m_plan.in(o).hasGradient) kernels::openGradient(sizeOf(m_plan.out(o)), g, gradient(o.input, at), o.addsToInput);
    if (o.addend >= 0 && m_plan.tensors[index(o.addend)].hasGradient)
        kernels::openGradient(sizeOf(m_plan.out(o)), g, gradient(o.addend, at), o.addsToAddend);
}

void StagedPass::backwardMaxPool(std::size_t i, const At& at) const {
    const Operation& o = m_plan.operations[i];
    const StagedTensor& input = m_plan.in(o);
    if (!input.hasGradient) return;
    const kernels::MutablePixels g = gradient(o.output, at);
    if (o.relu) kernels::openGradient(sizeOf(m_plan.out(o)), opened(o, at), g, false);
    kernels::Pooling shape = o.pooling;
    shape.relu = false;
    shape.outputRowStride = g.rowStride;
    const std::uint8_t* places = m_memory.places[i].data() + index(at.sample) * index(shape.outputElements());
    kernels::poolingBackward(shape, nullptr, g.first, places, at.slice.image.data());
    kernels::copyPixels(sizeOf(input), {at.slice.image.data(), shape.width * shape.channels}, gradient(o.input, at),
                        o.addsToInput);
}

void StagedPass::backwardAveragePool(const Operation& o, const At& at) const {
    const kernels::ImageSize size = sizeOf(m_plan.in(o));
    if (!m_plan.in(o).hasGradient) return;
    const kernels::MutablePixels g = gradient(o.output, at);
    const float share = 1.0F / static_cast<float>(size.height * size.width);
    float* row = at.slice.image.data();
    for (int x = 0; x < size.width; ++x)
        for (int c = 0; c < size.channels; ++c) row[x * size.channels + c] = g.first[c] * share;
    kernels::copyPixels(size, {row, 0}, gradient(o.input, at), o.addsToInput);
}

void StagedPass::backwardDense(const Operation& o, const SliceSamples& samples, StagedSlice& slice) const {
    const StagedTensor& input = m_plan.in(o);
    const int inputs = input.shape.elements(), outputs = m_plan.out(o).shape.elements();
    const At first{slice, samples.first, samples.inBatch};
    const kernels::MutablePixels g = gradient(o.output, first);
    if (o.relu) {
        kernels::NormalizationGradient all = opened(o, first);
        kernels::openGradient({1, samples.count, outputs}, all, g, false);
    }
    if (!input.hasGradient) return;
    // A gradient with a border takes its samples one by one.
    const bool atOnce = input.gradientBorder == 0;
    for (int s = 0; s < (atOnce ? 1 : samples.count); ++s) {
        kernels::Product product{};
        product.rows = atOnce ? samples.count : 1;
        product.columns = inputs;
        product.inner = outputs;
        product.a = g.first + static_cast<std::ptrdiff_t>(s) * outputs;
        product.rowStride = outputs;
        product.innerStride = 1;
        product.b = parameters(o.weights);
        const At at{slice, samples.first + s, samples.inBatch + s};
        product.result = atOnce ? gradient(o.input, at).first : slice.image.data();
        kernels::product(product);
        if (!atOnce)
            kernels::copyPixels(sizeOf(input), {slice.image.data(), input.shape.widthPx * input.shape.channels},
                                gradient(o.input, at), false);
    }
}

void StagedPass::gatherDense(const Operation& o, int part, std::span<float> gradientOut) const {
    const int inputs = m_plan.in(o).shape.elements(), outputs = m_plan.out(o).shape.elements();
    const float* outputGradient = m_memory.gradients[index(o.output)].data();
    const int first = outputs * part / kGatherParts, last = outputs * (part + 1) / kGatherParts;
    if (first < last) {
        kernels::Product product{};
        product.rows = last - first;
        product.columns = inputs;
        product.inner = m_call.samples();
        product.a = outputGradient + first;
        product.rowStride = 1;
        product.innerStride = outputs;
        product.b = m_memory.values[index(o.input)].data();
        product.result = gradientOut.data() + o.weights + index(first) * index(inputs);
        kernels::product(product);
    }
    if (part == 0) kernels::columnSums(m_call.samples(), outputs, outputGradient, gradientOut.data() + o.bias, false);
}

void StagedPass::gather(int part, std::span<float> gradientOut) const {
    const auto slices = index(sliceCount());
    for (std::size_t i = 0; i < m_plan.operations.size(); ++i) {
        if (m_call.stop.stop_requested()) return;
        const Operation& o = m_plan.operations[i];
        if (o.type == OperationType::Dense) {
            gatherDense(o, part, gradientOut);
            continue;
        }
        const std::size_t first = o.parameters * index(part) / kGatherParts;
        const std::size_t count = o.parameters * index(part + 1) / kGatherParts - first;
        float* to = gradientOut.data() + o.weights + first;
        for (std::size_t s = 0; s < slices; ++s) {
            const float* from = m_memory.slices[s].gradient.data() + o.sliceGradient + first;
            for (std::size_t p = 0; p < count; ++p) to[p] = s == 0 ? from[p] : to[p] + from[p];
        }
        if (o.normalizes() && static_cast<int>(i) % kGatherParts == part) observeStatistics(i, gradientOut);
    }
}

}  // namespace lockstep
