#include "nn/staged_compiler.h"

#include <fmt/format.h>

#include <utility>

#include "nn/layer_limits.h"

namespace lockstep {

StagedCompiler::StagedCompiler(StagedPlan& plan) : m_plan(plan) {
    m_plan.tensors.push_back({.shape = plan.spec.input, .hasGradient = false});
}

Result<void> StagedCompiler::run() {
    Result<void> added = addAll(m_plan.spec.layers);
    if (added) addStatistics();
    return added;
}

Result<void> StagedCompiler::addAll(std::span<const LayerSpec> layers) {
    for (std::size_t i = 0; i < layers.size(); ++i) {
        const LayerSpec* next = i + 1 < layers.size() ? &layers[i + 1] : nullptr;
        if (Result<void> added = add(layers[i], next); !added)
            return fail(fmt::format("layer {}: {}", i + 1, added.error().message));
    }
    return {};
}

Result<void> StagedCompiler::add(const LayerSpec& layer, const LayerSpec* next) {
    switch (layer.type) {
        case LayerType::Convolution:
            return addConvolution(layer, next);
        case LayerType::BatchNorm:
            return addNormalization();
        case LayerType::Relu:
            return addRelu();
        case LayerType::MaxPool:
            return addMaxPool(layer);
        case LayerType::GlobalAveragePool:
            return addAveragePool();
        case LayerType::Dense:
            return addDense(layer);
        case LayerType::Residual:
            return addResidual(layer);
    }
    return fail("unknown layer type");
}

Operation& StagedCompiler::append(OperationType type, ImageShape output) {
    m_plan.tensors.push_back({.shape = output});
    const int tensor = static_cast<int>(m_plan.tensors.size()) - 1;
    m_plan.operations.push_back({.type = type, .input = m_current, .output = tensor});
    m_current = tensor;
    m_canFuse = true;
    return m_plan.operations.back();
}

std::size_t StagedCompiler::addRange(const std::string& name, ParameterRole role, std::size_t count, int inputs) {
    return m_plan.add({.name = name, .role = role, .count = count, .inputs = inputs, .layer = m_layer});
}

Result<void> StagedCompiler::addConvolution(const LayerSpec& layer, const LayerSpec* next) {
    if (m_flat) return fail("a convolution cannot follow a dense layer");
    if (Result<void> checked = checkConvolution(layer); !checked) return checked;
    const ImageShape in = shape();
    kernels::Convolution convolution{in.heightPx, in.widthPx, in.channels, layer.outputs, layer.kernel};
    convolution.stride = layer.stride;
    Operation& o = append(OperationType::Convolution,
                          {convolution.outputHeight(), convolution.outputWidth(), convolution.outChannels});
    o.convolution = convolution;
    o.hasBias = next == nullptr || next->type != LayerType::BatchNorm;
    ++m_layer;
    const std::string name = fmt::format("conv{}", ++m_convolutions);
    const auto outputs = static_cast<std::size_t>(layer.outputs);
    const std::size_t weights = static_cast<std::size_t>(convolution.taps()) * outputs;
    o.weights = addRange(name + ".weights", ParameterRole::Weights, weights, convolution.taps());
    if (o.hasBias) o.bias = addRange(name + ".bias", ParameterRole::Bias, outputs);
    o.parameters = weights + (o.hasBias ? outputs : 0);
    return {};
}

Result<void> StagedCompiler::addNormalization() {
    Operation& o = append(OperationType::Normalization, shape());
    const auto channels = static_cast<std::size_t>(shape().channels);
    ++m_layer;
    const std::string name = fmt::format("norm{}", ++m_normalizations);
    o.weights = addRange(name + ".scale", ParameterRole::Scale, channels);
    o.bias = addRange(name + ".shift", ParameterRole::Shift, channels);
    o.parameters = 2 * channels;
    return {};
}

Result<void> StagedCompiler::addRelu() {
    if (!m_canFuse) append(OperationType::Activation, shape());
    Operation& o = m_plan.operations.back();
    o.relu = o.convolution.relu = o.pooling.relu = true;
    return {};
}

Result<void> StagedCompiler::addMaxPool(const LayerSpec& layer) {
    if (m_flat) return fail("max-pooling cannot follow a dense layer");
    const ImageShape in = shape();
    if (Result<void> checked = checkMaxPool(layer, in); !checked) return checked;
    kernels::Pooling pooling{in.heightPx, in.widthPx, in.channels, layer.kernel, false, 0};
    Operation& o = append(OperationType::MaxPool, {pooling.outputHeight(), pooling.outputWidth(), pooling.channels});
    o.pooling = pooling;
    return {};
}

Result<void> StagedCompiler::addAveragePool() {
    if (m_flat) return fail("global average pooling cannot follow a dense layer");
    if (m_inBlock) return fail("global average pooling cannot be inside a residual block");
    append(OperationType::AveragePool, {1, 1, shape().channels});
    m_canFuse = false;
    return {};
}

Result<void> StagedCompiler::addDense(const LayerSpec& layer) {
    if (m_inBlock) return fail("a dense layer cannot be inside a residual block");
    if (Result<void> checked = checkDense(layer); !checked) return checked;
    const int inputs = shape().elements();
    Operation& o = append(OperationType::Dense, {1, 1, layer.outputs});
    ++m_layer;
    m_flat = true;
    const std::string name = fmt::format("dense{}", ++m_dense);
    const auto outputs = static_cast<std::size_t>(layer.outputs);
    const std::size_t weights = static_cast<std::size_t>(inputs) * outputs;
    o.weights = addRange(name + ".weights", ParameterRole::Weights, weights, inputs);
    o.bias = addRange(name + ".bias", ParameterRole::Bias, outputs);
    o.parameters = weights + outputs;
    return {};
}

Result<void> StagedCompiler::addResidual(const LayerSpec& layer) {
    if (m_flat) return fail("a residual block cannot follow a dense layer");
    if (m_inBlock) return fail("a residual block cannot be inside another one");
    if (layer.block.empty()) return fail("a residual block needs at least one layer");
    const int input = m_current;
    m_inBlock = true;
    m_canFuse = false;
    Result<void> added = addAll(layer.block);
    m_inBlock = false;
    if (!added) return fail("in the block, " + added.error().message);
    const bool normalized = layer.block.back().type == LayerType::BatchNorm;
    // The last operation also adds the shortcut, which therefore has to come before it.
    if (!normalized) append(OperationType::Activation, shape());
    Operation last = m_plan.operations.back();
    m_plan.operations.pop_back();
    const Result<int> shortcut = addShortcut(input, shape(), normalized);
    if (!shortcut) return tl::unexpected(shortcut.error());
    last.addend = *shortcut;
    last.relu = true;
    m_plan.operations.push_back(last);
    m_current = last.output;
    m_canFuse = true;
    return {};
}

Result<int> StagedCompiler::addShortcut(int from, const ImageShape& to, bool normalized) {
    const ImageShape& in = m_plan.tensors[static_cast<std::size_t>(from)].shape;
    if (in == to) return from;
    const int stride = in.heightPx == to.heightPx && in.widthPx == to.widthPx ? 1 : 2;
    if ((in.heightPx + stride - 1) / stride != to.heightPx || (in.widthPx + stride - 1) / stride != to.widthPx)
        return fail(
            fmt::format("a residual block makes {} x {} of {} x {} pixels; its shortcut can keep them or halve "
                        "them, rounded up",
                        to.heightPx, to.widthPx, in.heightPx, in.widthPx));
    m_current = from;
    const LayerSpec norm{LayerType::BatchNorm};
    Result<void> added = addConvolution({LayerType::Convolution, to.channels, 1, stride}, normalized ? &norm : nullptr);
    if (added && normalized) added = addNormalization();
    if (!added) return tl::unexpected(added.error());
    return m_current;
}

void StagedCompiler::addStatistics() {
    ++m_layer;
    int number = 0;
    // In the order in which the layers were numbered, which is that of their scales.
    for (std::size_t i = 0, count = m_plan.ranges.size(); i < count; ++i) {
        if (m_plan.ranges[i].role != ParameterRole::Scale) continue;
        const std::size_t scale = m_plan.ranges[i].offset, channels = m_plan.ranges[i].count;
        const std::string name = fmt::format("norm{}", ++number);
        for (Operation& o : m_plan.operations)
            if (o.normalizes() && o.weights == scale) {
                o.mean = addRange(name + ".mean", ParameterRole::RunningMean, channels);
                o.variance = addRange(name + ".variance", ParameterRole::RunningVariance, channels);
            }
    }
}

}  // namespace lockstep
