#pragma once

#include <optional>
#include <span>

#include "catalogue/layer_op.h"
#include "catalogue/model_spec.h"

namespace lockstep {

/// What one layer costs at the shape that it is given. `cost.name` is left empty, so that nothing is allocated.
struct LayerResult {
    LayerShape output;
    LayerCost cost;
};

/// The shape after `op`, and its cost for one sample; empty where no output is left of the input.
///
/// Convolution of [C x H x W] to K channels by a k x k window in g groups: parameters K (C / g) k^2 (+ K), outputs
/// K H' W' with H' = floor((H + 2 p - k) / s) + 1, multiply-accumulates = outputs x (C / g) k^2. A dense layer of C to
/// K: C K (+ K) parameters, C K multiply-accumulates at every position. Self-attention of width h over s positions:
/// four projections of h^2 + h parameters, 4 s h^2 multiply-accumulates, and 2 s^2 h for the scores and their use.
/// The attentions and LSTMs of recurrent and segment-recurrent models: sequence_arithmetic.h. A shape of more than
/// 1e15 elements or 2^20 positions a side counts as one that does not fit.
[[nodiscard]] std::optional<LayerResult> layerResult(const LayerOp& op, const LayerShape& input);

/// Walks `ops` from `input`, calling visit(index, LayerCost) for every step that is a layer. Answers the index of the
/// step that cannot be done (too small an input, shapes that do not add up), or -1.
template <class Visit>
int walkLayers(std::span<const LayerOp> ops, LayerShape input, Visit visit);

/// Finds, for each tensor, the first layer that needs it in the backward pass and sets its keepsInput.
/// Answers the index of a step that nests too deep or does not match, or -1.
int markStoredTensors(std::span<LayerOp> ops);

/// How deep residuals and branches may nest.
inline constexpr int kMostNestedLayers = 16;

namespace detail {

/// A residual or a set of branches that is open: its input, and what its parts have come to so far.
struct OpenPart {
    LayerShape input;
    LayerShape sum;
};

/// Applies a step of structure. False where it does not fit.
bool applyStructure(const LayerOp& op, LayerShape& shape, OpenPart* open, int& depth);
[[nodiscard]] bool isStructure(LayerOpKind kind);

}  // namespace detail

template <class Visit>
int walkLayers(std::span<const LayerOp> ops, LayerShape input, Visit visit) {
    detail::OpenPart open[kMostNestedLayers];
    int depth = 0;
    LayerShape shape = input;
    for (std::size_t i = 0; i < ops.size(); ++i) {
        const LayerOp& op = ops[i];
        if (detail::isStructure(op.kind)) {
            if (op.kind == LayerOpKind::SecondInput) {
                LayerCost kept;  // what the encoder made, for the decoder's attention
                kept.storedElements = op.keepsInput ? shape.elements() : 0;
                visit(i, kept);
                shape = input;
                continue;
            }
            if (!detail::applyStructure(op, shape, open, depth)) return static_cast<int>(i);
            if (op.kind != LayerOpKind::ResidualEnd) continue;
            LayerCost addition;
            addition.kind = LayerKind::Add;
            addition.outputs = shape.elements();
            visit(i, addition);
            continue;
        }
        const std::optional<LayerResult> result = layerResult(op, shape);
        if (!result) return static_cast<int>(i);
        visit(i, result->cost);
        shape = result->output;
    }
    return depth == 0 ? -1 : static_cast<int>(ops.size()) - 1;
}

}  // namespace lockstep
