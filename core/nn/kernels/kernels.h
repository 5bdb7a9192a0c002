#pragma once

#include <cstddef>
#include <cstdint>

/// The arithmetic of training, single-threaded, on caller's memory. A shared library of its own, built once for each
/// x86-64 level, from which the loader picks (glibc-hwcaps). Shapes are NHWC; all matrices are row-major.
namespace lockstep::kernels {

#define LOCKSTEP_KERNEL __attribute__((visibility("default")))

/// Floats in one vector register of the build that was loaded: 4, 8 or 16.
LOCKSTEP_KERNEL int lanes();

/// A convolution (odd kernel, zero padding) with what is fused behind it: ReLU, and max-pooling by `pool` (1 = none, or
/// 2). Inputs are padded images [height + 2 b][width + 2 b][inChannels] with zero borders, b = kernel / 2 +
/// extraBorder, given by the first window's first element. `stride` is 1, or 2 where pool is 1. Outputs are
/// [outputHeight][outputWidth][outChannels] with rows `outputRowStride` floats apart, so that they can be written
/// straight into the padded input of the next layer.
struct Convolution {
    int height = 0, width = 0, inChannels = 0, outChannels = 0;
    int kernel = 3, pool = 1;
    bool relu = false;
    int outputRowStride = 0;
    int stride = 1, extraBorder = 0;

    int padding() const { return kernel / 2; }
    int inputRowStride() const { return (width + 2 * (padding() + extraBorder)) * inChannels; }
    int inputElements() const { return (height + 2 * (padding() + extraBorder)) * inputRowStride(); }
    int outputHeight() const { return (height + stride - 1) / stride / pool; }
    int outputWidth() const { return (width + stride - 1) / stride / pool; }
    int outputElements() const { return outputHeight() * outputWidth() * outChannels; }
    int taps() const { return kernel * kernel * inChannels; }
    /// outChannels rounded up to whole vectors: the row length of packed weights.
    int packedOutputs() const { return (outChannels + 15) / 16 * 16; }
};

/// One sample forward. `weights` [taps x packedOutputs] and `bias` [packedOutputs], zeros behind outChannels.
/// `place` [outputElements]: which of a window's outputs was the largest (row * pool + column, the first of equal
/// ones), which the backward pass follows.
LOCKSTEP_KERNEL void convolutionForward(const Convolution& shape, const float* input, const float* weights,
                                        const float* bias, float* output, std::uint8_t* place);

/// A gradient and where its window starts in the padded input.
struct PlacedGradient {
    std::int32_t offset;
    float gradient;
};

/// One sample backward, stride 1, made for gradients of which many are zero. `output` and `outputGradient` have the
/// output's layout. Gradients are ADDED to `weightGradient` [outChannels x taps] (transposed!) and `biasGradient`
/// [outChannels]. `inputGradient` (the padded input's layout, overwritten; borders are meaningless) may be null; only
/// otherwise is `transposedWeights` [outChannels x taps] read. `list`: scratch for backwardListEntries().
struct ConvolutionBackward {
    const float* input;
    const float* output;
    const float* outputGradient;
    const std::uint8_t* place;
    const float* transposedWeights;
    float* weightGradient;
    float* biasGradient;
    float* inputGradient;
    PlacedGradient* list;
};
LOCKSTEP_KERNEL std::size_t backwardListEntries(const Convolution& shape);
LOCKSTEP_KERNEL void convolutionBackward(const Convolution& shape, const ConvolutionBackward& data);

/// One sample's gradients of a convolution without pooling and ReLU, of any stride, made for dense `outputGradient`
/// (rows shape.outputRowStride apart). Added to `weightGradient` [taps x outChannels].
LOCKSTEP_KERNEL void convolutionWeightGradient(const Convolution& shape, const float* input,
                                               const float* outputGradient, float* weightGradient);
/// `transposedWeights` [outChannels x taps]; `scratch`: outputWidth x taps floats. Writes to `inputGradient`, which has
/// the input's layout (from the border's first element to the last); borders are meaningless.
LOCKSTEP_KERNEL void convolutionInputGradient(const Convolution& shape, const float* outputGradient,
                                              const float* transposedWeights, float* scratch, float* inputGradient);

/// Max-pooling by any window (1: none) and ReLU, on unpadded input [height][width][channels].
struct Pooling {
    int height = 0, width = 0, channels = 0;
    int window = 1;
    bool relu = false;
    int outputRowStride = 0;

    int outputHeight() const { return height / window; }
    int outputWidth() const { return width / window; }
    int outputElements() const { return outputHeight() * outputWidth() * channels; }
};
LOCKSTEP_KERNEL void poolingForward(const Pooling& shape, const float* input, float* output, std::uint8_t* place);
LOCKSTEP_KERNEL void poolingBackward(const Pooling& shape, const float* output, const float* outputGradient,
                                     const std::uint8_t* place, float* inputGradient);

/// An image in memory: its first pixel's first channel, and how many floats its rows are apart.
template <class Float>
struct Pixels {
    Float* first = nullptr;
    int rowStride = 0;

