#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "nn/layer_spec.h"

namespace lockstep {

/// Shape of one sample.
struct ImageShape {
    int heightPx = 0;
    int widthPx = 0;
    int channels = 0;

    [[nodiscard]] int elements() const { return heightPx * widthPx * channels; }
    bool operator==(const ImageShape&) const = default;
};

/// Pixels enter a network as (pixel - mean) / deviation. It is part of the network, so that callers pass raw pixels in
/// 0..1 and a first dense layer can skip those that are exactly zero. One entry for all channels or one for each;
/// empty: 0 and 1.
struct Standardization {
    std::vector<float> mean;
    std::vector<float> deviation;  ///< > 0

    bool operator==(const Standardization&) const = default;
};

/// A network as data: what enters, and the layers in order. The last must be Dense; its outputs are the classes'
/// logits.
struct NetworkSpec {
    ImageShape input;
    std::vector<LayerSpec> layers;
    Standardization standardization;

    bool operator==(const NetworkSpec&) const = default;
};

/// One dense layer: multinomial logistic regression.
[[nodiscard]] NetworkSpec softmaxSpec(int resolutionPx, int channels, int classes);
/// Dense 128, ReLU, dense 64, ReLU, dense `classes`.
[[nodiscard]] NetworkSpec mlpSpec(int resolutionPx, int channels, int classes);
/// Convolution 3x3 to 16, ReLU, max-pool 2, convolution 3x3 to 32, ReLU, max-pool 2, dense 128, ReLU, dense `classes`.
[[nodiscard]] NetworkSpec cnnSpec(int resolutionPx, int channels, int classes);

/// Convolution 3x3 to 16, batch normalization, ReLU; residual blocks of two 3x3 convolutions with 16, 32 (stride 2) and
/// 64 channels (stride 2), each convolution batch-normalized; global average pooling, dense `classes` (after He et al.,
/// CVPR 2016, section 4.2). 78,426 parameters with 1 channel and 10 classes, of which 672 are running statistics.
[[nodiscard]] NetworkSpec residualCnnSpec(int resolutionPx, int channels, int classes);

/// By the names of `training.model`: "softmax", "mlp", "cnn", "residual-cnn". Fails for another name, with those
/// allowed.
[[nodiscard]] Result<NetworkSpec> namedNetworkSpec(std::string_view name, int resolutionPx, int channels, int classes);

}  // namespace lockstep
