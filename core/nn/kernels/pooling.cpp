#include <algorithm>

#include "nn/kernels/kernels.h"

namespace lockstep::kernels {

void poolingForward(const Pooling& shape, const float* input, float* output, std::int32_t* place) {
    const int rowStride = shape.width * shape.channels;
    for (int y = 0; y < shape.outputHeight(); ++y)
        for (int x = 0; x < shape.outputWidth(); ++x)
            for (int c = 0; c < shape.channels; ++c) {
                const float* window = input + y * shape.window * rowStride + x * shape.window * shape.channels + c;
                float best = window[0];
                std::int32_t bestPlace = 0;
                for (int i = 1; i < shape.window * shape.window; ++i) {
                    const int offset = i / shape.window * rowStride + i % shape.window * shape.channels;
                    if (window[offset] > best) {
                        best = window[offset];
                        bestPlace = offset;
                    }
                }
                if (shape.relu) best = best < 0.0F ? 0.0F : best;
                output[static_cast<std::ptrdiff_t>(y) * shape.outputRowStride + x * shape.channels + c] = best;
                if (place != nullptr) place[(y * shape.outputWidth() + x) * shape.channels + c] = bestPlace;
            }
}

void poolingBackward(const Pooling& shape, const float* output, const float* outputGradient, const std::int32_t* place,
                     float* inputGradient) {
    const int rowStride = shape.width * shape.channels;
    std::fill_n(inputGradient, shape.height * rowStride, 0.0F);
    for (int y = 0; y < shape.outputHeight(); ++y)
        for (int x = 0; x < shape.outputWidth(); ++x)
            for (int c = 0; c < shape.channels; ++c) {
                const std::ptrdiff_t at =
                    static_cast<std::ptrdiff_t>(y) * shape.outputRowStride + x * shape.channels + c;
                if (shape.relu && !(output[at] > 0.0F)) continue;
                inputGradient[y * shape.window * rowStride + x * shape.window * shape.channels + c +
                              place[(y * shape.outputWidth() + x) * shape.channels + c]] = outputGradient[at];
            }
}

}  // namespace lockstep::kernels
