#include <algorithm>

#include "nn/kernels/kernels.h"
#include "nn/kernels/simd.h"

namespace lockstep::kernels {
namespace {

/// The gradients of one output channel that are not zero, with the input window each one belongs to. ReLU stops those
/// whose output is zero; pooling has sent each to one place.
int gather(const Convolution& shape, const ConvolutionBackward& data, int channel) {
    int count = 0;
    const std::int32_t* place = data.place + channel;
    for (int y = 0; y < shape.outputHeight(); ++y) {
        const std::ptrdiff_t row = static_cast<std::ptrdiff_t>(y) * shape.outputRowStride + channel;
        std::int32_t origin = y * shape.pool * shape.inputRowStride();
        for (int x = 0; x < shape.outputWidth(); ++x) {
            const std::ptrdiff_t at = row + static_cast<std::ptrdiff_t>(x) * shape.outChannels;
            const float gradient = data.outputGradient[at];
            const bool open = !shape.relu || data.output[at] > 0.0F;
            data.list[count] = {origin + *place, gradient};
            count += static_cast<int>(open & (gradient != 0.0F));  // no branch: zeros are about as likely as not
            place += shape.outChannels;
            origin += shape.pool * shape.inChannels;
        }
    }
    return count;
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

/// For `Rows` kernel rows of `Vectors` vectors: each listed gradient g adds g x to the weights' gradient, which stays in
/// registers, and g w to the input's.
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
    for (int i = 0; i < run.count; ++i) {
        const Vector gradient = broadcast(run.list[i].gradient);
        const float* input = run.input + run.list[i].offset;
        float* inputGradient = run.inputGradient + (NeedsInput ? run.list[i].offset : 0);
#pragma GCC unroll 16
        for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 16
            for (int v = 0; v < Vectors; ++v) {
                const int at = r * run.inputRowStride + v * kLanes;
                sum[r][v] += gradient * load(input + at);
                if (NeedsInput) store(inputGradient + at, load(inputGradient + at) + gradient * weight[r][v]);
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
    for (; done + kMost * kLanes <= length; done += kMost * kLanes)
        spread<kMost, 1, NeedsInput>(advanced(run, done));
    for (; done + 3 * kLanes <= length; done += 3 * kLanes) spread<3, 1, NeedsInput>(advanced(run, done));
    for (; done + kLanes <= length; done += kLanes) spread<1, 1, NeedsInput>(advanced(run, done));
    if (done < length) spreadScalar<NeedsInput>(advanced(run, done), length - done);
}

template <bool NeedsInput>
void backwardByChannel(const Convolution& shape, const ConvolutionBackward& data) {
    const int row = shape.kernel * shape.inChannels;
    for (int channel = 0; channel < shape.outChannels; ++channel) {
        const int count = gather(shape, data, channel);
        float bias = data.biasGradient[channel];
        for (int i = 0; i < count; ++i) bias += data.list[i].gradient;
        data.biasGradient[channel] = bias;
        const std::ptrdiff_t first = static_cast<std::ptrdiff_t>(channel) * shape.taps();
        Run run{data.list,
                count,
                data.input,
                NeedsInput ? data.transposedWeights + first : data.input,
                data.weightGradient + first,
                NeedsInput ? data.inputGradient : data.weightGradient,
                shape.inputRowStride(),
                row};
        if (kRegisters == 32 && shape.kernel == 3 && row == 3 * kLanes) {
            spread<3, 3, NeedsInput>(run);
            continue;
        }
        for (int ky = 0; ky < shape.kernel; ++ky) {
            spreadRow<NeedsInput>(run, row);
            run = advanced(run, row);
            run.input += shape.inputRowStride() - row;
            if (NeedsInput) run.inputGradient += shape.inputRowStride() - row;
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
            const IntVector place = load(data.place + (y * shape.outputWidth() + x) * shape.outChannels + channel);
            const float* window = data.input + y * Pool * rowStride + x * Pool * shape.inChannels + start;
#pragma GCC unroll 4
            for (int i = 0; i < Pool * Pool; ++i) {
                const int offset = i / Pool * rowStride + i % Pool * shape.inChannels;
                const Vector chosen = place == offset ? gradient : Vector{};
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
