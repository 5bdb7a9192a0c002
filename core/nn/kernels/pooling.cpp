#include <algorithm>

#include "nn/kernels/kernels.h"

namespace lockstep::kernels {

void poolingForward(const Pooling& shape, const float* input, float* output, std::uint8_t* place) {
    const int rowStride = shape.width * shape.channels;
    for (int y = 0; y < shape.outputHeight(); ++y)
        for (int x = 0; x < shape.outputWidth(); ++x)
            for (int c = 0; c < shape.channels; ++c) {
                const float* window = input + y * shape.window * rowStride + x * shape.window * shape.channels + c;
                float best = window[0];
                int bestPlace = 0;
                for (int i = 1; i < shape.window * shape.window; ++i) {
                    const int offset = i / shape.window * rowStride + i % shape.window * shape.channels;
                    if (window[offset] > best) {
                        best = window[offset];
                        bestPlace = i;
                    }
                }
                if (shape.relu) best = best < 0.0F ? 0.0F : best;
                output[static_cast<std::ptrdiff_t>(y) * shape.outputRowStride + x * shape.channels + c] = best;
                place[(y * shape.outputWidth() + x) * shape.channels + c] = static_cast<std::uint8_t>(bestPlace);
            }
}

void poolingBackward(const Pooling& shape, const float* output, const float* outputGradient, const std::uint8_t* place,
                     float* inputGradient) {
    const int rowStride = shape.width * shape.channels;
    std::fill_n(inputGradient, shape.height * rowStride, 0.0F);
    for (int y = 0; y < shape.outputHeight(); ++y)
        for (int x = 0; x < shape.outputWidth(); ++x)
            for (int c = 0; c < shape.channels; ++c) {
                const std::ptrdiff_t at =
                    static_cast<std::ptrdiff_t>(y) * shape.outputRowStride + x * shape.channels + c;
                if (shape.relu && !(output[at] > 0.0F)) continue;
                const int chosen = place[(y * shape.outputWidth() + x) * shape.channels + c];
                const int row = y * shape.window + chosen / shape.window;
                const int column = x * shape.window + chosen % shape.window;
                inputGradient[row * rowStride + column * shape.channels + c] = outputGradient[at];
            }
}

}  // namespace lockstep::kernels
