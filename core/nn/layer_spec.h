#pragma once

#include <vector>

namespace lockstep {

/// What a layer does. Images are [batch x height x width x channels] (NHWC) everywhere; the first dense layer flattens.
enum class LayerType {
    Convolution,  ///< odd square kernel, stride 1 or 2, zero padding kernel / 2: channels -> outputs, sides become
                  ///< ceil(side / stride). With bias, unless a batch normalization comes next and would cancel it
    Relu,
    MaxPool,  ///< square window, stride = window; rows and columns that fill no window are left out
    Dense,    ///< with bias: all inputs of a sample -> outputs
    /// Per channel over batch and pixels, with a learnable scale and shift (Ioffe and Szegedy, ICML 2015). Trains with
    /// the batch's mean and (biased) variance, tests with running ones; see Network.
    BatchNorm,
    GlobalAveragePool,  ///< the mean over all pixels of each channel: 1 x 1 pixels
    /// y = ReLU(F(x) + shortcut(x)) with the layers F of `block` (He et al., CVPR 2016). The shortcut is x itself where
    /// F keeps the shape, otherwise a 1 x 1 convolution of stride 1 or 2, batch-normalized where F ends so.
    Residual,
};

/// One layer of a network, as data.
struct LayerSpec {
    LayerType type = LayerType::Relu;
    int outputs = 0;  ///< Convolution: channels; Dense: units; otherwise 0
    int kernel = 0;   ///< Convolution: side of the kernel, odd, 1..7; MaxPool: side of the window, 2..8; otherwise 0
    int stride = 1;   ///< Convolution: 1 or 2
    std::vector<LayerSpec> block = {};  ///< Residual: convolutions, batch normalization, ReLU and max-pooling

    bool operator==(const LayerSpec&) const = default;
};

/// Added to a variance before its root is taken in batch normalization.
inline constexpr double kNormalizationEpsilon = 1e-5;

}  // namespace lockstep
