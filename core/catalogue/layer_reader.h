#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalogue/layer_op.h"

namespace lockstep {

/// A model's layers with blocks and repeats expanded.
struct LayerList {
    std::vector<LayerOp> ops;
    std::vector<std::string> names;  ///< one for each of ops: the block's or layer's name, or its kind and number
};

/// Reads `layers`, a list of {"op": KIND, ...}:
///   conv {channels, kernel, [stride 1], [padding 0 or "same"], [groups 1], [bias true]}; kernel: side or
///     [height, width]
///   dense {units, [bias true], [shared false: the weights are another layer's]}
///   max-pool, avg-pool {kernel, [stride = kernel], [padding 0], [round_up false]} · adaptive-avg-pool {size}
///   batch-norm, layer-norm, local-response-norm, relu, gelu, tanh, dropout, flatten {}
///   subsample {channels, stride}: every n-th pixel, padded with zero channels
///   embedding {rows, width, [shared false]}: tokens to vectors · table {rows, width}: parameters that other layers
///   look
///     up · position-embedding {rows}: a table added to the vectors
///   to-tokens, class-token, first-token {} · context {width}: appends a vector computed earlier to every token
///   self-attention, cross-attention {heads, [dropout false]} · additive-attention {}
///   relative-attention {heads, [memory 0: tokens before the sequence], [dropout false]}
///   lstm {units, [bidirectional false]} · second-input {}: goes on with the decoder's tokens
///   residual {body, [shortcut]}: the two lists are added · branches {branches}: lists whose outputs are joined by
///     channel
///   repeat {times, layers} · block {use, ...}: the list of that name in `blocks`, with "$word" replaced by this
///   entry's
///     value of `word`, a number, true or false
/// Every entry may carry a "name". Fails with one line that names the place, the key, the value and what is allowed;
/// expansion is bounded in layers, depth and work.
[[nodiscard]] Result<LayerList> readLayers(const nlohmann::json& layers, const nlohmann::json& blocks,
                                           std::string_view where);

}  // namespace lockstep
