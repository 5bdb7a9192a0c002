#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalogue/layer_op.h"
#include "catalogue/source.h"

namespace lockstep {

enum class LayerKind {
    Convolution,
    Dense,
    Pooling,
    Normalization,
    Activation,
    Embedding,
    Attention,
    Add,
    Recurrent,
    Other
};

/// One layer of a model at one input size, counted from its architecture, for one sample.
struct LayerCost {
    std::string name;
    LayerKind kind = LayerKind::Other;
    double parameters = 0;      ///< trainable
    double macs = 0;            ///< multiply-accumulates of the forward pass
    double outputs = 0;         ///< elements it writes
    double storedElements = 0;  ///< elements kept for the backward pass, in the precision of the activations
    double storedBytes = 0;     ///< kept beside them whatever the precision: dropout masks, one byte an element
};

/// Sums over the layers of a model at one input size, for one sample.
struct ModelTotals {
    double parameters = 0, macs = 0, convolutionOutputs = 0, storedElements = 0, storedBytes = 0;
    double largestOutputs = 0;  ///< elements of the largest layer output
};

/// A model at one input size.
struct ModelCost : ModelTotals {
    std::vector<LayerCost> layers;
};

/// What a model is fed. Image models read resolutionPx, text models sequenceLength; 0 means the model's own.
struct ModelInput {
    int resolutionPx = 0;
    int sequenceLength = 0;
};

/// A model of the catalogue: its description as data, from which costs at any input size are counted. Immutable.
///
/// What is kept for the backward pass (`storedElements`) follows what frameworks do, tensor by tensor: convolutions,
/// dense layers, normalizations and GELU keep their input; ReLU works in place and keeps its output; max-pooling keeps
/// one index for each output; additions and average pooling keep nothing; attention keeps queries, keys, values,
/// probabilities (before and after dropout) and the context; LSTMs keep gates, cell and output; dropout keeps a mask of
/// one byte an element. A tensor that two layers need is counted once. So a convolution with normalization and ReLU is
/// kept twice, one with ReLU alone once.
class ModelSpec {
public:
    /// Reads one model file; `where` names it in messages. Fails with one line that names file, layer, key, value and
    /// what is allowed, or says that the layers do not add up to the parameter count that the file states.
    [[nodiscard]] static Result<ModelSpec> fromJson(const nlohmann::json& document, std::string_view where);

    [[nodiscard]] const std::string& key() const { return m_key; }
    [[nodiscard]] const std::string& name() const { return m_name; }
    [[nodiscard]] const std::string& note() const { return m_note; }  ///< what is counted and what is not
    [[nodiscard]] const std::vector<Source>& sources() const { return m_sources; }

    [[nodiscard]] bool readsText() const { return m_readsText; }
    [[nodiscard]] int channels() const { return m_channels; }              ///< of its images; 0 for text
    [[nodiscard]] int resolutionPx() const { return m_resolutionPx; }      ///< its own input side; 0 for text
    [[nodiscard]] int sequenceLength() const { return m_sequenceLength; }  ///< its own sample length; 0 for images
    [[nodiscard]] int minimumResolutionPx() const { return m_minimumResolutionPx; }  ///< 0 for text
    [[nodiscard]] int layerCount() const { return static_cast<int>(m_ops.size()); }  ///< with steps of structure

    /// Totals at an input size; linear in the number of layers, allocates nothing. Fails with one line where the input
    /// is too small for the model's strides or longer than its position table.
    [[nodiscard]] Result<ModelTotals> totals(const ModelInput& input) const;
    /// The same, layer by layer.
    [[nodiscard]] Result<ModelCost> cost(const ModelInput& input) const;
    /// Elements of each trainable tensor in the order of the layers: weights and biases apart, a normalization's scales
    /// and shifts, attention's four projections. They add up to ModelTotals::parameters. Fails as totals() does.
    [[nodiscard]] Result<std::vector<double>> tensorSizes(const ModelInput& input) const;

private:
    ModelSpec() = default;
    [[nodiscard]] LayerShape inputShape(const ModelInput& input) const;
    [[nodiscard]] Error tooSmall(const ModelInput& input) const;

    std::string m_key, m_name, m_note;
    std::vector<Source> m_sources;
    bool m_readsText = false;
    int m_channels = 0, m_resolutionPx = 0, m_sequenceLength = 0, m_minimumResolutionPx = 0;
    int m_maximumSequenceLength = 0;
    std::vector<LayerOp> m_ops;
    std::vector<std::string> m_names;  ///< one for each of m_ops
};

}  // namespace lockstep
