#include <cmath>

#include "nn/kernels/kernels.h"
#include "nn/kernels/simd.h"

namespace lockstep::kernels {
namespace {

/// e^x for x <= 0 within about 1e-7 relative, the same on every platform (a library's may differ): x = n ln 2 + r,
/// Taylor to r^7 for |r| <= ln 2 / 2 (remainder below 6e-9). NaN stays NaN.
float exponential(float x) {
    if (!(x > -87.0F)) return x == x ? 0.0F : x;
    const int n = static_cast<int>(x * 1.44269504F - 0.5F);
    // ln 2 = 355/512 - 2.1219444e-4; n * 355/512 is exact (Cody and Waite).
    const float r =
        multiplyAdd(static_cast<float>(n), 2.12194440e-4F, multiplyAdd(static_cast<float>(n), -0.693359375F, x));
    float p = 1.0F / 5040.0F;
    p = multiplyAdd(p, r, 1.0F / 720.0F);
    p = multiplyAdd(p, r, 1.0F / 120.0F);
    p = multiplyAdd(p, r, 1.0F / 24.0F);
    p = multiplyAdd(p, r, 1.0F / 6.0F);
    p = multiplyAdd(p, r, 0.5F);
    p = multiplyAdd(p, r, 1.0F);
    p = multiplyAdd(p, r, 1.0F);
    return std::ldexp(p, n);
}

}  // namespace

double softmaxCrossEntropy(int samples, int classes, const float* logits, const std::uint8_t* labels, float scale,
                           float* gradient, std::uint8_t* predictions, int* correct) {
    double loss = 0;
    for (int s = 0; s < samples; ++s, logits += classes) {
        int best = 0;
        for (int c = 1; c < classes; ++c)
            if (logits[c] > logits[best]) best = c;
        const int label = labels[s];
        float sum = 0;
        for (int c = 0; c < classes; ++c) {
            const float e = exponential(logits[c] - logits[best]);
            sum += e;
            if (gradient != nullptr) gradient[c] = e;
        }
        if (gradient != nullptr) {
            const float factor = scale / sum;
            for (int c = 0; c < classes; ++c) gradient[c] *= factor;
            gradient[label] -= scale;
            gradient += classes;
        }
        loss += std::log(static_cast<double>(sum)) - (static_cast<double>(logits[label]) - logits[best]);
        if (predictions != nullptr) predictions[s] = static_cast<std::uint8_t>(best);
        *correct += static_cast<int>(best == label);
    }
    return loss;
}

}  // namespace lockstep::kernels
