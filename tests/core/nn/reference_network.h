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

/// A batch on its way through the layers: one vector for each sample.
struct Batch {
    std::vector<std::vector<double>> x;
    ImageShape shape;
};

/// Reads the parameters in their documented order while it walks the layers.
class Walker {
public:
    Walker(const lockstep::NetworkSpec& spec, const std::vector<double>& parameters, bool training)
        : m_spec(spec), m_next(parameters.data()), m_training(training) {
        if (!training) m_statistics = parameters.data() + parameters.size() - statisticsOf(spec.layers, spec.input);
    }

    Batch run(Batch b) {
        for (std::vector<double>& x : b.x)
            for (std::size_t i = 0; i < x.size(); ++i) {
                const int c = static_cast<int>(i) % b.shape.channels;
                x[i] = (x[i] - pick(m_spec.standardization.mean, c, 0)) / pick(m_spec.standardization.deviation, c, 1);
            }
        return layers(m_spec.layers, std::move(b));
    }
    /// Of each normalization in order: means, then unbiased variances, that the batch showed.
    std::vector<double> observed;

private:
    static double pick(const std::vector<float>& v, int c, double absent) {
        return v.empty() ? absent : static_cast<double>(v[v.size() == 1 ? 0 : c]);
    }

    /// Entries of running statistics, and the channels that leave.
    static int statisticsOf(const std::vector<LayerSpec>& layers, ImageShape in, int* channelsOut = nullptr) {
        int count = 0, channels = in.channels;
        for (const LayerSpec& layer : layers) {
            if (layer.type == LayerType::Convolution || layer.type == LayerType::Dense) channels = layer.outputs;
            if (layer.type == LayerType::BatchNorm) count += 2 * channels;
            if (layer.type != LayerType::Residual) continue;
            const int before = channels;
            bool strides = false;
            for (const LayerSpec& inner : layer.block) strides |= inner.stride > 1 || inner.type == LayerType::MaxPool;
            count += statisticsOf(layer.block, {1, 1, channels}, &channels);
            const bool projects = channels != before || strides;
            if (projects && layer.block.back().type == LayerType::BatchNorm) count += 2 * channels;
        }
        if (channelsOut != nullptr) *channelsOut = channels;
        return count;
    }

    Batch layers(const std::vector<LayerSpec>& list, Batch b) {
        for (std::size_t i = 0; i < list.size(); ++i)
            b = layer(list[i], i + 1 < list.size() && list[i + 1].type == LayerType::BatchNorm, std::move(b));
        return b;
    }

    Batch layer(const LayerSpec& layer, bool beforeNorm, Batch b) {
        switch (layer.type) {
            case LayerType::Convolution:
                b = convolution(layer, beforeNorm, std::move(b));
                break;
            case LayerType::Relu:
                for (auto& x : b.x)
                    for (double& value : x) value = std::max(value, 0.0);
                break;
            case LayerType::MaxPool:
                for (auto& x : b.x) x = maxPool(x, b.shape, layer.kernel);
                b.shape.heightPx /= layer.kernel;
                b.shape.widthPx /= layer.kernel;
                break;
            case LayerType::Dense:
                b = dense(layer, std::move(b));
                break;
            case LayerType::BatchNorm:
                b = normalize(std::move(b));
                break;
            case LayerType::GlobalAveragePool:
                for (auto& x : b.x) {
                    std::vector<double> mean(b.shape.channels, 0.0);
                    for (std::size_t i = 0; i < x.size(); ++i)
                        mean[i % mean.size()] += x[i] * b.shape.channels / static_cast<double>(x.size());
                    x = mean;
                }
                b.shape = {1, 1, b.shape.channels};
                break;
            case LayerType::Residual:
                b = residual(layer, std::move(b));
                break;
        }
        m_first = false;
        return b;
    }

    Batch convolution(const LayerSpec& layer, bool beforeNorm, Batch b) {
        const double* bias = m_next + layer.kernel * layer.kernel * b.shape.channels * layer.outputs;
        const std::vector<double> none(layer.outputs, 0.0);
        ImageShape out = {(b.shape.heightPx + layer.stride - 1) / layer.stride,
                          (b.shape.widthPx + layer.stride - 1) / layer.stride, layer.outputs};
        for (auto& x : b.x) {
            const std::vector<double> all = convolve(x, b.shape, layer, m_next, beforeNorm ? none.data() : bias);
            x.clear();
            for (int r = 0; r < out.heightPx; ++r)
                for (int c = 0; c < out.widthPx; ++c)
                    for (int o = 0; o < out.channels; ++o)
                        x.push_back(all[(r * layer.stride * b.shape.widthPx + c * layer.stride) * out.channels + o]);
        }
        m_next = beforeNorm ? bias : bias + layer.outputs;
        b.shape = out;
        return b;
    }

