#include "nn/kernels/peak.h"

#include "nn/kernels/simd.h"

namespace lockstep::kernels {
namespace {

/// Independent sums: two multiply-add units of latency 4 need at least 8.
constexpr int kSums = 12;

}  // namespace

double multiplyAddPeak(long long rounds, float* sink) {
    Vector sums[kSums];
    for (int i = 0; i < kSums; ++i) sums[i] = broadcast(static_cast<float>(i));
    const Vector factor = broadcast(0.5F), term = broadcast(sink[0] + 1.0F);
    for (long long round = 0; round < rounds; ++round)
        for (int i = 0; i < kSums; ++i) sums[i] = sums[i] * factor + term;
    Vector total = sums[0];
    for (int i = 1; i < kSums; ++i) total = total + sums[i];
    for (int i = 0; i < kLanes; ++i) sink[0] += total[i] * 0x1p-60F;
    return static_cast<double>(rounds) * kSums * kLanes * 2;
}

}  // namespace lockstep::kernels
