#pragma once

#include "nn/kernels/kernels.h"

namespace lockstep::kernels {

/// Multiply-adds on registers alone, as fast as the processor can: what a kernel's rate is measured against. Returns
/// the floating-point operations done (2 per multiply-add); `sink` takes the sums, so that none can be left out.
LOCKSTEP_KERNEL double multiplyAddPeak(long long rounds, float* sink);

}  // namespace lockstep::kernels
