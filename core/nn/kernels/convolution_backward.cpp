#include <algorithm>
#include <bit>
#include <cstring>

#include "nn/kernels/kernels.h"
#include "nn/kernels/simd.h"

namespace lockstep::kernels {
namespace {

/// Channels whose gradients are lined up together.
constexpr int kGroup = 16;

/// Rows of windows that are worked on together, so that the image rows they meet stay in the first-level cache while
/// all channels pass.
int bandRows(const Convolution& shape) {
    constexpr int kBandFloats = 2048;
    const int rows = kBandFloats / shape.inputRowStride();
    return std::max(1, (rows - shape.kernel + 1) / shape.pool);
}

/// Windows in rows [first, last) of channels [channel, channel + kGroup).
struct Band {
    int first, last;
    int channel;
};

/// Lines up {where, gradient} of a band, [windows x kGroup], 0 where ReLU stops it; sums them up for the bias.
void lineUp(const Convolution& shape, const ConvolutionBackward& data, const Band& band, PlacedGradient* to) {
    const int width = shape.outputWidth();
    Vector bias[kGroup / kLanes];
    for (int i = 0; i < kGroup / kLanes; ++i) bias[i] = load(data.biasGradient + band.channel + i * kLanes);
    for (int y = band.first; y < band.last; ++y)
        for (int x = 0; x < width; ++x, to += kGroup) {
            const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(y) * shape.outputRowStride +
                                      static_cast<std::ptrdiff_t>(x) * shape.outChannels + band.channel;
            const std::uint8_t* place = data.place + (y * width + x) * shape.outChannels + band.channel;
            const std::int32_t origin = y * shape.pool * shape.inputRowStride() + x * shape.pool * shape.inChannels;
#pragma GCC unroll 4
            for (int i = 0; i < kGroup; i += kLanes) {
                const IntVector chosen = loadBytes(place + i);
                const IntVector offset = (-(chosen & 1) & shape.inChannels) + (-(chosen >> 1) & shape.inputRowStride());
                Vector gradient = load(data.outputGradient + at + i);
                if (shape.relu) gradient = load(data.output + at + i) > 0.0F ? gradient : Vector{};
                interleave(offset + origin, gradient, reinterpret_cast<std::int32_t*>(to + i));
                bias[i / kLanes] += gradient;
            }
        }
    for (int i = 0; i < kGroup / kLanes; ++i) store(data.biasGradient + band.channel + i * kLanes, bias[i]);
}

/// The same where a group is not full.
void lineUpSome(const Convolution& shape, const ConvolutionBackward& data, const Band& band, int channels,
                PlacedGradient* to) {
    const int width = shape.outputWidth();
    for (int y = band.first; y < band.last; ++y)
        for (int x = 0; x < width; ++x, to += kGroup)
            for (int i = 0; i < channels; ++i) {
                const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(y) * shape.outputRowStride +
                                          static_cast<std::ptrdiff_t>(x) * shape.outChannels + band.channel + i;
                const bool open = !shape.relu || data.output[at] > 0.0F;
                const int chosen = data.place[(y * width + x) * shape.outChannels + band.channel + i];
                to[i] = {(y * shape.pool + chosen / 2) * shape.inputRowStride() +
                             (x * shape.pool + chosen % 2) * shape.inChannels,
                         open ? data.outputGradient[at] : 0.0F};
                data.biasGradient[band.channel + i] += to[i].gradient;
            }
}

/// One channel's gradients that are not zero. Without a branch: about half of them are, in no order.
int compact(const PlacedGradient* from, int windows, PlacedGradient* to) {
    const PlacedGradient* const begin = to;
    constexpr std::uint64_t kMagnitude = std::endian::native == std::endian::little ? 0x7FFFFFFF00000000U : 0x7FFFFFFFU;
    for (int i = 0; i < windows; ++i, from += kGroup) {
        std::uint64_t entry;
        std::memcpy(&entry, from, sizeof entry);
        std::memcpy(to, &entry, sizeof entry);
        to += (entry & kMagnitude) != 0 ? 1 : 0;
    }
    return static_cast<int>(to - begin);
}

/// What `spread` works on: a run of weights of one channel and the input elements it meets.
struct Run {
    const PlacedGradient* list;
    int count;
    const float* input;
    const float* weights;
    float* weightGradient;
    float* inputGradient;
    int inputRowStride;
    int weightRowStride;
};

/// For `Rows` kernel rows of `Vectors` vectors: each listed gradient g adds g x to the weights' gradient, which stays
/// in registers, and g w to the input's.
template <int Vectors, int Rows, bool NeedsInput>
void spread(const Run& run) {
    Vector sum[Rows][Vectors];
    Vector weight[Rows][Vectors];
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 16
        for (int v = 0; v < Vectors; ++v) {
            sum[r][v] = load(run.weightGradient + r * run.weightRowStride + v * kLanes);
            if (NeedsInput) weight[r][v] = load(run.weights + r * run.weightRowStride + v * kLanes);
        }
    const std::ptrdiff_t rowStride = run.inputRowStride;
    for (const PlacedGradient *entry = run.list, *end = entry + run.count; entry != end; ++entry) {
        const Vector gradient = broadcast(entry->gradient);
        const float* input = run.input + entry->offset;
        float* inputGradient = run.inputGradient + (NeedsInput ? entry->offset : 0);
#pragma GCC unroll 16
        for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 16
            for (int v = 0; v < Vectors; ++v) {
                sum[r][v] += gradient * load(input + v * kLanes);
                if (NeedsInput)
                    store(inputGradient + v * kLanes, load(inputGradient + v * kLanes) + gradient * weight[r][v]);
            }
            // One pointer per row: otherwise GCC computes each of the addresses anew, and decoding limits the loop.
            input += rowStride;
            asm("" : "+r"(input));
            if (NeedsInput) {
                inputGradient += rowStride;
                asm("" : "+r"(inputGradient));
            }
        }
    }
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 16
        for (int v = 0; v < Vectors; ++v) store(run.weightGradient + r * run.weightRowStride + v * kLanes, sum[r][v]);
}

/// Any run length: the tail that fills no vector.
template <bool NeedsInput>
void spreadScalar(const Run& run, int length) {
    for (int t = 0; t < length; ++t) {
        float sum = run.weightGradient[t];
        for (int i = 0; i < run.count; ++i) {
            const float gradient = run.list[i].gradient;
            sum = multiplyAdd(gradient, run.input[run.list[i].offset + t], sum);
            if (NeedsInput) {
                float& target = run.inputGradient[run.list[i].offset + t];
                target = multiplyAdd(gradient, run.weights[t], target);
            }
        }
        run.weightGradient[t] = sum;
    }
}

Run advanced(Run run, int elements) {
    run.input += elements;
    run.weights += elements;
    run.weightGradient += elements;
    run.inputGradient += elements;
    return run;
}

template <bool NeedsInput>
void spreadRow(const Run& run, int length) {
    constexpr int kMost = kRegisters == 32 ? 9 : 6;
    int done = 0;
    for (; done + kMost * kLanes <= length; done += kMost * kLanes) spread<kMost, 1, NeedsInput>(advanced(run, done));
    for (; done + 3 * kLanes <= length; done += 3 * kLanes) spread<3, 1, NeedsInput>(advanced(run, done));
    for (; done + kLanes <= length; done += kLanes) spread<1, 1, NeedsInput>(advanced(run, done));
    if (done < length) spreadScalar<NeedsInput>(advanced(run, done), length - done);
}

template <bool NeedsInput>
void spreadChannel(const Convolution& shape, const ConvolutionBackward& data, int channel, const PlacedGradient* list,
                   int count) {
    const int row = shape.kernel * shape.inChannels;
    const std::ptrdiff_t first = static_cast<std::ptrdiff_t>(channel) * shape.taps();
    Run run{list,
            count,
            data.input,
            NeedsInput ? data.transposedWeights + first : data.input,
            data.weightGradient + first,
            NeedsInput ? data.inputGradient : data.weightGradient,
            shape.inputRowStride(),
            row};
    if (kRegisters == 32 && shape.kernel == 3 && row == 3 * kLanes) return spread<3, 3, NeedsInput>(run);
    for (int ky = 0; ky < shape.kernel; ++ky) {
        spreadRow<NeedsInput>(run, row);
        run = advanced(run, row);
        run.input += shape.inputRowStride() - row;
        if (NeedsInput) run.inputGradient += shape.inputRowStride() - row;
    }
}

template <bool NeedsInput>
void backwardByChannel(const Convolution& shape, const ConvolutionBackward& data) {
    const int height = shape.outputHeight();
    const int bands = (height + bandRows(shape) - 1) / bandRows(shape);
    for (int b = 0; b < bands; ++b) {
        Band band{height * b / bands, height * (b + 1) / bands, 0};
        const int windows = (band.last - band.first) * shape.outputWidth();
        PlacedGradient* const lined = data.list + windows + 1;
        for (; band.channel < shape.outChannels; band.channel += kGroup) {
            const int channels = std::min(kGroup, shape.outChannels - band.channel);
            if (channels == kGroup) {
                lineUp(shape, data, band, lined);
            } else {
                lineUpSome(shape, data, band, channels, lined);
            }
            for (int i = 0; i < channels; ++i) {
                const int count = compact(lined + i, windows, data.list);
                spreadChannel<NeedsInput>(shape, data, band.channel + i, data.list, count);
            }
        }
    }
}

/// Few input channels and no gradient for the input: a vector of output channels at a time; each of a window's places
/// gets the gradients of the channels that chose it. `Rows` kernel rows of `Length` elements.
template <int Rows, int Length, int Pool>
void weightsByPlace(const Convolution& shape, const ConvolutionBackward& data, int channel, int firstTap, int start) {
    const int rowStride = shape.inputRowStride();
    Vector sum[Rows][Length]{};
    for (int y = 0; y < shape.outputHeight(); ++y) {
        for (int x = 0; x < shape.outputWidth(); ++x) {
            const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(y) * shape.outputRowStride +
                                      static_cast<std::ptrdiff_t>(x) * shape.outChannels + channel;
            Vector gradient = load(data.outputGradient + at);
            if (shape.relu) gradient = load(data.output + at) > 0.0F ? gradient : Vector{};
            const IntVector place = loadBytes(data.place + (y * shape.outputWidth() + x) * shape.outChannels + channel);
            const float* window = data.input + y * Pool * rowStride + x * Pool * shape.inChannels + start;
#pragma GCC unroll 4
            for (int i = 0; i < Pool * Pool; ++i) {
                const int offset = i / Pool * rowStride + i % Pool * shape.inChannels;
                const Vector chosen = place == i ? gradient : Vector{};
#pragma GCC unroll 16
                for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 16
                    for (int t = 0; t < Length; ++t)
                        sum[r][t] += chosen * broadcast(window[offset + r * rowStride + t]);
            }
        }
    }
    for (int r = 0; r < Rows; ++r)
        for (int t = 0; t < Length; ++t)
            for (int lane = 0; lane < kLanes; ++lane)
                data.weightGradient[(channel + lane) * shape.taps() + firstTap + r * Length + t] += sum[r][t][lane];
}

void biasByPlace(const Convolution& shape, const ConvolutionBackward& data, int channel) {
    Vector sum = load(data.biasGradient + channel);
    for (int y = 0; y < shape.outputHeight(); ++y)
        for (int x = 0; x < shape.outputWidth(); ++x) {
            const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(y) * shape.outputRowStride +
                                      static_cast<std::ptrdiff_t>(x) * shape.outChannels + channel;
            const Vector gradient = load(data.outputGradient + at);
            sum += shape.relu ? (load(data.output + at) > 0.0F ? gradient : Vector{}) : gradient;
        }
    store(data.biasGradient + channel, sum);
}

template <int Pool>
void backwardByPlace(const Convolution& shape, const ConvolutionBackward& data) {
    const int row = shape.kernel * shape.inChannels;
    for (int channel = 0; channel < shape.outChannels; channel += kLanes) {
        biasByPlace(shape, data, channel);
        if (shape.kernel == 3 && shape.inChannels == 1) {
            weightsByPlace<3, 3, Pool>(shape, data, channel, 0, 0);
            continue;
        }
        for (int ky = 0; ky < shape.kernel; ++ky) {
            int done = 0;
            for (; done + 9 <= row; done += 9)
                weightsByPlace<1, 9, Pool>(shape, data, channel, ky * row + done, ky * shape.inputRowStride() + done);
            for (; done < row; ++done)
                weightsByPlace<1, 1, Pool>(shape, data, channel, ky * row + done, ky * shape.inputRowStride() + done);
        }
    }
}

}  // namespace

std::size_t backwardListEntries(const Convolution& shape) {
    const int rows = std::min(bandRows(shape), shape.outputHeight());
    const std::size_t windows = static_cast<std::size_t>(rows) * static_cast<std::size_t>(shape.outputWidth());
    return (windows + 1) + windows * kGroup;
}

void convolutionBackward(const Convolution& shape, const ConvolutionBackward& data) {
    if (data.inputGradient != nullptr) {
        std::fill_n(data.inputGradient, shape.inputElements(), 0.0F);
        backwardByChannel<true>(shape, data);
    } else if (shape.inChannels < 16 && shape.outChannels % 16 == 0) {
        shape.pool == 2 ? backwardByPlace<2>(shape, data) : backwardByPlace<1>(shape, data);
    } else {
        backwardByChannel<false>(shape, data);
    }
}

}  // namespace lockstep::kernels