    explicit operator bool() const { return first != nullptr; }
};
using ConstPixels = Pixels<const float>;
using MutablePixels = Pixels<float>;

struct ImageSize {
    int height = 0, width = 0, channels = 0;
};

/// to (+)= from.
LOCKSTEP_KERNEL void copyPixels(const ImageSize& size, ConstPixels from, MutablePixels to, bool add);
/// sums [channels] += the sum over all pixels of each channel.
LOCKSTEP_KERNEL void channelSums(const ImageSize& size, ConstPixels x, float* sums);
/// Of one sample: the mean of each channel, and the sum of the squared deviations from it.
LOCKSTEP_KERNEL void channelMoments(const ImageSize& size, ConstPixels x, float* mean, float* squares);

/// Batch normalization of one sample: output = (x - mean) * factor + shift (+ addend), then ReLU, all per channel.
/// `factor` = scale / deviation; `addend` may be absent. Without `mean`, output = x (+ addend), then ReLU.
struct Normalization {
    const float* mean;
    const float* factor;
    const float* shift;
    bool relu;
};
LOCKSTEP_KERNEL void normalizationForward(const ImageSize& size, const Normalization& n, ConstPixels x,
                                          ConstPixels addend, MutablePixels output);

/// What reaches a normalization from behind, before its ReLU: `gradient` where output > 0 or there is no ReLU.
struct NormalizationGradient {
    ConstPixels x, output, gradient;
    bool relu;
};
/// Writes it to `to`, or adds it.
LOCKSTEP_KERNEL void openGradient(const ImageSize& size, const NormalizationGradient& g, MutablePixels to, bool add);
/// sums [channels] = the sum of it over all pixels; products [channels] = the sum of it times x - mean.
LOCKSTEP_KERNEL void normalizationSums(const ImageSize& size, const NormalizationGradient& g, const float* mean,
                                       float* sums, float* products);
/// to (+)= factor * (it - a - (x - mean) * b), per channel: the gradient of x, where a and b are the means over the
/// batch of it and of it times (x - mean) / variance.
struct NormalizationBackward {
    const float* mean;
    const float* factor;
    const float* a;
    const float* b;
};
LOCKSTEP_KERNEL void normalizationBackward(const ImageSize& size, const NormalizationGradient& g,
                                           const NormalizationBackward& n, MutablePixels to, bool add);

/// A dense layer, weights [outputs x inputs].
struct Dense {
    int inputs, outputs;
    const float* weights;
    const float* bias;
    bool relu;
};
/// Floats of scratch that denseForward() needs.
LOCKSTEP_KERNEL std::size_t denseScratch(int inputs, int outputs);
/// output [samples x outputs] = input [samples x inputs] . weights^T + bias, then ReLU.
LOCKSTEP_KERNEL void denseForward(const Dense& layer, int samples, const float* input, float* output, float* scratch);

/// result [rows x columns] (+)= a . b, with a(row, k) = a[row * rowStride + k * innerStride], b [inner x columns].
/// Where `mask` [rows x columns] is given, results are kept where it is > 0 and are 0 elsewhere (ReLU's gradient).
struct Product {
    int rows, columns, inner;
    const float* a;
    std::ptrdiff_t rowStride, innerStride;
    const float* b;
    float* result;
    const float* mask = nullptr;
    bool accumulate = false;
};
LOCKSTEP_KERNEL void product(const Product& p);

/// A first dense layer on raw pixels [samples x inputs], many of them zero; weights [inputs x outputs]. Pixel k enters
/// as x * scale[k % channels] - shift[k % channels]; `constant` [outputs] = bias - sum of shift * weights.
struct SparseDense {
    int inputs, outputs, channels;
    const float* scale;
    const float* shift;
};
LOCKSTEP_KERNEL void sparseDenseConstant(const SparseDense& layer, const float* weights, const float* bias,
                                         float* constant);
LOCKSTEP_KERNEL void sparseDenseForward(const SparseDense& layer, int samples, const float* pixels,
                                        const float* weights, const float* constant, bool relu, float* output);
/// Rows [first, last) of the weights' gradient; `biasGradient` [outputs] is that of the same samples.
LOCKSTEP_KERNEL void sparseDenseBackward(const SparseDense& layer, int first, int last, int samples,
                                         const float* pixels, const float* outputGradient, const float* biasGradient,
                                         float* weightGradient, bool accumulate);

/// sums [columns] (+)= the column sums of values [rows x columns], rows in order.
LOCKSTEP_KERNEL void columnSums(int rows, int columns, const float* values, float* sums, bool accumulate);

/// Softmax cross-entropy. Returns the sum of the samples' losses; `gradient` [samples x classes] (may be null) is that
/// of the loss times `scale`; `predictions` [samples] (may be null) gets the largest logit's class, `correct` counts
/// those that equal the label.
LOCKSTEP_KERNEL double softmaxCrossEntropy(int samples, int classes, const float* logits, const std::uint8_t* labels,
                                           float scale, float* gradient, std::uint8_t* predictions, int* correct);

}  // namespace lockstep::kernels
