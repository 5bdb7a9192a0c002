#include "nn/round_pass.h"

#include <algorithm>

namespace lockstep {

Round Round::at(int batch, int index) {
    const int first = index * Workspace::kRoundSamples;
    return {first, std::min(Workspace::kRoundSamples, batch - first)};
}

RoundPass::Samples RoundPass::samplesOf(const Round& round, int slice) {
    const int slices = sliceCount(round.count);
    const int first = round.count * slice / slices;
    return {first, round.count * (slice + 1) / slices - first, round.first + first};
}

const float* RoundPass::pixels(int inBatch) const {
    return m_batch.images.data() + static_cast<std::size_t>(inBatch) * m_plan.spec.input.elements();
}

const float* RoundPass::denseInput(std::size_t step, const Samples& samples) const {
    if (step == 0 && m_plan.startsSparse()) return pixels(samples.inBatch);
    return m_memory.denseInputs[step].data() + static_cast<std::size_t>(samples.first) * m_plan.dense[step].inputs;
}

void RoundPass::prepare(bool forGradient) const {
    for (std::size_t i = 0; i < m_plan.images.size(); ++i) {
        const kernels::Convolution* c = m_plan.images[i].convolution();
        if (c == nullptr) continue;
        const float* from = weights(m_plan.images[i].weights);
        const int packed = c->packedOutputs();
        for (int t = 0; t < c->taps(); ++t, from += c->outChannels) {
            std::copy_n(from, c->outChannels,
                        m_memory.packedWeights[i].data() + static_cast<std::ptrdiff_t>(t) * packed);
            if (!forGradient || i == 0) continue;
            float* transposed = m_memory.transposedWeights[i].data() + t;
            for (int o = 0; o < c->outChannels; ++o) transposed[static_cast<std::ptrdiff_t>(o) * c->taps()] = from[o];
        }
        std::copy_n(weights(m_plan.images[i].bias), c->outChannels, m_memory.packedBias[i].data());
    }
    if (m_plan.startsSparse()) {
        const DenseStep& step = m_plan.dense.front();
        const kernels::SparseDense layer{step.inputs, step.outputs, m_plan.spec.input.channels, m_plan.scale.data(),
                                         m_plan.shift.data()};
        kernels::sparseDenseConstant(layer, weights(step.weights), weights(step.bias), m_memory.sparseConstant.data());
    }
    std::ranges::fill(m_memory.scores, SliceScore{});
}

float* RoundPass::imageOutput(std::size_t step, int sample) const {
    const std::size_t next = step + 1;
    const auto index = static_cast<std::size_t>(sample);
    if (next == m_plan.images.size()) return m_memory.denseInputs.front().data() + index * m_plan.dense.front().inputs;
    const ImageStep& reader = m_plan.images[next];
    return m_memory.imageInputs[next].data() + index * reader.inputElements() + reader.inputOrigin();
}

void RoundPass::forwardImage(const Samples& samples, int index) const {
    const int sample = samples.first + index;
    const float* image = pixels(samples.inBatch + index);
    const auto at = static_cast<std::size_t>(sample);
    if (m_plan.images.empty()) {
        if (m_plan.startsSparse()) return;
        const int row = m_plan.spec.input.widthPx * m_plan.spec.input.channels;
        return m_plan.standardize(image, m_memory.denseInputs[0].data() + at * m_plan.dense[0].inputs, row);
    }
    const ImageStep& first = m_plan.images.front();
    m_plan.standardize(image, m_memory.imageInputs[0].data() + at * first.inputElements() + first.inputOrigin(),
                       first.inputRowStride());
    for (std::size_t i = 0; i < m_plan.images.size(); ++i) {
        const ImageStep& step = m_plan.images[i];
        const float* input = m_memory.imageInputs[i].data() + at * step.inputElements();
        std::uint8_t* place = m_memory.places[i].data() + at * step.outputElements();
        if (const kernels::Convolution* c = step.convolution()) {
            kernels::convolutionForward(*c, input, m_memory.packedWeights[i].data(), m_memory.packedBias[i].data(),
                                        imageOutput(i, sample), place);
        } else {
            kernels::poolingForward(std::get<kernels::Pooling>(step.kernel), input, imageOutput(i, sample), place);
        }
    }
}

void RoundPass::forwardDense(const Samples& samples, SliceMemory& slice) const {
    for (std::size_t d = 0; d < m_plan.dense.size(); ++d) {
        const DenseStep& step = m_plan.dense[d];
        const bool last = d + 1 == m_plan.dense.size();
        float* output = (last ? m_memory.logits : m_memory.denseInputs[d + 1]).data() +
                        static_cast<std::size_t>(samples.first) * step.outputs;
        const float* input = denseInput(d, samples);
        if (step.sparse) {
            const kernels::SparseDense layer{step.inputs, step.outputs, m_plan.spec.input.channels, m_plan.scale.data(),
                                             m_plan.shift.data()};
            kernels::sparseDenseForward(layer, samples.count, input, weights(step.weights),
                                        m_memory.sparseConstant.data(), step.relu, output);
        } else {
            kernels::denseForward({step.inputs, step.outputs, weights(step.weights), weights(step.bias), step.relu},
                                  samples.count, input, output, slice.denseScratch.data());
        }
    }
}

void RoundPass::backwardDense(const Samples& samples) const {
    const auto first = static_cast<std::size_t>(samples.first);
    for (std::size_t d = m_plan.dense.size(); d-- > 0;) {
        if (d == 0 && m_plan.images.empty()) return;
        const DenseStep& step = m_plan.dense[d];
        kernels::Product product{};
        product.rows = samples.count;
        product.columns = step.inputs;
        product.inner = step.outputs;
        product.a = m_memory.denseGradients[d].data() + first * step.outputs;
        product.rowStride = step.outputs;
        product.innerStride = 1;
        product.b = weights(step.weights);
        product.result = (d == 0 ? m_memory.flatGradient : m_memory.denseGradients[d - 1]).data() + first * step.inputs;
        if (d > 0 && m_plan.dense[d - 1].relu) product.mask = denseInput(d, samples);
        kernels::product(product);
    }
}

void RoundPass::backwardImage(int sample, SliceMemory& slice) const {
    const auto at = static_cast<std::size_t>(sample);
    const float* outputGradient = m_memory.flatGradient.data() + at * m_plan.dense.front().inputs;
    for (std::size_t i = m_plan.images.size(); i-- > 0;) {
        const ImageStep& step = m_plan.images[i];
        float* inputGradient = i > 0 ? slice.inputGradients[i].data() : nullptr;
        const float* output = imageOutput(i, sample);
        const std::uint8_t* place = m_memory.places[i].data() + at * step.outputElements();
        if (const kernels::Convolution* c = step.convolution()) {
            const float* transposed = i > 0 ? m_memory.transposedWeights[i].data() : nullptr;
            kernels::convolutionBackward(*c, {m_memory.imageInputs[i].data() + at * step.inputElements(), output,
                                              outputGradient, place, transposed, slice.weightGradients[i].data(),
                                              slice.biasGradients[i].data(), inputGradient, slice.list.data()});
        } else if (inputGradient != nullptr) {
            kernels::poolingBackward(std::get<kernels::Pooling>(step.kernel), output, outputGradient, place,
                                     inputGradient);
        }
        if (i > 0) outputGradient = inputGradient + step.inputOrigin();
    }
}

void RoundPass::runSlice(const Round& round, int sliceIndex) const {
    SliceMemory& slice = m_memory.slices[static_cast<std::size_t>(sliceIndex)];
    const Samples samples = samplesOf(round, sliceIndex);
    for (std::size_t i = 0; i < m_plan.images.size(); ++i) {
        std::fill(slice.weightGradients[i].begin(), slice.weightGradients[i].end(), 0.0F);
        std::fill(slice.biasGradients[i].begin(), slice.biasGradients[i].end(), 0.0F);
    }
    for (int s = 0; s < samples.count; ++s) {
        if (m_stop.stop_requested()) return;
        forwardImage(samples, s);
    }
    forwardDense(samples, slice);
    const auto classes = static_cast<std::size_t>(m_plan.classes());
    const auto at = static_cast<std::size_t>(samples.first) * classes;
    SliceScore& score = m_memory.scores[static_cast<std::size_t>(sliceIndex)];
    score.loss += kernels::softmaxCrossEntropy(samples.count, m_plan.classes(), m_memory.logits.data() + at,
                                               m_batch.labels.data() + samples.inBatch,
                                               1.0F / static_cast<float>(m_batch.labels.size()),
                                               m_memory.denseGradients.back().data() + at, nullptr, &score.correct);
    backwardDense(samples);
    if (m_plan.images.empty()) return;
    for (int s = 0; s < samples.count; ++s) {
        if (m_stop.stop_requested()) return;
        backwardImage(samples.first + s, slice);
    }
}

void RoundPass::evaluateSlice(const Round& round, int sliceIndex, std::span<std::uint8_t> predictions) const {
    SliceMemory& slice = m_memory.slices[static_cast<std::size_t>(sliceIndex)];
    const Samples samples = samplesOf(round, sliceIndex);
    for (int s = 0; s < samples.count; ++s) {
        if (m_stop.stop_requested()) return;
        forwardImage(samples, s);
    }
    forwardDense(samples, slice);
    const float* logits = m_memory.logits.data() + static_cast<std::size_t>(samples.first) * m_plan.classes();
    SliceScore& score = m_memory.scores[static_cast<std::size_t>(sliceIndex)];
    score.loss += kernels::softmaxCrossEntropy(
        samples.count, m_plan.classes(), logits, m_batch.labels.data() + samples.inBatch, 1.0F, nullptr,
        predictions.empty() ? nullptr : predictions.data() + samples.inBatch, &score.correct);
}

void RoundPass::gatherDense(const Round& round, std::size_t d, int part, std::span<float> gradient) const {
    const DenseStep& step = m_plan.dense[d];
    const bool accumulate = round.first > 0;
    const Samples all{0, round.count, round.first};
    const float* outputGradient = m_memory.denseGradients[d].data();
    const int rows = step.sparse ? step.inputs : step.outputs;
    const int first = rows * part / kWeightParts;
    const int last = rows * (part + 1) / kWeightParts;
    if (step.sparse) {
        // Every part needs the bias' gradient of this round alone; it is small.
        FloatVector bias(static_cast<std::size_t>(step.outputs));
        kernels::columnSums(round.count, step.outputs, outputGradient, bias.data(), false);
        const kernels::SparseDense layer{step.inputs, step.outputs, m_plan.spec.input.channels, m_plan.scale.data(),
                                         m_plan.shift.data()};
        kernels::sparseDenseBackward(layer, first, last, round.count, denseInput(d, all), outputGradient, bias.data(),
                                     gradient.data() + step.weights, accumulate);
    } else if (first < last) {
        kernels::Product product{};
        product.rows = last - first;
        product.columns = step.inputs;
        product.inner = round.count;
        product.a = outputGradient + first;
        product.rowStride = 1;
        product.innerStride = step.outputs;
        product.b = denseInput(d, all);
        product.result = gradient.data() + step.weights + static_cast<std::size_t>(first) * step.inputs;
        product.accumulate = accumulate;
        kernels::product(product);
    }
    if (part == 0)
        kernels::columnSums(round.count, step.outputs, outputGradient, gradient.data() + step.bias, accumulate);
}

void RoundPass::gatherConvolution(const Round& round, std::size_t i, std::span<float> gradient) const {
    const kernels::Convolution& c = *m_plan.images[i].convolution();
    float* weightGradient = gradient.data() + m_plan.images[i].weights;
    float* biasGradient = gradient.data() + m_plan.images[i].bias;
    for (int s = 0; s < sliceCount(round.count); ++s) {
        const SliceMemory& slice = m_memory.slices[static_cast<std::size_t>(s)];
        const bool overwrite = round.first == 0 && s == 0;
        const float* from = slice.weightGradients[i].data();
        for (int o = 0; o < c.outChannels; ++o) {
            float* to = weightGradient + o;
            for (int t = 0; t < c.taps(); ++t, to += c.outChannels) *to = overwrite ? *from++ : *to + *from++;
            const float bias = slice.biasGradients[i][static_cast<std::size_t>(o)];
            biasGradient[o] = overwrite ? bias : biasGradient[o] + bias;
        }
    }
}

void RoundPass::gatherWeights(const Round& round, int part, std::span<float> gradient) const {
    for (std::size_t d = 0; d < m_plan.dense.size(); ++d) {
        if (m_stop.stop_requested()) return;
        gatherDense(round, d, part, gradient);
    }
    for (std::size_t i = 0; i < m_plan.images.size(); ++i)
        if (m_plan.images[i].convolution() != nullptr && static_cast<int>(i) % kWeightParts == part)
            gatherConvolution(round, i, gradient);
}

}  // namespace lockstep
