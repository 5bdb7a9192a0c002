#include <algorithm>
#include <array>

#include "nn/kernels/kernels.h"
#include "nn/kernels/simd.h"

namespace lockstep::kernels {
namespace {

/// A value that is not zero and where the row it multiplies starts.
struct Term {
    std::int32_t offset;
    float value;
};

/// acc [Vectors x lanes] += sum of value * rows[offset], terms in order.
template <int Vectors>
void addTerms(const Term* terms, int count, const float* rows, const float* start, const float* minus, float factor,
              bool relu, float* result) {
    Vector sum[Vectors];
#pragma GCC unroll 16
    for (int v = 0; v < Vectors; ++v) {
        sum[v] = start != nullptr ? load(start + v * kLanes) : Vector{};
        if (minus != nullptr) sum[v] -= broadcast(factor) * load(minus + v * kLanes);
    }
    for (int i = 0; i < count; ++i) {
        const Vector value = broadcast(terms[i].value);
        const float* row = rows + terms[i].offset;
#pragma GCC unroll 16
        for (int v = 0; v < Vectors; ++v) sum[v] += value * load(row + v * kLanes);
    }
#pragma GCC unroll 16
    for (int v = 0; v < Vectors; ++v) {
        if (relu) sum[v] = sum[v] < 0.0F ? Vector{} : sum[v];
        store(result + v * kLanes, sum[v]);
    }
}

/// The same for all columns of a row.
void addTermsToRow(const Term* terms, int count, int columns, const float* rows, const float* start, const float* minus,
                   float factor, bool relu, float* result) {
    int column = 0;
    const auto run = [&](int width, auto function) {
        for (; column + width <= columns; column += width)
            function(terms, count, rows + column, start != nullptr ? start + column : nullptr,
                     minus != nullptr ? minus + column : nullptr, factor, relu, result + column);
    };
    run(8 * kLanes, addTerms<8>);
    run(4 * kLanes, addTerms<4>);
    run(kLanes, addTerms<1>);
    for (; column < columns; ++column) {
        float sum = start != nullptr ? start[column] : 0.0F;
        if (minus != nullptr) sum = multiplyAdd(-factor, minus[column], sum);
        for (int i = 0; i < count; ++i) sum = multiplyAdd(terms[i].value, rows[terms[i].offset + column], sum);
        result[column] = relu && sum < 0.0F ? 0.0F : sum;
    }
}

/// Input rows whose weights stay in the first-level cache while all samples pass.
constexpr int kBlock = 32;

}  // namespace

void sparseDenseConstant(const SparseDense& layer, const float* weights, const float* bias, float* constant) {
    std::copy_n(bias, layer.outputs, constant);
    std::array<Term, kBlock> terms;
    for (int first = 0; first < layer.inputs; first += kBlock) {
        const int count = std::min(kBlock, layer.inputs - first);
        for (int i = 0; i < count; ++i) terms[i] = {i * layer.outputs, -layer.shift[(first + i) % layer.channels]};
        addTermsToRow(terms.data(), count, layer.outputs, weights + static_cast<std::ptrdiff_t>(first) * layer.outputs,
                      constant, nullptr, 0.0F, false, constant);
    }
}

void sparseDenseForward(const SparseDense& layer, int samples, const float* pixels, const float* weights,
                        const float* constant, bool relu, float* output) {
    std::array<Term, kBlock + 1> terms;
    for (int first = 0; first < layer.inputs; first += kBlock) {
        const int size = std::min(kBlock, layer.inputs - first);
        const float* rows = weights + static_cast<std::ptrdiff_t>(first) * layer.outputs;
        const bool last = first + size == layer.inputs;
        for (int s = 0; s < samples; ++s) {
            const float* sample = pixels + static_cast<std::ptrdiff_t>(s) * layer.inputs + first;
            int count = 0;
            for (int i = 0; i < size; ++i) {
                terms[count] = {i * layer.outputs,
                                sample[i] * layer.scale[layer.channels == 1 ? 0 : (first + i) % layer.channels]};
                count += static_cast<int>(sample[i] != 0.0F);
            }
            float* result = output + static_cast<std::ptrdiff_t>(s) * layer.outputs;
            if (count == 0 && first > 0 && !last) continue;
            addTermsToRow(terms.data(), count, layer.outputs, rows, first == 0 ? constant : result, nullptr, 0.0F,
                          relu && last, result);
        }
    }
}

void sparseDenseBackward(const SparseDense& layer, int first, int last, int samples, const float* pixels,
                         const float* outputGradient, const float* biasGradient, float* weightGradient,
                         bool accumulate) {
    constexpr int kGroup = 16;  // pixels of one cache line
    constexpr int kMostSamples = 256;
    std::array<std::array<Term, kMostSamples + 1>, kGroup> terms;
    for (int group = first; group < last; group += kGroup) {
        const int size = std::min(kGroup, last - group);
        std::array<int, kGroup> counts{};
        for (int s = 0; s < samples; ++s) {
            const float* sample = pixels + static_cast<std::ptrdiff_t>(s) * layer.inputs + group;
            for (int i = 0; i < size; ++i) {
                terms[i][counts[i]] = {s * layer.outputs,
                                       sample[i] * layer.scale[layer.channels == 1 ? 0 : (group + i) % layer.channels]};
                counts[i] += static_cast<int>(sample[i] != 0.0F);
            }
        }
        for (int i = 0; i < size; ++i) {
            float* row = weightGradient + static_cast<std::ptrdiff_t>(group + i) * layer.outputs;
            addTermsToRow(terms[i].data(), counts[i], layer.outputs, outputGradient, accumulate ? row : nullptr,
                          biasGradient, layer.shift[(group + i) % layer.channels], false, row);
        }
    }
}

}  // namespace lockstep::kernels
