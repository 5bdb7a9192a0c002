#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "catalogue/entry_reader.h"
#include "catalogue/layer_op.h"

namespace lockstep {

/// What "op" may be, structure (residual, branches, repeat, block) included.
[[nodiscard]] const std::vector<std::string_view>& layerOpNames();

/// Reads the settings of a layer that is not structure; a fault stays in `reader`. Keys and defaults: layer_reader.h.
[[nodiscard]] LayerOp readLayerOp(std::string_view op, EntryReader& reader);

}  // namespace lockstep
