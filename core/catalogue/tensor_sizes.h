#pragma once

#include <vector>

#include "catalogue/layer_op.h"
#include "catalogue/model_spec.h"

namespace lockstep {

/// Appends the elements of each trainable tensor of one layer as frameworks hold them: weights and biases apart, a
/// normalization's scales and shifts, each projection of an attention, an LSTM's input and recurrent weights and its
/// two biases for either direction. They add up to `layer.parameters`.
void addTensorSizes(const LayerOp& op, const LayerCost& layer, std::vector<double>& sizes);

}  // namespace lockstep
