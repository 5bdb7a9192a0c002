#include <cstring>

#include "nn/kernels/kernels.h"
#include "nn/kernels/simd.h"

namespace lockstep::kernels {
namespace {

/// Stores the channels of a vector that exist.
template <class Element, class Vec>
void storeFirst(Element* to, Vec value, int count) {
    if (count >= kLanes) {
        store(to, value);
    } else {
        std::memcpy(to, &value, static_cast<std::size_t>(count) * sizeof(Element));
    }
}

struct Tile {
    const float* input;    ///< the first window's first element
    const float* weights;  ///< first of this block of channels
    const float* bias;
    float* output;
    std::int32_t* place;
    int channels;          ///< of this block that exist
};

/// `Windows` neighbouring pooling windows of `Pool` x `Pool` outputs for `Vectors` vectors of channels: the sums stay in
/// registers until the largest of each window is known. `Channels`: input channels when known, else 0.
template <int Channels, int Vectors, int Windows, int Pool>
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
    for (int ky = 0; ky < shape.kernel; ++ky) {
        const float* input = tile.input + ky * rowStride;
        const int run = shape.kernel * channels;
#pragma GCC unroll 3
        for (int t = 0; t < run; ++t, ++input, weights += weightStride) {
            Vector weight[Vectors];
#pragma GCC unroll 16
            for (int v = 0; v < Vectors; ++v) weight[v] = load(weights + v * kLanes);
#pragma GCC unroll 16
            for (int row = 0; row < Pool; ++row)
#pragma GCC unroll 16
                for (int column = 0; column < kColumns; ++column) {
                    const Vector x = broadcast(input[row * rowStride + column * channels]);
#pragma GCC unroll 16
                    for (int v = 0; v < Vectors; ++v) sum[row][column][v] += x * weight[v];
                }
        }
    }

#pragma GCC unroll 16
    for (int window = 0; window < Windows; ++window)
#pragma GCC unroll 16
        for (int v = 0; v < Vectors; ++v) {
            Vector best = sum[0][window * Pool][v];
            IntVector place{};
#pragma GCC unroll 4
            for (int i = 1; i < Pool * Pool; ++i) {
                const Vector candidate = sum[i / Pool][window * Pool + i % Pool][v];
                const IntVector larger = candidate > best;
                const IntVector here = (i / Pool * rowStride + i % Pool * channels) - IntVector{};
                best = larger ? candidate : best;
                place = larger ? here : place;
            }
            // Written so that a NaN stays one: a diverged run must not look alive.
            if (shape.relu) best = best < 0.0F ? Vector{} : best;
            const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(window) * shape.outChannels + v * kLanes;
            storeFirst(tile.output + at, best, tile.channels - v * kLanes);
            if (tile.place != nullptr) storeFirst(tile.place + at, place, tile.channels - v * kLanes);
        }
}

template <int Channels, int Vectors, int Windows, int Pool>
void forwardRow(const Convolution& shape, Tile row) {
    const int count = shape.outputWidth();
    const auto run = [&](int first, auto tileFunction) {
        Tile tile = row;
        tile.input += first * Pool * shape.inChannels;
        tile.output += first * shape.outChannels;
        if (tile.place != nullptr) tile.place += first * shape.outChannels;
        tileFunction(shape, tile);
    };
    int first = 0;
    if (count >= Windows) {
        for (; first + Windows <= count; first += Windows) run(first, forwardTile<Channels, Vectors, Windows, Pool>);
        // The rest again with some of their neighbours: the same sums, so the same values.
        if (first < count) run(count - Windows, forwardTile<Channels, Vectors, Windows, Pool>);
    } else {
        for (; first < count; ++first) run(first, forwardTile<Channels, Vectors, 1, Pool>);
    }
}

template <int Channels, int Vectors, int Pool>
void forwardBlock(const Convolution& shape, const Tile& block) {
    // As many sums as leave registers for the weights and one broadcast.
    constexpr int kSums = kRegisters == 32 ? 16 : 8;
    constexpr int kWindows = kSums / (Vectors * Pool * Pool) > 0 ? kSums / (Vectors * Pool * Pool) : 1;
    for (int y = 0; y < shape.outputHeight(); ++y) {
        Tile row = block;
        row.input += y * Pool * shape.inputRowStride();
        row.output += static_cast<std::ptrdiff_t>(y) * shape.outputRowStride;
        if (row.place != nullptr) row.place += y * shape.outputWidth() * shape.outChannels;
        forwardRow<Channels, Vectors, kWindows, Pool>(shape, row);
    }
}

template <int Channels, int Pool>
void forwardChannels(const Convolution& shape, Tile tile) {
    for (int done = 0; done < shape.outChannels;) {
        const int vectors = shape.outChannels - done > kLanes ? 2 : 1;
        tile.channels = shape.outChannels - done;
        if (vectors == 2) {
            forwardBlock<Channels, 2, Pool>(shape, tile);
        } else {
            forwardBlock<Channels, 1, Pool>(shape, tile);
        }
        const int step = vectors * kLanes;
        done += step;
        tile.weights += step;
        tile.bias += step;
        tile.output += step;
        if (tile.place != nullptr) tile.place += step;
    }
}

template <int Pool>
void forwardPool(const Convolution& shape, const Tile& tile) {
    switch (shape.inChannels) {
        case 1: return forwardChannels<1, Pool>(shape, tile);
        case 16: return forwardChannels<16, Pool>(shape, tile);
        default: return forwardChannels<0, Pool>(shape, tile);
    }
}

}  // namespace

int lanes() { return kLanes; }

void convolutionForward(const Convolution& shape, const float* input, const float* weights, const float* bias,
                        float* output, std::int32_t* place) {
    const Tile tile{input, weights, bias, output, place, 0};
    if (shape.pool == 2) {
        forwardPool<2>(shape, tile);
    } else {
        forwardPool<1>(shape, tile);
    }
}

}  // namespace lockstep::kernels
