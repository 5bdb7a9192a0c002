#include "nn/network_plan.h"

#include <fmt/format.h>

#include <utility>

#include "nn/layer_limits.h"

namespace lockstep {
namespace {

/// Walks the layers with the shape that reaches each, fusing ReLU and max-pool 2 into the step before them.
class Compiler {
public:
    explicit Compiler(NetworkPlan& plan) : m_plan(plan), m_shape(plan.spec.input) {}

    Result<void> run() {
        const std::vector<LayerSpec>& layers = m_plan.spec.layers;
        for (m_layer = 0; m_layer < static_cast<int>(layers.size()); ++m_layer) {
            const LayerSpec& layer = layers[static_cast<std::size_t>(m_layer)];
            Result<void> added = add(layer);
            if (!added) return fail(fmt::format("layer {}: {}", m_layer + 1, added.error().message));
        }
        connect();
        countFlop();
        return {};
    }

private:
    Result<void> add(const LayerSpec& layer) {
        switch (layer.type) {
            case LayerType::Convolution:
                return addConvolution(layer);
            case LayerType::MaxPool:
                return addPooling(layer);
            case LayerType::Relu:
                return addRelu();
            case LayerType::Dense:
                return addDense(layer);
            default:
                return fail("not for networks without batch normalization and residual blocks");
        }
    }

    std::size_t addWeights(const std::string& name, int inputs, int outputs) {
        const auto count = static_cast<std::size_t>(inputs) * static_cast<std::size_t>(outputs);
        return m_plan.add({name + ".weights", ParameterRole::Weights, count, inputs, m_layer});
    }
    std::size_t addBias(const std::string& name, int outputs) {
        return m_plan.add({name + ".bias", ParameterRole::Bias, static_cast<std::size_t>(outputs), 0, m_layer});
    }

    Result<void> addConvolution(const LayerSpec& layer) {
        if (!m_plan.dense.empty()) return fail("a convolution cannot follow a dense layer");
        if (Result<void> checked = checkConvolution(layer); !checked) return checked;
        kernels::Convolution convolution;
        convolution.height = m_shape.heightPx;
        convolution.width = m_shape.widthPx;
        convolution.inChannels = m_shape.channels;
        convolution.outChannels = layer.outputs;
        convolution.kernel = layer.kernel;
        ImageStep step{convolution};
        const std::string name = fmt::format("conv{}", ++m_convolutions);
        step.weights = addWeights(name, convolution.taps(), layer.outputs);
        step.bias = addBias(name, layer.outputs);
        m_plan.images.push_back(step);
        m_shape.channels = layer.outputs;
        return {};
    }

    kernels::Convolution* lastConvolution() {
        return m_plan.images.empty() ? nullptr : std::get_if<kernels::Convolution>(&m_plan.images.back().kernel);
    }

    Result<void> addPooling(const LayerSpec& layer) {
        if (!m_plan.dense.empty()) return fail("max-pooling cannot follow a dense layer");
        if (Result<void> checked = checkMaxPool(layer, m_shape); !checked) return checked;
        kernels::Convolution* before = lastConvolution();
        if (before != nullptr && before->pool == 1 && layer.kernel == 2) {
            before->pool = 2;  // the largest of ReLUs is the ReLU of the largest
        } else {
            addPoolingStep(layer.kernel);
        }
        m_shape.heightPx /= layer.kernel;
        m_shape.widthPx /= layer.kernel;
        return {};
    }

    void addPoolingStep(int window) {
        kernels::Pooling pooling;
        pooling.height = m_shape.heightPx;
        pooling.width = m_shape.widthPx;
        pooling.channels = m_shape.channels;
        pooling.window = window;
        m_plan.images.push_back({pooling});
    }

    Result<void> addRelu() {
        if (!m_plan.dense.empty()) {
            m_plan.dense.back().relu = true;
            return {};
        }
        if (m_plan.images.empty()) addPoolingStep(1);
        std::visit([](auto& kernel) { kernel.relu = true; }, m_plan.images.back().kernel);
        return {};
    }

    Result<void> addDense(const LayerSpec& layer) {
        if (Result<void> checked = checkDense(layer); !checked) return checked;
        DenseStep step;
        step.inputs = m_plan.dense.empty() ? m_shape.elements() : m_plan.dense.back().outputs;
        step.outputs = layer.outputs;
        step.sparse = m_plan.images.empty() && m_plan.dense.empty() && layer.outputs >= 16;
        const std::string name = fmt::format("dense{}", m_plan.dense.size() + 1);
        step.weights = addWeights(name, step.inputs, step.outputs);
        step.bias = addBias(name, step.outputs);
        m_plan.dense.push_back(step);
        return {};
    }

    /// Each image step writes where the next reads.
    void connect() {
        for (std::size_t i = 0; i < m_plan.images.size(); ++i) {
            const int next = i + 1 < m_plan.images.size() ? m_plan.images[i + 1].inputRowStride() : 0;
            std::visit(
                [&](auto& kernel) {
                    const int channels = kernel.outputElements() / (kernel.outputHeight() * kernel.outputWidth());
                    kernel.outputRowStride = next > 0 ? next : kernel.outputWidth() * channels;
                },
                m_plan.images[i].kernel);
        }
    }

    void countFlop() {
        for (std::size_t i = 0; i < m_plan.images.size(); ++i) {
            const kernels::Convolution* convolution = m_plan.images[i].convolution();
            if (convolution == nullptr) continue;
            const double taps = convolution->taps() * 2.0;
            const double pixels = double{1} * convolution->height * convolution->width * convolution->outChannels;
            const double computed = convolution->outputElements() * double{1} * convolution->pool * convolution->pool;
            const double backward = i == 0 ? 1 : 2;  // the images need no gradient
            m_plan.denseFlop += taps * pixels * (1 + backward);
            m_plan.executedFlop += taps * (computed + backward * convolution->outputElements());
        }
        for (std::size_t i = 0; i < m_plan.dense.size(); ++i) {
            const double passes = i == 0 && m_plan.images.empty() ? 2 : 3;
            m_plan.denseFlop += 2.0 * static_cast<double>(m_plan.dense[i].weightCount()) * passes;
            m_plan.executedFlop += 2.0 * static_cast<double>(m_plan.dense[i].weightCount()) * passes;
        }
    }

    NetworkPlan& m_plan;
    ImageShape m_shape;
    int m_layer = 0;
    int m_convolutions = 0;
};

}  // namespace

std::size_t ImageStep::inputElements() const {
    if (const kernels::Convolution* c = convolution()) return static_cast<std::size_t>(c->inputElements());
    const auto& pooling = std::get<kernels::Pooling>(kernel);
    return static_cast<std::size_t>(pooling.height * pooling.width * pooling.channels);
}

std::size_t ImageStep::outputElements() const {
    return static_cast<std::size_t>(std::visit([](const auto& k) { return k.outputElements(); }, kernel));
}

int ImageStep::inputOrigin() const {
    const kernels::Convolution* c = convolution();
    return c == nullptr ? 0 : c->padding() * (c->inputRowStride() + c->inChannels);
}

int ImageStep::inputRowStride() const {
    if (const kernels::Convolution* c = convolution()) return c->inputRowStride();
    const auto& pooling = std::get<kernels::Pooling>(kernel);
    return pooling.width * pooling.channels;
}

Result<NetworkPlan> NetworkPlan::compile(NetworkSpec spec) {
    NetworkPlan plan;
    Result<void> done = plan.begin(std::move(spec));
    if (done) done = Compiler(plan).run();
    if (!done) return tl::unexpected(done.error());
    return plan;
}

}  // namespace lockstep
