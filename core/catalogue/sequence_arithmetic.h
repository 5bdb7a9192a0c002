#pragma once

#include "catalogue/layer_op.h"

namespace lockstep {

struct LayerResult;

/// Attention and LSTMs for one sample of s tokens of width h. Fills `result`; false where `op` is none of them or does
/// not fit the width.
///
/// Self-attention (Vaswani et al. 2017) with a heads: four projections of h^2 + h parameters; 4 s h^2 + 2 s^2 h
/// multiply-accumulates; kept: queries, keys, values, context (4 s h) and probabilities (a s^2, twice with dropout,
/// whose masks take a s^2 bytes). To the encoder's tokens, as many as the decoder's, it costs the same.
///
/// Relative attention over t = s + m tokens, m of them memory (Dai et al. 2019, section 3.3, and the authors' code):
/// projections without bias for queries, keys, values, relative positions and output, 5 h^2 parameters; 2 s h^2 +
/// 2 t h^2 + 3 s t h multiply-accumulates. The positions are projected once for a batch, which is left out. Kept:
/// tokens with memory, keys, values (3 t h), queries with either bias, context (3 s h), probabilities (a s t).
///
/// Additive attention (Bahdanau et al. 2015, normalized as in GNMT's code): query and key projections without bias, a
/// scoring vector, its gain and bias, 2 h^2 + 2 h + 1 parameters; 2 s h^2 + 2 s^2 h multiply-accumulates. Kept: what
/// tanh makes of every pair (s^2 h) and the weights (s^2).
///
/// LSTM (Hochreiter and Schmidhuber 1997) to u units in d directions, with two biases for each gate as cuDNN has them:
/// d (4 u (h + u) + 8 u) parameters, 4 u (h + u) d multiply-accumulates a token. Kept: four gates, cell and output,
/// 6 u d a token.
bool sequenceResult(const LayerOp& op, const LayerShape& input, LayerResult& result);

}  // namespace lockstep
