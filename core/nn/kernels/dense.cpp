#include <algorithm>

#include "nn/kernels/kernels.h"
#include "nn/kernels/simd.h"

namespace lockstep::kernels {
namespace {

/// Dot products are summed in 16 lanes whatever the registers' width, then folded in halves: the same bits everywhere.
constexpr int kDotLanes = 16;
constexpr int kParts = kDotLanes / kLanes;

/// Parts are 16 lanes together. Folds 16 -> 8 -> 4 -> 2 -> 1.
inline float foldLanes(const Vector (&parts)[kParts]) {
    typedef float Four __attribute__((vector_size(16)));
#if defined(__AVX512F__)
    typedef float Eight __attribute__((vector_size(32)));
    const Eight low = __builtin_shufflevector(parts[0], parts[0], 0, 1, 2, 3, 4, 5, 6, 7);
    const Eight high = __builtin_shufflevector(parts[0], parts[0], 8, 9, 10, 11, 12, 13, 14, 15);
    const Eight eight = low + high;
    const Four four =
        __builtin_shufflevector(eight, eight, 0, 1, 2, 3) + __builtin_shufflevector(eight, eight, 4, 5, 6, 7);
#elif defined(__AVX2__)
    const Vector eight = parts[0] + parts[1];
    const Four four =
        __builtin_shufflevector(eight, eight, 0, 1, 2, 3) + __builtin_shufflevector(eight, eight, 4, 5, 6, 7);
#else
    const Four four = (parts[0] + parts[2]) + (parts[1] + parts[3]);
#endif
    return (four[0] + four[2]) + (four[1] + four[3]);
}

/// Samples that pass a stretch of the weights together, and the length of a stretch: both inputs then stay in the
/// first-level cache while the weights are read once.
constexpr int kDotBlock = 16;
constexpr int kDotStretch = 400;

/// Dot products of some samples with some rows of weights over inputs [first, last); `last - first` is a multiple of
/// kDotLanes but in the last stretch.
struct DotTile {
    int inputs, outputs;
    int first, last;
    const float* input;
    const float* weights;
    const float* bias;
    bool relu;
    float* output;
    float* lanes;  ///< [samples x outputs x kDotLanes]: sums between stretches
};

template <int Samples, int Outputs>
void dotTile(const DotTile& tile) {
    Vector sum[Samples][Outputs][kParts];
    const bool fresh = tile.first == 0;
#pragma GCC unroll 16
    for (int s = 0; s < Samples; ++s)
#pragma GCC unroll 16
        for (int o = 0; o < Outputs; ++o)
#pragma GCC unroll 4
            for (int part = 0; part < kParts; ++part)
                sum[s][o][part] =
                    fresh ? Vector{} : load(tile.lanes + (s * tile.outputs + o) * kDotLanes + part * kLanes);
    const int whole = tile.first + (tile.last - tile.first) / kDotLanes * kDotLanes;
    for (int k = tile.first; k < whole; k += kDotLanes) {
#pragma GCC unroll 4
        for (int part = 0; part < kParts; ++part) {
            Vector x[Samples];
#pragma GCC unroll 16
            for (int s = 0; s < Samples; ++s) x[s] = load(tile.input + s * tile.inputs + k + part * kLanes);
#pragma GCC unroll 16
            for (int o = 0; o < Outputs; ++o) {
                const Vector w = load(tile.weights + o * tile.inputs + k + part * kLanes);
#pragma GCC unroll 16
                for (int s = 0; s < Samples; ++s) sum[s][o][part] += x[s] * w;
            }
        }
    }
    const bool done = tile.last == tile.inputs;
#pragma GCC unroll 16
    for (int s = 0; s < Samples; ++s)
#pragma GCC unroll 16
        for (int o = 0; o < Outputs; ++o) {
            if (!done) {
#pragma GCC unroll 4
                for (int part = 0; part < kParts; ++part)
                    store(tile.lanes + (s * tile.outputs + o) * kDotLanes + part * kLanes, sum[s][o][part]);
                continue;
            }
            float value = foldLanes(sum[s][o]);
            for (int k = whole; k < tile.inputs; ++k)
                value = multiplyAdd(tile.input[s * tile.inputs + k], tile.weights[o * tile.inputs + k], value);
            value += tile.bias[o];
            if (tile.relu) value = value < 0.0F ? 0.0F : value;
            tile.output[s * tile.outputs + o] = value;
        }
}

constexpr int kDotSamples = kRegisters == 32 ? 4 : kParts == 2 ? 2 : 1;
constexpr int kDotOutputs = kRegisters == 32 ? 6 : kParts == 2 ? 3 : 2;

/// All of a block's samples with the same few rows of weights.
template <int Outputs>
void dotColumn(DotTile tile, int samples) {
    const auto advance = [&](int step) {
        samples -= step;
        tile.input += static_cast<std::ptrdiff_t>(step) * tile.inputs;
        tile.output += static_cast<std::ptrdiff_t>(step) * tile.outputs;
        tile.lanes += static_cast<std::ptrdiff_t>(step) * tile.outputs * kDotLanes;
    };
    while (samples >= kDotSamples) {
        dotTile<kDotSamples, Outputs>(tile);
        advance(kDotSamples);
    }
    while (samples > 0) {
        dotTile<1, Outputs>(tile);
        advance(1);
    }
}

void dotStretch(DotTile tile, int samples) {
    int left = tile.outputs;
    const auto advance = [&](int step) {
        left -= step;
        tile.weights += static_cast<std::ptrdiff_t>(step) * tile.inputs;
        tile.bias += step;
        tile.output += step;
        tile.lanes += step * kDotLanes;
    };
    while (left >= kDotOutputs) {
        dotColumn<kDotOutputs>(tile, samples);
        advance(kDotOutputs);
    }
    while (left >= 2) {
        dotColumn<2>(tile, samples);
        advance(2);
    }
    if (left > 0) dotColumn<1>(tile, samples);
}

/// Rows x (Vectors x lanes) of a product; the sums stay in registers over the whole inner dimension.
template <int Rows, int Vectors>
void productTile(const Product& p, int row, int column) {
    Vector sum[Rows][Vectors];
    float* result = p.result + static_cast<std::ptrdiff_t>(row) * p.columns + column;
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 16
        for (int v = 0; v < Vectors; ++v)
            sum[r][v] = p.accumulate ? load(result + r * p.columns + v * kLanes) : Vector{};
    const float* a = p.a + row * p.rowStride;
    const float* b = p.b + column;
    for (int k = 0; k < p.inner; ++k, a += p.innerStride, b += p.columns) {
        Vector right[Vectors];
#pragma GCC unroll 16
        for (int v = 0; v < Vectors; ++v) right[v] = load(b + v * kLanes);
#pragma GCC unroll 16
        for (int r = 0; r < Rows; ++r) {
            const Vector left = broadcast(a[r * p.rowStride]);
#pragma GCC unroll 16
            for (int v = 0; v < Vectors; ++v) sum[r][v] += left * right[v];
        }
    }
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 16
        for (int v = 0; v < Vectors; ++v) {
            if (p.mask != nullptr) {
                const float* mask = p.mask + static_cast<std::ptrdiff_t>(row + r) * p.columns + column + v * kLanes;
                sum[r][v] = load(mask) > 0.0F ? sum[r][v] : Vector{};
            }
            store(result + r * p.columns + v * kLanes, sum[r][v]);
        }
}

constexpr int kProductRows = 6;
constexpr int kProductVectors = kRegisters == 32 ? 4 : 2;

template <int Vectors>
void productRows(const Product& p, int rows, int row, int column) {
    switch (rows) {
        case 1:
            return productTile<1, Vectors>(p, row, column);
        case 2:
            return productTile<2, Vectors>(p, row, column);
        case 3:
            return productTile<3, Vectors>(p, row, column);
        case 4:
            return productTile<4, Vectors>(p, row, column);
        case 5:
            return productTile<5, Vectors>(p, row, column);
        default:
            return productTile<kProductRows, Vectors>(p, row, column);
    }
}

void productScalar(const Product& p, int row, int column) {
    float& result = p.result[static_cast<std::ptrdiff_t>(row) * p.columns + column];
    float sum = p.accumulate ? result : 0.0F;
    for (int k = 0; k < p.inner; ++k)
        sum = multiplyAdd(p.a[row * p.rowStride + k * p.innerStride],
                          p.b[static_cast<std::ptrdiff_t>(k) * p.columns + column], sum);
    const bool keep = p.mask == nullptr || p.mask[static_cast<std::ptrdiff_t>(row) * p.columns + column] > 0.0F;
    result = keep ? sum : 0.0F;
}

}  // namespace

std::size_t denseScratch(int inputs, int outputs) {
    return inputs > kDotStretch ? static_cast<std::size_t>(kDotBlock) * kDotLanes * static_cast<std::size_t>(outputs)
                                : 0;
}

void denseForward(const Dense& layer, int samples, const float* input, float* output, float* scratch) {
    for (int s = 0; s < samples; s += kDotBlock) {
        const int count = std::min(kDotBlock, samples - s);
        // A single sample reads the weights once anyway.
        const int stretch = count == 1 ? layer.inputs : kDotStretch;
        for (int first = 0; first < layer.inputs; first += stretch)
            dotStretch({layer.inputs, layer.outputs, first, std::min(first + stretch, layer.inputs),
                        input + static_cast<std::ptrdiff_t>(s) * layer.inputs, layer.weights, layer.bias, layer.relu,
                        output + static_cast<std::ptrdiff_t>(s) * layer.outputs, scratch},
                       count);
    }
}

void product(const Product& p) {
    // Rows in tiles of nearly equal height.
    const int tiles = (p.rows + kProductRows - 1) / kProductRows;
    const auto tileStart = [&](int tile) { return static_cast<int>(static_cast<long long>(p.rows) * tile / tiles); };
    int column = 0;
    const auto run = [&](int width, auto tileFunction) {
        for (; column + width <= p.columns; column += width)
            for (int tile = 0; tile < tiles; ++tile)
                tileFunction(p, tileStart(tile + 1) - tileStart(tile), tileStart(tile), column);
    };
    run(kProductVectors * kLanes, productRows<kProductVectors>);
    run(kLanes, productRows<1>);
    for (; column < p.columns; ++column)
        for (int row = 0; row < p.rows; ++row) productScalar(p, row, column);
}

void columnSums(int rows, int columns, const float* values, float* sums, bool accumulate) {
    if (!accumulate) std::fill_n(sums, columns, 0.0F);
    for (int row = 0; row < rows; ++row)
        for (int column = 0; column < columns; ++column)
            sums[column] += values[static_cast<std::ptrdiff_t>(row) * columns + column];
}

}  // namespace lockstep::kernels
