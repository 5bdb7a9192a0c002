#pragma once

#include "nn/network_spec.h"

namespace lockstep {

/// Whether a layer's own numbers are within their ranges; the message says which are allowed.
[[nodiscard]] Result<void> checkConvolution(const LayerSpec& layer);
[[nodiscard]] Result<void> checkMaxPool(const LayerSpec& layer, const ImageShape& input);
[[nodiscard]] Result<void> checkDense(const LayerSpec& layer);

}  // namespace lockstep
