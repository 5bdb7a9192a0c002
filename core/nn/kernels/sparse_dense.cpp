#include <algorithm>
#include <array>

#include "nn/kernels/kernels.h"
#include "nn/kernels/simd.h"

namespace lockstep::kernels {
namespace {

/// Values that are not zero and where the rows they multiply start.
template <int Most>
struct Terms {
    std::array<std::int32_t, Most + 16> offsets;  // room for one vector behind the last
    std::array<float, Most + 16> values;
    int count = 0;
};

/// Those of `count` values, `stride` apart, that are not zero, times `scale`; the i-th belongs to the row at i * step.
template <int Most>
void collect(const float* values, int count, int stride, int step, float scale, Terms<Most>& terms) {
    std::int32_t* offsets = terms.offsets.data();
    float* kept = terms.values.data();
#if defined(__AVX512F__)
    const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i places = _mm512_mullo_epi32(lane, _mm512_set1_epi32(stride));
    for (int i = 0; i < count; i += 16) {
        const __mmask16 exist = static_cast<__mmask16>(count - i >= 16 ? 0xFFFFU : (1U << (count - i)) - 1U);
        const float* from = values + static_cast<std::ptrdiff_t>(i) * stride;
        const __m512 x = stride == 1 ? _mm512_maskz_loadu_ps(exist, from)
                                     : _mm512_mask_i32gather_ps(_mm512_setzero_ps(), exist, places, from, 4);
        const __mmask16 keep = _mm512_cmp_ps_mask(x, _mm512_setzero_ps(), _CMP_NEQ_UQ);
        const __m512i rows = _mm512_mullo_epi32(_mm512_add_epi32(lane, _mm512_set1_epi32(i)), _mm512_set1_epi32(step));
        _mm512_storeu_si512(offsets, _mm512_maskz_compress_epi32(keep, rows));
        _mm512_storeu_ps(kept, _mm512_maskz_compress_ps(keep, _mm512_mul_ps(x, _mm512_set1_ps(scale))));
        offsets += __builtin_popcount(keep);
        kept += __builtin_popcount(keep);
    }
#else
    for (int i = 0; i < count; ++i, values += stride) {
        *offsets = i * step;
        *kept = *values * scale;
        const int keep = static_cast<int>(*values != 0.0F);  // no branch: zeros come in no order
        offsets += keep;
        kept += keep;
    }
#endif
    terms.count = static_cast<int>(kept - terms.values.data());
}

/// acc [Vectors x lanes] += sum of value * rows[offset], terms in order.
template <int Vectors>
void addTerms(const std::int32_t* offsets, const float* values, int count, const float* rows, const float* start,
              const float* minus, float factor, bool relu, float* result) {
    Vector sum[Vectors];
#pragma GCC unroll 16
    for (int v = 0; v < Vectors; ++v) {
        sum[v] = start != nullptr ? load(start + v * kLanes) : Vector{};
        if (minus != nullptr) sum[v] -= broadcast(factor) * load(minus + v * kLanes);
    }
    for (int i = 0; i < count; ++i) {
        const Vector value = broadcast(values[i]);
        const float* row = rows + offsets[i];
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
template <int Most>
void addTermsToRow(const Terms<Most>& terms, int columns, const float* rows, const float* start, const float* minus,
                   float factor, bool relu, float* result) {
    int column = 0;
    const auto run = [&](int width, auto function) {
        for (; column + width <= columns; column += width)
            function(terms.offsets.data(), terms.values.data(), terms.count, rows + column,
                     start != nullptr ? start + column : nullptr, minus != nullptr ? minus + column : nullptr, factor,
                     relu, result + column);
    };
    run(8 * kLanes, addTerms<8>);
    run(4 * kLanes, addTerms<4>);
    run(kLanes, addTerms<1>);
    for (; column < columns; ++column) {
        float sum = start != nullptr ? start[column] : 0.0F;
        if (minus != nullptr) sum = multiplyAdd(-factor, minus[column], sum);
        for (int i = 0; i < terms.count; ++i) sum = multiplyAdd(terms.values[i], rows[terms.offsets[i] + column], sum);
        result[column] = relu && sum < 0.0F ? 0.0F : sum;
    }
}

/// Input rows whose weights stay in the first-level cache while all samples pass.
constexpr int kBlock = 32;

}  // namespace

void sparseDenseConstant(const SparseDense& layer, const float* weights, const float* bias, float* constant) {
    std::copy_n(bias, layer.outputs, constant);
    Terms<kBlock> terms;
    for (int first = 0; first < layer.inputs; first += kBlock) {
        terms.count = std::min(kBlock, layer.inputs - first);
        for (int i = 0; i < terms.count; ++i) {
            terms.offsets[i] = i * layer.outputs;
            terms.values[i] = -layer.shift[(first + i) % layer.channels];
        }
        addTermsToRow(terms, layer.outputs, weights + static_cast<std::ptrdiff_t>(first) * layer.outputs, constant,
                      nullptr, 0.0F, false, constant);
    }
}

void sparseDenseForward(const SparseDense& layer, int samples, const float* pixels, const float* weights,
                        const float* constant, bool relu, float* output) {
    Terms<kBlock> terms;
    std::array<float, kBlock> scaled;
    for (int first = 0; first < layer.inputs; first += kBlock) {
        const int size = std::min(kBlock, layer.inputs - first);
        const float* rows = weights + static_cast<std::ptrdiff_t>(first) * layer.outputs;
        const bool last = first + size == layer.inputs;
        for (int s = 0; s < samples; ++s) {
            const float* sample = pixels + static_cast<std::ptrdiff_t>(s) * layer.inputs + first;
            if (layer.channels == 1) {
                collect(sample, size, 1, layer.outputs, layer.scale[0], terms);
            } else {
                for (int i = 0; i < size; ++i) scaled[i] = sample[i] * layer.scale[(first + i) % layer.channels];
                collect(scaled.data(), size, 1, layer.outputs, 1.0F, terms);
            }
            float* result = output + static_cast<std::ptrdiff_t>(s) * layer.outputs;
            if (terms.count == 0 && first > 0 && !last) continue;
            addTermsToRow(terms, layer.outputs, rows, first == 0 ? constant : result, nullptr, 0.0F, relu && last,
                          result);
        }
    }
}

void sparseDenseBackward(const SparseDense& layer, int first, int last, int samples, const float* pixels,
                         const float* outputGradient, const float* biasGradient, float* weightGradient,
                         bool accumulate) {
    // As many samples at a time as keep their gradients in the first-level cache while all pixels pass.
    Terms<kBlock> terms;
    for (int s = 0; s < samples; s += kBlock) {
        const float* gradients = outputGradient + static_cast<std::ptrdiff_t>(s) * layer.outputs;
        const bool add = accumulate || s > 0;
        for (int pixel = first; pixel < last; ++pixel) {
            const int channel = pixel % layer.channels;
            collect(pixels + static_cast<std::ptrdiff_t>(s) * layer.inputs + pixel, std::min(kBlock, samples - s),
                    layer.inputs, layer.outputs, layer.scale[channel], terms);
            float* row = weightGradient + static_cast<std::ptrdiff_t>(pixel) * layer.outputs;
            addTermsToRow(terms, layer.outputs, gradients, add ? row : nullptr, s == 0 ? biasGradient : nullptr,
                          layer.shift[channel], false, row);
        }
    }
}

}  // namespace lockstep::kernels
