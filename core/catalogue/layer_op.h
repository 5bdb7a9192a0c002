#pragma once

namespace lockstep {

/// The shape of what flows between layers, for one sample: channels x height x width. A sequence is [width of a token]
/// x [tokens] x 1, so that a dense layer acts on every position of either.
struct LayerShape {
    long long channels = 0, height = 0, width = 0;

    [[nodiscard]] double elements() const {
        return static_cast<double>(channels) * static_cast<double>(height) * static_cast<double>(width);
    }
};

enum class LayerOpKind {
    Convolution,
    Dense,
    MaxPool,
    AveragePool,
    AdaptiveAveragePool,
    BatchNorm,
    LayerNorm,
    Relu,
    Gelu,
    Tanh,
    Dropout,
    Flatten,
    Embedding,          ///< tokens to vectors
    PositionEmbedding,  ///< adds a table to the vectors
    FirstToken,         ///< goes on with the first position alone
    SelfAttention,      ///< with its four projections
    ResidualBegin,
    ShortcutBegin,
    ResidualEnd,
    BranchesBegin,
    BranchEnd,
    BranchesEnd,
};

/// One step of a model's description with repeats and blocks expanded. Which fields count depends on the kind.
struct LayerOp {
    LayerOpKind kind = LayerOpKind::Flatten;
    int outputs = 0;  ///< channels, units, width of a token, or side of an adaptive pooling
    int rows = 0;     ///< of an embedding's table
    int heads = 0;    ///< of attention
    int kernelHeight = 1, kernelWidth = 1;
    int stride = 1;
    int paddingHeight = 0, paddingWidth = 0;
    int groups = 1;
    bool bias = true;
    bool roundUp = false;     ///< pooling windows may hang over the edge
    bool dropout = false;     ///< attention drops probabilities
    bool keepsInput = false;  ///< the first that needs its input in the backward pass: counts it as stored
};

}  // namespace lockstep