    Batch dense(const LayerSpec& layer, Batch b) {
        const int inputs = b.shape.elements();
        // The layout of networks of dense layers alone; others normalize or end elsewhere.
        const bool inputMajor = m_first && layer.outputs >= 16 && !normalizes();
        for (auto& x : b.x) {
            std::vector<double> y(m_next + inputs * layer.outputs, m_next + (inputs + 1) * layer.outputs);
            for (int o = 0; o < layer.outputs; ++o)
                for (int i = 0; i < inputs; ++i)
                    y[o] += x[i] * m_next[inputMajor ? i * layer.outputs + o : o * inputs + i];
            x = y;
        }
        m_next += (inputs + 1) * layer.outputs;
        b.shape = {1, 1, layer.outputs};
        return b;
    }

    bool normalizes() const { return statisticsOf(m_spec.layers, m_spec.input) > 0; }

    Batch normalize(Batch b) {
        const int channels = b.shape.channels;
        const double *scale = m_next, *shift = m_next + channels;
        m_next += 2 * channels;
        std::vector<double> means, variances;
        for (int c = 0; c < channels; ++c) {
            double count = 0, mean = 0, variance = 0;
            for (const auto& x : b.x)
                for (std::size_t i = c; i < x.size(); i += channels, ++count) mean += x[i];
            mean /= count;
            for (const auto& x : b.x)
                for (std::size_t i = c; i < x.size(); i += channels) variance += (x[i] - mean) * (x[i] - mean) / count;
            means.push_back(mean);
            variances.push_back(variance * count / std::max(1.0, count - 1));
            if (!m_training) {
                mean = m_statistics[c];
                variance = m_statistics[channels + c];
            }
            for (auto& x : b.x)
                for (std::size_t i = c; i < x.size(); i += channels)
                    x[i] = (x[i] - mean) / std::sqrt(variance + 1e-5) * scale[c] + shift[c];
        }
        if (!m_training) m_statistics += 2 * channels;
        observed.insert(observed.end(), means.begin(), means.end());
        observed.insert(observed.end(), variances.begin(), variances.end());
        return b;
    }

    Batch residual(const LayerSpec& layer, Batch b) {
        Batch main = layers(layer.block, b);
        if (!(main.shape == b.shape)) {
            const int stride = main.shape.heightPx == b.shape.heightPx ? 1 : 2;
            const bool norm = layer.block.back().type == LayerType::BatchNorm;
            b = convolution({LayerType::Convolution, main.shape.channels, 1, stride}, norm, std::move(b));
            if (norm) b = normalize(std::move(b));
        }
        for (std::size_t s = 0; s < b.x.size(); ++s)
            for (std::size_t i = 0; i < b.x[s].size(); ++i) main.x[s][i] = std::max(0.0, main.x[s][i] + b.x[s][i]);
        return main;
    }

    const lockstep::NetworkSpec& m_spec;
    const double* m_next;
    const double* m_statistics = nullptr;
    bool m_training, m_first = true;
};

inline Batch batchOf(const lockstep::NetworkSpec& spec, const lockstep::LabelledBatch& batch) {
    Batch b{{}, spec.input};
    const int size = spec.input.elements();
    for (std::size_t s = 0; s < batch.labels.size(); ++s)
        b.x.emplace_back(batch.images.begin() + s * size, batch.images.begin() + (s + 1) * size);
    return b;
}

/// Mean softmax cross-entropy; batch normalization over this batch, or with the running statistics.
inline double loss(const lockstep::NetworkSpec& spec, const std::vector<double>& parameters,
                   const lockstep::LabelledBatch& batch, bool training = true) {
    const Batch out = Walker(spec, parameters, training).run(batchOf(spec, batch));
    double total = 0;
    for (std::size_t s = 0; s < out.x.size(); ++s) {
        double sum = 0;
        for (double value : out.x[s]) sum += std::exp(value - out.x[s][batch.labels[s]]);
        total += std::log(sum);
    }
    return total / static_cast<double>(batch.labels.size());
}

/// What a batch shows to the running statistics, in their layout.
inline std::vector<double> observedStatistics(const lockstep::NetworkSpec& spec, const std::vector<double>& parameters,
                                              const lockstep::LabelledBatch& batch) {
    Walker walker(spec, parameters, true);
    walker.run(batchOf(spec, batch));
    return walker.observed;
}

}  // namespace reference
