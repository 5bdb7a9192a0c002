#include <algorithm>
#include <cstddef>

#include "nn/kernels/kernels.h"
#include "nn/kernels/simd.h"

namespace lockstep::kernels {
namespace {

/// The same expressions for a vector of channels and for the channels that fill none.
template <class Lanes>
constexpr int kWidth = sizeof(Lanes) / sizeof(float);

template <class Lanes>
Lanes loadLanes(const float* from) {
    if constexpr (kWidth<Lanes> == 1)
        return *from;
    else
        return load(from);
}

inline void storeLanes(float* to, float value) { *to = value; }
inline void storeLanes(float* to, Vector value) { store(to, value); }

/// Calls body(first channel, zero) with vectors of zeros while whole ones are left, then with single ones.
template <class Body>
void overChannels(int channels, Body body) {
    int c = 0;
    for (; c + kLanes <= channels; c += kLanes) body(c, Vector{});
    for (; c < channels; ++c) body(c, 0.0F);
}

/// Calls body(y, x) for every pixel, where x counts in floats.
template <class Body>
void overPixels(const ImageSize& size, Body body) {
    for (int y = 0; y < size.height; ++y)
        for (int x = 0; x < size.width; ++x) body(y, x * size.channels);
}

template <class Float>
Float* at(Pixels<Float> pixels, int y, int x) {
    return pixels.first + static_cast<std::ptrdiff_t>(y) * pixels.rowStride + x;
}

/// Sums of values(y, x) over all pixels, row by row: sums of sums keep rounding small.
template <class Lanes, class Values>
Lanes sumPixels(const ImageSize& size, Lanes zero, Values values) {
    Lanes total = zero;
    for (int y = 0; y < size.height; ++y) {
        Lanes row = zero;
        for (int x = 0; x < size.width; ++x) row += values(y, x * size.channels);
        total += row;
    }
    return total;
}

/// Of NormalizationGradient. `Relu`: a choice made outside the loops.
template <bool Relu, class Lanes>
Lanes opened(const NormalizationGradient& g, int y, int x, Lanes zero) {
    const Lanes gradient = loadLanes<Lanes>(at(g.gradient, y, x));
    if constexpr (Relu)
        return loadLanes<Lanes>(at(g.output, y, x)) > zero ? gradient : zero;
    else
        return gradient;
}

template <class Lanes>
void storeOrAdd(float* to, Lanes value, bool add) {
    storeLanes(to, add ? loadLanes<Lanes>(to) + value : value);
}

template <bool Relu>
void open(const ImageSize& size, const NormalizationGradient& g, MutablePixels to, bool add) {
    overChannels(size.channels, [&](int c, auto zero) {
        overPixels(size, [&](int y, int x) { storeOrAdd(at(to, y, x + c), opened<Relu>(g, y, x + c, zero), add); });
    });
}

template <bool Relu>
void sums(const ImageSize& size, const NormalizationGradient& g, const float* mean, float* sums, float* products) {
    overChannels(size.channels, [&](int c, auto zero) {
        using Lanes = decltype(zero);
        const Lanes m = loadLanes<Lanes>(mean + c);
        Lanes sum = zero, product = zero;
        for (int y = 0; y < size.height; ++y) {
            Lanes rowSum = zero, rowProduct = zero;
            for (int x = c; x < size.width * size.channels; x += size.channels) {
                const Lanes open = opened<Relu>(g, y, x, zero);
                rowSum += open;
                rowProduct += open * (loadLanes<Lanes>(at(g.x, y, x)) - m);
            }
            sum += rowSum;
            product += rowProduct;
        }
        storeLanes(sums + c, sum);
        storeLanes(products + c, product);
    });
}

template <bool Relu>
void backward(const ImageSize& size, const NormalizationGradient& g, const NormalizationBackward& n, MutablePixels to,
              bool add) {
    overChannels(size.channels, [&](int c, auto zero) {
        using Lanes = decltype(zero);
        const Lanes mean = loadLanes<Lanes>(n.mean + c), factor = loadLanes<Lanes>(n.factor + c);
        const Lanes a = loadLanes<Lanes>(n.a + c), b = loadLanes<Lanes>(n.b + c);
        overPixels(size, [&](int y, int x) {
            const Lanes centred = loadLanes<Lanes>(at(g.x, y, x + c)) - mean;
            const Lanes value = factor * (opened<Relu>(g, y, x + c, zero) - a - centred * b);
            storeOrAdd(at(to, y, x + c), value, add);
        });
    });
}

template <bool Normalize, bool Addend>
void forward(const ImageSize& size, const Normalization& n, ConstPixels x, ConstPixels addend, MutablePixels output) {
    overChannels(size.channels, [&](int c, auto zero) {
        using Lanes = decltype(zero);
        Lanes mean = zero, factor = zero, shift = zero;
        if constexpr (Normalize) {
            mean = loadLanes<Lanes>(n.mean + c);
            factor = loadLanes<Lanes>(n.factor + c);
            shift = loadLanes<Lanes>(n.shift + c);
        }
        overPixels(size, [&](int y, int column) {
            Lanes value = loadLanes<Lanes>(at(x, y, column + c));
            if constexpr (Normalize) value = (value - mean) * factor + shift;
            if constexpr (Addend) value += loadLanes<Lanes>(at(addend, y, column + c));
            // Written so that a NaN stays one.
            if (n.relu) value = value < zero ? zero : value;
            storeLanes(at(output, y, column + c), value);
        });
    });
}

}  // namespace

void copyPixels(const ImageSize& size, ConstPixels from, MutablePixels to, bool add) {
    const NormalizationGradient all{from, from, from, false};
    open<false>(size, all, to, add);
}

void channelSums(const ImageSize& size, ConstPixels x, float* sums) {
    overChannels(size.channels, [&](int c, auto zero) {
        using Lanes = decltype(zero);
        const Lanes sum =
            sumPixels(size, zero, [&](int y, int column) { return loadLanes<Lanes>(at(x, y, column + c)); });
        storeLanes(sums + c, loadLanes<Lanes>(sums + c) + sum);
    });
}

void channelMoments(const ImageSize& size, ConstPixels x, float* mean, float* squares) {
    overChannels(size.channels, [&](int c, auto zero) {
        using Lanes = decltype(zero);
        const auto value = [&](int y, int column) { return loadLanes<Lanes>(at(x, y, column + c)); };
        const float pixels = static_cast<float>(size.height) * static_cast<float>(size.width);
        const Lanes middle = sumPixels(size, zero, value) / (zero + pixels);
        storeLanes(mean + c, middle);
        storeLanes(squares + c, sumPixels(size, zero, [&](int y, int column) {
                       const Lanes deviation = value(y, column) - middle;
                       return deviation * deviation;
                   }));
    });
}

void normalizationForward(const ImageSize& size, const Normalization& n, ConstPixels x, ConstPixels addend,
                          MutablePixels output) {
    if (n.mean != nullptr) {
        addend ? forward<true, true>(size, n, x, addend, output) : forward<true, false>(size, n, x, addend, output);
    } else {
        addend ? forward<false, true>(size, n, x, addend, output) : forward<false, false>(size, n, x, addend, output);
    }
}

void openGradient(const ImageSize& size, const NormalizationGradient& g, MutablePixels to, bool add) {
    g.relu ? open<true>(size, g, to, add) : open<false>(size, g, to, add);
}

void normalizationSums(const ImageSize& size, const NormalizationGradient& g, const float* mean, float* sum,
                       float* products) {
    g.relu ? sums<true>(size, g, mean, sum, products) : sums<false>(size, g, mean, sum, products);
}

void normalizationBackward(const ImageSize& size, const NormalizationGradient& g, const NormalizationBackward& n,
                           MutablePixels to, bool add) {
    g.relu ? backward<true>(size, g, n, to, add) : backward<false>(size, g, n, to, add);
}

}  // namespace lockstep::kernels
