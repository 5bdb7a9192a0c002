#include <algorithm>
#include <limits>

#include "nn/kernels/kernels.h"
#include "nn/kernels/simd.h"

namespace lockstep::kernels {
namespace {

struct Tile {
    const float* input;    ///< the first window's first element
    const float* weights;  ///< first of this block of channels
    const float* bias;
    float* output;
    std::uint8_t* place;
    int outputStep;  ///< from one window to the next, of output and place
};

/// `Windows` neighbouring pooling windows of `Pool` x `Pool` outputs for `Vectors` vectors of channels: the sums stay
/// in registers until the largest of each window is known. `Side`, `Channels`: of the kernel and the input when known
/// to the compiler, else 0.
template <int Side, int Channels, int Vectors, int Windows, int Pool, int Stride>
void forwardTile(const Convolution& shape, const Tile& tile) {
    constexpr int kColumns = Windows * Pool;
    const int channels = Channels > 0 ? Channels : shape.inChannels;
    const int rowStride = shape.inputRowStride();
    const int weightStride = shape.packedOutputs();
    Vector sum[Pool][kColumns][Vectors];
#pragma GCC unroll 16
    for (int row = 0; row < Pool; ++row)
#pragma GCC unroll 16
        for (int column = 0; column < kColumns; ++column)
#pragma GCC unroll 16
            for (int v = 0; v < Vectors; ++v) sum[row][column][v] = load(tile.bias + v * kLanes);

    const float* weights = tile.weights;
    const int side = Side > 0 ? Side : shape.kernel;
    const int run = side * channels;
#pragma GCC unroll 3
    for (int ky = 0; ky < side; ++ky) {
        const float* input = tile.input + ky * rowStride;
#pragma GCC unroll 3
        for (int t = 0; t < run; ++t, ++input, weights += weightStride) {
            Vector weight[Vectors];
#pragma GCC unroll 16
            for (int v = 0; v < Vectors; ++v) weight[v] = load(weights + v * kLanes);
#pragma GCC unroll 16
            for (int row = 0; row < Pool; ++row)
#pragma GCC unroll 16
                for (int column = 0; column < kColumns; ++column) {
                    const Vector x = broadcast(input[row * rowStride + column * Stride * channels]);
#pragma GCC unroll 16
                    for (int v = 0; v < Vectors; ++v) sum[row][column][v] += x * weight[v];
                }
        }
    }

    // Written so that a NaN stays one: a diverged run must not look alive.
    const Vector floor = broadcast(shape.relu ? 0.0F : -std::numeric_limits<float>::infinity());
#pragma GCC unroll 16
    for (int window = 0; window < Windows; ++window)
#pragma GCC unroll 16
        for (int v = 0; v < Vectors; ++v) {
            Vector best = sum[0][window * Pool][v];
            IntVector place{};
#pragma GCC unroll 4
            for (int row = 0; row < Pool; ++row)
#pragma GCC unroll 4
                for (int column = 0; column < Pool; ++column) {
                    if (row + column == 0) continue;
                    const Vector candidate = sum[row][window * Pool + column][v];
                    const IntVector larger = candidate > best;
                    best = larger ? candidate : best;
                    place = larger ? (row * Pool + column) - IntVector{} : place;
                }
            best = best < floor ? floor : best;
            store(tile.output + window * tile.outputStep + v * kLanes, best);
            storeBytes(tile.place + window * tile.outputStep + v * kLanes, place);
        }
}

/// A row of windows: as many as fit at once, then half as many, and so on.
template <int Side, int Channels, int Vectors, int Windows, int Pool, int Stride>
void forwardRow(const Convolution& shape, Tile tile, int count) {
    for (; count >= Windows; count -= Windows) {
        forwardTile<Side, Channels, Vectors, Windows, Pool, Stride>(shape, tile);
        tile.input += Windows * Pool * Stride * shape.inChannels;
        tile.output += Windows * tile.outputStep;
        tile.place += Windows * tile.outputStep;
    }
    if constexpr (Windows > 1) forwardRow<Side, Channels, Vectors, Windows / 2, Pool, Stride>(shape, tile, count);
}

/// All windows for one block of channels. Where the last vector has lanes that are no channel, windows are copied out
/// one by one.
template <int Side, int Channels, int Vectors, int Pool, int Stride>
void forwardBlock(const Convolution& shape, const Tile& block, int channels) {
    // As many sums as leave registers for the weights and one broadcast.
    constexpr int kSums = kRegisters == 32 ? 16 : 8;
    constexpr int kWindows = kSums / (Vectors * Pool * Pool) > 0 ? kSums / (Vectors * Pool * Pool) : 1;
    constexpr int kWidth = Vectors * kLanes;
    const int width = shape.outputWidth();
    for (int y = 0; y < shape.outputHeight(); ++y) {
        Tile row = block;
        row.input += y * Pool * Stride * shape.inputRowStride();
        row.output += static_cast<std::ptrdiff_t>(y) * shape.outputRowStride;
        row.place += y * width * shape.outChannels;
        if (channels >= kWidth) {
            forwardRow<Side, Channels, Vectors, kWindows, Pool, Stride>(shape, row, width);
            continue;
        }
        float values[kWidth];
        std::uint8_t places[kWidth];
        for (int x = 0; x < width; ++x) {
            Tile one = row;
            one.input += x * Pool * Stride * shape.inChannels;
            one.output = values;
            one.place = places;
            forwardTile<Side, Channels, Vectors, 1, Pool, Stride>(shape, one);
            std::copy_n(values, channels, row.output + x * shape.outChannels);
            std::copy_n(places, channels, row.place + x * shape.outChannels);
        }
    }
}

template <int Side, int Channels, int Pool, int Stride = 1>
void forwardChannels(const Convolution& shape, Tile tile) {
    for (int left = shape.outChannels; left > 0;) {
        const int step = left > kLanes ? 2 * kLanes : kLanes;
        if (left > kLanes) {
            forwardBlock<Side, Channels, 2, Pool, Stride>(shape, tile, left);
        } else {
            forwardBlock<Side, Channels, 1, Pool, Stride>(shape, tile, left);
        }
        left -= step;
        tile.weights += step;
        tile.bias += step;
        tile.output += step;
        tile.place += step;
    }
}

template <int Pool>
void forwardPool(const Convolution& shape, const Tile& tile) {
    if (shape.kernel == 3 && shape.inChannels == 1) return forwardChannels<3, 1, Pool>(shape, tile);
    if (shape.kernel == 3 && shape.inChannels == 3) return forwardChannels<3, 3, Pool>(shape, tile);
    if (shape.kernel == 3 && shape.inChannels == 16) return forwardChannels<3, 16, Pool>(shape, tile);
    return forwardChannels<0, 0, Pool>(shape, tile);
}

}  // namespace

int lanes() { return kLanes; }

void convolutionForward(const Convolution& shape, const float* input, const float* weights, const float* bias,
                        float* output, std::uint8_t* place) {
    const Tile tile{input, weights, bias, output, place, shape.outChannels};
    if (shape.stride == 2) {
        forwardChannels<0, 0, 1, 2>(shape, tile);
    } else if (shape.pool == 2) {
        forwardPool<2>(shape, tile);
    } else {
        forwardPool<1>(shape, tile);
    }
}

}  // namespace lockstep::kernels
