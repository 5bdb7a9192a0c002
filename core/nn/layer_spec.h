#pragma once

namespace lockstep {

/// What a layer does. Images are [batch x height x width x channels] (NHWC) everywhere; the first dense layer flattens.
enum class LayerType {
    Convolution,  ///< odd square kernel, stride 1, same (zero) padding, with bias: channels -> outputs
    Relu,
    MaxPool,  ///< square window, stride = window; rows and columns that fill no window are left out
    Dense,    ///< with bias: all inputs of a sample -> outputs
};

/// One layer of a network, as data.
struct LayerSpec {
    LayerType type = LayerType::Relu;
    int outputs = 0;  ///< Convolution: channels; Dense: units; otherwise 0
    int kernel = 0;   ///< Convolution: side of the kernel, odd, 1..7; MaxPool: side of the window, 2..8; otherwise 0

    bool operator==(const LayerSpec&) const = default;
};

}  // namespace lockstep
