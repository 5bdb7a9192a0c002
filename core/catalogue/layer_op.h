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
    SelfAttention,      ///< with its four projections; to the encoder's tokens where there are two inputs
    RelativeAttention,  ///< with relative positions, over the tokens and a memory of earlier ones
    AdditiveAttention,  ///< Bahdanau's: scores by a layer of its own
    Lstm,
    LocalResponseNorm,
    Subsample,   ///< every n-th pixel, padded with zero channels: ResNet's shortcut without parameters
    ToTokens,    ///< pixels become a sequence
    ClassToken,  ///< puts a learned token before the sequence
    Context,     ///< appends a vector computed earlier to every token
    Table,       ///< parameters that other steps look up: costs nothing itself
    ResidualBegin,
    ShortcutBegin,
    ResidualEnd,
    BranchesBegin,
    BranchEnd,
    BranchesEnd,
    SecondInput,  ///< goes on with the model's input anew: the decoder's tokens, as many as the encoder's
};

/// One step of a model's description with repeats and blocks expanded. Which fields count depends on the kind.
struct LayerOp {
    LayerOpKind kind = LayerOpKind::Flatten;
    int outputs = 0;  ///< channels, units, width of a token, or side of an adaptive pooling
    int rows = 0;     ///< of an embedding's table
    int heads = 0;    ///< of attention
    int memory = 0;   ///< tokens before the sequence that attention sees
    int kernelHeight = 1, kernelWidth = 1;
    int stride = 1;
    int paddingHeight = 0, paddingWidth = 0;
    int groups = 1;
    bool bias = true;
    bool roundUp = false;        ///< pooling windows may hang over the edge
    bool dropout = false;        ///< attention drops probabilities
    bool shared = false;         ///< the weights are another layer's and counted there
    bool bidirectional = false;  ///< an LSTM that also reads from the end
    bool keepsInput = false;     ///< the first that needs its input in the backward pass: counts it as stored
};

}  // namespace lockstep
