#include <algorithm>
#include <cstddef>

#include "nn/kernels/kernels.h"
#include "nn/kernels/simd.h"

namespace lockstep::kernels {
namespace {

/// Rows of outputs that pass together, so that what they meet stays in the first-level cache while all taps pass.
int bandRows(const Convolution& shape) {
    constexpr int kBandFloats = 6000;
    return std::max(1, kBandFloats / (shape.stride * shape.inputRowStride() + shape.outputRowStride));
}

/// Rows [first, last) of outputs, and the tap and output channel that a tile begins with.
struct WeightTile {
    int first, last;
    const float* input;           ///< what the first output meets at the first tap
    const float* outputGradient;  ///< of the first output at the first channel
    float* weightGradient;
};

/// `Taps` neighbouring taps of one kernel row, `Vectors` vectors of output channels: the sums stay in registers while
/// all outputs of the band pass.
template <int Taps, int Vectors>
void weightTile(const Convolution& shape, const WeightTile& tile) {
    Vector sum[Taps][Vectors];
#pragma GCC unroll 32
    for (int t = 0; t < Taps; ++t)
#pragma GCC unroll 32
        for (int v = 0; v < Vectors; ++v) sum[t][v] = load(tile.weightGradient + t * shape.outChannels + v * kLanes);
    const int step = shape.stride * shape.inChannels;
    for (int y = tile.first; y < tile.last; ++y) {
        const float* input = tile.input + static_cast<std::ptrdiff_t>(y) * shape.stride * shape.inputRowStride();
        const float* gradient = tile.outputGradient + static_cast<std::ptrdiff_t>(y) * shape.outputRowStride;
        for (int x = shape.outputWidth(); x > 0; --x, input += step, gradient += shape.outChannels) {
            Vector g[Vectors];
#pragma GCC unroll 32
            for (int v = 0; v < Vectors; ++v) g[v] = load(gradient + v * kLanes);
#pragma GCC unroll 32
            for (int t = 0; t < Taps; ++t) {
                const Vector value = broadcast(input[t]);
#pragma GCC unroll 32
                for (int v = 0; v < Vectors; ++v) sum[t][v] += value * g[v];
            }
        }
    }
#pragma GCC unroll 32
    for (int t = 0; t < Taps; ++t)
#pragma GCC unroll 32
        for (int v = 0; v < Vectors; ++v) store(tile.weightGradient + t * shape.outChannels + v * kLanes, sum[t][v]);
}

/// The same for one tap and one channel.
void weightScalar(const Convolution& shape, const WeightTile& tile) {
    float sum = *tile.weightGradient;
    const int step = shape.stride * shape.inChannels;
    for (int y = tile.first; y < tile.last; ++y) {
        const float* input = tile.input + static_cast<std::ptrdiff_t>(y) * shape.stride * shape.inputRowStride();
        const float* gradient = tile.outputGradient + static_cast<std::ptrdiff_t>(y) * shape.outputRowStride;
        for (int x = shape.outputWidth(); x > 0; --x, input += step, gradient += shape.outChannels)
            sum = multiplyAdd(*input, *gradient, sum);
    }
    *tile.weightGradient = sum;
}

/// All taps of a kernel row.
template <int Most, int Vectors>
void weightRow(const Convolution& shape, WeightTile tile) {
    int left = shape.kernel * shape.inChannels;
    const auto advance = [&](int taps) {
        left -= taps;
        tile.input += taps;
        tile.weightGradient += static_cast<std::ptrdiff_t>(taps) * shape.outChannels;
    };
    for (; left >= Most; advance(Most)) weightTile<Most, Vectors>(shape, tile);
    for (; left >= 3; advance(3)) weightTile<3, Vectors>(shape, tile);
    for (; left >= 1; advance(1)) weightTile<1, Vectors>(shape, tile);
}

void weightRowScalar(const Convolution& shape, WeightTile tile, int channels) {
    const float* outputGradient = tile.outputGradient;
    float* weightGradient = tile.weightGradient;
    for (int t = 0; t < shape.kernel * shape.inChannels; ++t, ++tile.input, weightGradient += shape.outChannels)
        for (int c = 0; c < channels; ++c) {
            tile.outputGradient = outputGradient + c;
            tile.weightGradient = weightGradient + c;
            weightScalar(shape, tile);
        }
}

}  // namespace

void convolutionWeightGradient(const Convolution& shape, const float* input, const float* outputGradient,
                               float* weightGradient) {
    // As many sums as leave registers for the gradients and one broadcast.
    constexpr int kSums = kRegisters == 32 ? 24 : 12;
    const int height = shape.outputHeight();
    const int bands = (height + bandRows(shape) - 1) / bandRows(shape);
    for (int b = 0; b < bands; ++b)
        for (int ky = 0; ky < shape.kernel; ++ky) {
            WeightTile tile{
                height * b / bands, height * (b + 1) / bands, input + ky * shape.inputRowStride(), outputGradient,
                weightGradient + static_cast<std::ptrdiff_t>(ky) * shape.kernel * shape.inChannels * shape.outChannels};
            int left = shape.outChannels;
            const auto advance = [&](int channels) {
                left -= channels;
                tile.outputGradient += channels;
                tile.weightGradient += channels;
            };
            for (; left >= 2 * kLanes; advance(2 * kLanes)) weightRow<kSums / 2, 2>(shape, tile);
            for (; left >= kLanes; advance(kLanes)) weightRow<kSums, 1>(shape, tile);
            if (left > 0) weightRowScalar(shape, tile, left);
        }
}

void convolutionInputGradient(const Convolution& shape, const float* outputGradient, const float* transposedWeights,
                              float* scratch, float* inputGradient) {
    std::fill_n(inputGradient, shape.inputElements(), 0.0F);
    float* const origin = inputGradient + shape.extraBorder * (shape.inputRowStride() + shape.inChannels);
    const int run = shape.kernel * shape.inChannels;
    for (int y = 0; y < shape.outputHeight(); ++y) {
        Product product{};
        product.rows = shape.outputWidth();
        product.columns = shape.taps();
        product.inner = shape.outChannels;
        product.a = outputGradient + static_cast<std::ptrdiff_t>(y) * shape.outputRowStride;
        product.rowStride = shape.outChannels;
        product.innerStride = 1;
        product.b = transposedWeights;
        product.result = scratch;
        kernels::product(product);
        const float* from = scratch;
        for (int x = 0; x < shape.outputWidth(); ++x)
            for (int ky = 0; ky < shape.kernel; ++ky, from += run) {
                float* to =
                    origin + (y * shape.stride + ky) * shape.inputRowStride() + x * shape.stride * shape.inChannels;
                for (int t = 0; t < run; ++t) to[t] += from[t];
            }
    }
}

}  // namespace lockstep::kernels
