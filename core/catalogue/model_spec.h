#pragma once

#include <string>
#include <vector>

namespace lockstep {

enum class LayerKind { Convolution, Dense, Pooling, Normalization, Activation, Embedding, Attention, Add, Other };

/// One layer of a model at one input size, counted from its architecture, for one sample.
struct LayerCost {
    std::string name;
    LayerKind kind = LayerKind::Other;
    double parameters = 0;        ///< trainable
    double macs = 0;              ///< multiply-accumulates of the forward pass
    double outputs = 0;           ///< elements it writes
    double storedElements = 0;    ///< elements kept for the backward pass
};

/// A model at one input size.
struct ModelCost {
    std::vector<LayerCost> layers;
    double parameters = 0, macs = 0, convolutionOutputs = 0, storedElements = 0;  ///< sums over layers, one sample
};

/// A model of the catalogue: its description as data, from which costs at any input size are counted.
class ModelSpec;

}  // namespace lockstep
