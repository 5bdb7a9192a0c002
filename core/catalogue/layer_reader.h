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
///   conv {channels, kernel, [stride 1], [padding 0 or "same"], [groups 1], [bias true]}; kernel: side or [height,
///   width] dense {units, [bias true]} · max-pool, avg-pool {kernel, [stride = kernel], [padding 0], [round_up false]}
///   adaptive-avg-pool {size} · batch-norm, layer-norm, relu, gelu, tanh, dropout, flatten, first-token {}
///   embedding {rows, width} · position-embedding {rows} · self-attention {heads, [dropout false]}
///   residual {body, [shortcut]}: the two lists are added · branches {branches}: lists whose outputs are joined by
///   channel repeat {times, layers} · block {use, ...}: the list of that name in `blocks`, with "$word" replaced by
///   this entry's value of `word`
/// Every entry may carry a "name". Fails with one line that names the place, the key, the value and what is allowed.
[[nodiscard]] Result<LayerList> readLayers(const nlohmann::json& layers, const nlohmann::json& blocks,
                                           std::string_view where);

}  // namespace lockstep
