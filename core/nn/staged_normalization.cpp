#include <algorithm>
#include <cmath>

#include "nn/staged_pass.h"

namespace lockstep {
namespace {

/// Count, mean and summed squared deviations of a set, one channel.
struct Moments {
    double count = 0, mean = 0, squares = 0;

    /// Chan, Golub and LeVeque, 1979: those of two sets together.
    void add(const Moments& other) {
        const double total = count + other.count, difference = other.mean - mean;
        mean += difference * (other.count / total);
        squares += other.squares + difference * difference * (count * other.count / total);
        count = total;
    }
    [[nodiscard]] double variance() const { return squares / count; }
    [[nodiscard]] double unbiasedVariance() const { return squares / std::max(1.0, count - 1); }
};

Moments momentsOf(std::span<const StagedSlice> slices, std::size_t index, std::size_t channel) {
    Moments total;
    for (const StagedSlice& slice : slices) {
        const SliceStatistics& s = slice.statistics[index];
        total.add({s.count, s.mean[channel], s.squares[channel]});
    }
    return total;
}

kernels::ImageSize sizeOf(const StagedTensor& tensor) {
    return {tensor.shape.heightPx, tensor.shape.widthPx, tensor.shape.channels};
}

double inverseDeviation(double variance) { return 1 / std::sqrt(variance + kNormalizationEpsilon); }

}  // namespace

void StagedPass::measureInput(std::size_t index, const At& at) const {
    const Operation& o = m_plan.operations[index];
    SliceStatistics& s = at.slice.statistics[index];
    const kernels::ImageSize size = sizeOf(m_plan.in(o));
    kernels::channelMoments(size, constValue(o.input, at.sample), s.first.data(), s.second.data());
    const double pixels = double{1} * size.height * size.width;
    for (std::size_t c = 0; c < s.mean.size(); ++c) {
        Moments moments{s.count, s.mean[c], s.squares[c]};
        moments.add({pixels, s.first[c], s.second[c]});
        s.mean[c] = moments.mean;
        s.squares[c] = moments.squares;
    }
    s.count += pixels;
}

void StagedPass::useBatchStatistics(std::size_t index, StagedSlice& slice) const {
    const Operation& o = m_plan.operations[index];
    SliceStatistics& s = slice.statistics[index];
    const std::span slices = std::span(m_memory.slices).first(static_cast<std::size_t>(sliceCount()));
    for (std::size_t c = 0; c < s.mean.size(); ++c) {
        const Moments batch = momentsOf(slices, index, c);
        const double inverse = inverseDeviation(batch.variance());
        s.batchMean[c] = static_cast<float>(batch.mean);
        s.inverse[c] = static_cast<float>(inverse);
        s.factor[c] = static_cast<float>(parameters(o.weights)[c] * inverse);
    }
}

void StagedPass::useRunningStatistics(std::size_t index, StagedSlice& slice) const {
    const Operation& o = m_plan.operations[index];
    SliceStatistics& s = slice.statistics[index];
    for (std::size_t c = 0; c < s.mean.size(); ++c) {
        s.batchMean[c] = parameters(o.mean)[c];
        s.factor[c] = static_cast<float>(parameters(o.weights)[c] * inverseDeviation(parameters(o.variance)[c]));
    }
}

void StagedPass::forwardNormalization(std::size_t index, const At& at) const {
    const Operation& o = m_plan.operations[index];
    const SliceStatistics& s = at.slice.statistics[index];
    kernels::Normalization n{nullptr, nullptr, nullptr, o.relu};
    if (o.normalizes()) n = {s.batchMean.data(), s.factor.data(), parameters(o.bias), o.relu};
    const kernels::ConstPixels addend = o.addend < 0 ? kernels::ConstPixels{} : constValue(o.addend, at.sample);
    kernels::normalizationForward(sizeOf(m_plan.out(o)), n, constValue(o.input, at.sample), addend,
                                  value(o.output, at.sample));
}

kernels::NormalizationGradient StagedPass::opened(const Operation& o, const At& at) const {
    const kernels::MutablePixels g = gradient(o.output, at);
    return {constValue(o.input, at.sample), constValue(o.output, at.sample), {g.first, g.rowStride}, o.relu};
}

void StagedPass::measureGradient(std::size_t index, const At& at) const {
    const Operation& o = m_plan.operations[index];
    SliceStatistics& s = at.slice.statistics[index];
    const kernels::ImageSize size = sizeOf(m_plan.out(o));
    const kernels::NormalizationGradient g = opened(o, at);
    kernels::normalizationSums(size, g, s.batchMean.data(), s.first.data(), s.second.data());
    for (std::size_t c = 0; c < s.gradients.size(); ++c) {
        s.gradients[c] += double{s.first[c]};
        s.products[c] += double{s.second[c]};
    }
    if (o.addend >= 0 && m_plan.tensors[static_cast<std::size_t>(o.addend)].hasGradient)
        kernels::openGradient(size, g, gradient(o.addend, at), o.addsToAddend);
}

void StagedPass::leaveNormalizationGradient(std::size_t index, StagedSlice& slice) const {
    const Operation& o = m_plan.operations[index];
    const SliceStatistics& s = slice.statistics[index];
    float* scale = slice.gradient.data() + o.sliceGradient;
    float* shift = scale + s.gradients.size();
    for (std::size_t c = 0; c < s.gradients.size(); ++c) {
        scale[c] = static_cast<float>(s.products[c] * s.inverse[c]);
        shift[c] = static_cast<float>(s.gradients[c]);
    }
}

void StagedPass::useGradientMeans(std::size_t index, StagedSlice& slice) const {
    SliceStatistics& s = slice.statistics[index];
    for (std::size_t c = 0; c < s.gradients.size(); ++c) {
        double count = 0, gradients = 0, products = 0;
        for (int other = 0; other < sliceCount(); ++other) {
            const SliceStatistics& share = m_memory.slices[static_cast<std::size_t>(other)].statistics[index];
            count += share.count;
            gradients += share.gradients[c];
            products += share.products[c];
        }
        s.first[c] = static_cast<float>(gradients / count);
        s.second[c] = static_cast<float>(products / count * double{s.inverse[c]} * double{s.inverse[c]});
    }
}

void StagedPass::observeStatistics(std::size_t index, std::span<float> gradient) const {
    const Operation& o = m_plan.operations[index];
    const std::span slices = std::span(m_memory.slices).first(static_cast<std::size_t>(sliceCount()));
    for (std::size_t c = 0; c < slices.front().statistics[index].mean.size(); ++c) {
        const Moments batch = momentsOf(slices, index, c);
        gradient[o.mean + c] = static_cast<float>(batch.mean);
        gradient[o.variance + c] = static_cast<float>(batch.unbiasedVariance());
    }
}

}  // namespace lockstep
