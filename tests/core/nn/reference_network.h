#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "nn/network.h"

/// The same networks in double, layer by layer as the definitions read: no fusing, no skipping, no clever order. It
/// knows of lockstep only the specification and the documented parameter layout.
namespace reference {

using lockstep::ImageShape;
using lockstep::LayerSpec;
using lockstep::LayerType;

inline std::vector<double> convolve(const std::vector<double>& x, ImageShape in, const LayerSpec& layer,
                                    const double* weights, const double* bias) {
    const int pad = layer.kernel / 2;
    std::vector<double> y;
    for (int r = 0; r < in.heightPx; ++r)
        for (int c = 0; c < in.widthPx; ++c)
            for (int o = 0; o < layer.outputs; ++o) {
                double sum = bias[o];
                for (int ky = 0; ky < layer.kernel; ++ky)
                    for (int kx = 0; kx < layer.kernel; ++kx) {
                        const int yy = r + ky - pad, xx = c + kx - pad;
                        if (yy < 0 || xx < 0 || yy >= in.heightPx || xx >= in.widthPx) continue;
                        for (int i = 0; i < in.channels; ++i)
                            sum += x[(yy * in.widthPx + xx) * in.channels + i] *
                                   weights[((ky * layer.kernel + kx) * in.channels + i) * layer.outputs + o];
                    }
                y.push_back(sum);
            }
    return y;
}

inline std::vector<double> maxPool(const std::vector<double>& x, ImageShape in, int window) {
    std::vector<double> y;
    for (int r = 0; r + window <= in.heightPx; r += window)
        for (int c = 0; c + window <= in.widthPx; c += window)
            for (int i = 0; i < in.channels; ++i) {
                double best = -INFINITY;
                for (int dy = 0; dy < window; ++dy)
                    for (int dx = 0; dx < window; ++dx)
                        best = std::max(best, x[((r + dy) * in.widthPx + c + dx) * in.channels + i]);
                y.push_back(best);
            }
    return y;
}

/// Logits of one image (raw pixels).
inline std::vector<double> logits(const lockstep::NetworkSpec& spec, const std::vector<double>& parameters,
                                  const float* image) {
    ImageShape shape = spec.input;
    const auto pick = [](const std::vector<float>& v, int c, double absent) {
        return v.empty() ? absent : static_cast<double>(v[v.size() == 1 ? 0 : c]);
    };
    std::vector<double> x;
    for (int i = 0; i < shape.elements(); ++i) {
        const int c = i % shape.channels;
        x.push_back((image[i] - pick(spec.standardization.mean, c, 0)) / pick(spec.standardization.deviation, c, 1));
    }
    const double* next = parameters.data();
    bool firstLayer = true;
    for (const LayerSpec& layer : spec.layers) {
        if (layer.type == LayerType::Convolution) {
            const double* bias = next + layer.kernel * layer.kernel * shape.channels * layer.outputs;
            x = convolve(x, shape, layer, next, bias);
            next = bias + layer.outputs;
            shape.channels = layer.outputs;
        } else if (layer.type == LayerType::Relu) {
            for (double& value : x) value = std::max(value, 0.0);
        } else if (layer.type == LayerType::MaxPool) {
            x = maxPool(x, shape, layer.kernel);
            shape.heightPx /= layer.kernel;
            shape.widthPx /= layer.kernel;
        } else {
            const int inputs = static_cast<int>(x.size());
            const bool inputMajor = firstLayer && layer.outputs >= 16;
            std::vector<double> y(next + inputs * layer.outputs, next + (inputs + 1) * layer.outputs);
            for (int o = 0; o < layer.outputs; ++o)
                for (int i = 0; i < inputs; ++i)
                    y[o] += x[i] * next[inputMajor ? i * layer.outputs + o : o * inputs + i];
            next += (inputs + 1) * layer.outputs;
            x = y;
        }
        firstLayer = false;
    }
    return x;
}

/// Mean softmax cross-entropy.
inline double loss(const lockstep::NetworkSpec& spec, const std::vector<double>& parameters,
                   const lockstep::LabelledBatch& batch) {
    double total = 0;
    for (std::size_t s = 0; s < batch.labels.size(); ++s) {
        const std::vector<double> z = logits(spec, parameters, batch.images.data() + s * spec.input.elements());
        double sum = 0;
        for (double value : z) sum += std::exp(value - z[batch.labels[s]]);
        total += std::log(sum);
    }
    return total / static_cast<double>(batch.labels.size());
}

}  // namespace reference
