#include <QTest>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "nn/float_vector.h"
#include "nn/kernels/kernels.h"

using namespace lockstep;
using nlohmann::json;

namespace {

FloatVector floats(const json& values) {
    FloatVector result;
    for (const json& value : values) result.push_back(value.get<float>());
    return result;
}

/// Equal to rounding: sums of at most a few hundred terms of size 1.
bool close(const FloatVector& values, const json& expected) {
    if (values.size() != expected.size()) return false;
    for (std::size_t i = 0; i < values.size(); ++i)
        if (!(std::abs(values[i] - expected[i].get<double>()) < 2e-5 * (1 + std::abs(expected[i].get<double>()))))
            return false;
    return true;
}

/// Moves an image [height x width x channels] into or out of one with a zero border.
struct Border {
    int height, width, channels, padding;

    std::size_t at(int y, int x) const {
        return static_cast<std::size_t>(((y + padding) * (width + 2 * padding) + x + padding) * channels);
    }
    FloatVector add(const FloatVector& image) const {
        FloatVector result(static_cast<std::size_t>((height + 2 * padding) * (width + 2 * padding) * channels));
        for (int y = 0; y < height; ++y)
            for (int x = 0; x < width; ++x)
                std::copy_n(image.begin() + (y * width + x) * channels, channels, result.begin() + at(y, x));
        return result;
    }
    FloatVector remove(const FloatVector& padded) const {
        FloatVector result;
        for (int y = 0; y < height; ++y)
            for (int x = 0; x < width; ++x)
                result.insert(result.end(), padded.begin() + at(y, x), padded.begin() + at(y, x) + channels);
        return result;
    }
};

FloatVector transposed(const FloatVector& matrix, int rows, int columns) {
    FloatVector result;
    for (int column = 0; column < columns; ++column)
        for (int row = 0; row < rows; ++row) result.push_back(matrix[row * columns + column]);
    return result;
}

}  // namespace

/// System: each kernel by itself. Expectation: values and gradients computed independently with NumPy in double
/// (tests/data/nn/make_layer_fixtures.py).
class TestLayers : public QObject {
    Q_OBJECT

    json m_fixtures;

    /// One sample of a batch that lies without gaps.
    static kernels::ConstPixels sample(const FloatVector& batch, const kernels::ImageSize& size, int index) {
        const int row = size.width * size.channels;
        return {batch.data() + index * size.height * row, row};
    }
    static kernels::MutablePixels sample(FloatVector& batch, const kernels::ImageSize& size, int index) {
        const int row = size.width * size.channels;
        return {batch.data() + index * size.height * row, row};
    }

    static void checkNormalization(const json& f) {
        const kernels::ImageSize size{f["height"], f["width"], f["channels"]};
        const int samples = f["samples"];
        const auto channels = static_cast<std::size_t>(size.channels);
        const float pixels = static_cast<float>(size.height * size.width), n = pixels * static_cast<float>(samples);
        const FloatVector x = floats(f["x"]), addend = floats(f["addend"]), mean = floats(f["mean"]);
        const FloatVector shift = floats(f["shift"]), gradient = floats(f["gradient"]);
        FloatVector inverse = floats(f["variance"]), factor = floats(f["scale"]);
        for (std::size_t c = 0; c < channels; ++c) factor[c] *= inverse[c] = 1 / std::sqrt(inverse[c] + 1e-5F);
        FloatVector y(x.size()), opened(x.size()), inputGradient(x.size(), 1.0F), means(channels), variance(channels);
        FloatVector sum(channels), product(channels), sums(channels), products(channels), own(channels),
            squares(channels);
        const auto addendOf = [&](int s) {
            return f["add"].get<bool>() ? sample(addend, size, s) : kernels::ConstPixels{};
        };
        const auto gradientOf = [&](int s) {
            return kernels::NormalizationGradient{sample(x, size, s), sample(std::as_const(y), size, s),
                                                  sample(gradient, size, s), f["relu"]};
        };
        for (int s = 0; s < samples; ++s) {
            kernels::normalizationForward(size, {mean.data(), factor.data(), shift.data(), f["relu"]},
                                          sample(x, size, s), addendOf(s), sample(y, size, s));
            kernels::channelMoments(size, sample(x, size, s), own.data(), squares.data());
            kernels::openGradient(size, gradientOf(s), sample(opened, size, s), false);
            kernels::normalizationSums(size, gradientOf(s), mean.data(), sum.data(), product.data());
            for (std::size_t c = 0; c < channels; ++c) {
                means[c] += own[c] / static_cast<float>(samples);
                variance[c] +=
                    (squares[c] / pixels + (own[c] - mean[c]) * (own[c] - mean[c])) / static_cast<float>(samples);
                sums[c] += sum[c];
                products[c] += product[c] * inverse[c];
            }
        }
        QVERIFY(close(y, f["y"]));
        QVERIFY(close(means, f["mean"]));
        QVERIFY(close(variance, f["variance"]));
        QVERIFY(close(opened, f["opened"]));
        QVERIFY(close(sums, f["shift_gradient"]));
        QVERIFY(close(products, f["scale_gradient"]));
        for (std::size_t c = 0; c < channels; ++c) {
            sums[c] /= n;
            products[c] *= inverse[c] / n;
        }
        for (int s = 0; s < samples; ++s)
            kernels::normalizationBackward(size, gradientOf(s),
                                           {mean.data(), factor.data(), sums.data(), products.data()},
                                           sample(inputGradient, size, s), true);
        for (float& value : inputGradient) value -= 1.0F;  // it was added
        QVERIFY(close(inputGradient, f["input_gradient"]));
    }

private slots:
    void initTestCase() {
        std::ifstream file(LOCKSTEP_SOURCE_DIR "/tests/data/nn/layers.json");
        QVERIFY(file.good());
        m_fixtures = json::parse(file);
    }

    void convolution() {
        for (const json& f : m_fixtures["convolution"]) {
            kernels::Convolution shape{f["height"], f["width"], f["inputs"], f["outputs"],
                                       f["kernel"], f["pool"],  f["relu"],   0};
            shape.outputRowStride = shape.outputWidth() * shape.outChannels;
            const Border border{shape.height, shape.width, shape.inChannels, shape.padding()};
            const FloatVector input = border.add(floats(f["x"]));
            const FloatVector weights = floats(f["weights"]);
            FloatVector packed(static_cast<std::size_t>(shape.taps() * shape.packedOutputs()));
            for (int t = 0; t < shape.taps(); ++t)
                std::copy_n(weights.begin() + t * shape.outChannels, shape.outChannels,
                            packed.begin() + t * shape.packedOutputs());
            FloatVector bias = floats(f["bias"]);
            bias.resize(static_cast<std::size_t>(shape.packedOutputs()));
            FloatVector output(static_cast<std::size_t>(shape.outputElements()));
            std::vector<std::uint8_t> place(output.size());
            kernels::convolutionForward(shape, input.data(), packed.data(), bias.data(), output.data(), place.data());
            QVERIFY(close(output, f["y"]));

            const FloatVector gradient = floats(f["gradient"]);
            const FloatVector turned = transposed(weights, shape.taps(), shape.outChannels);
            FloatVector inputGradient(input.size(), 7.0F);
            std::vector<kernels::PlacedGradient> list(kernels::backwardListEntries(shape));
            for (float* wanted : {inputGradient.data(), static_cast<float*>(nullptr)}) {
                FloatVector weightGradient(weights.size()), biasGradient(static_cast<std::size_t>(shape.outChannels));
                kernels::convolutionBackward(shape,
                                             {input.data(), output.data(), gradient.data(), place.data(), turned.data(),
                                              weightGradient.data(), biasGradient.data(), wanted, list.data()});
                QVERIFY(close(transposed(weightGradient, shape.outChannels, shape.taps()), f["weight_gradient"]));
                QVERIFY(close(biasGradient, f["bias_gradient"]));
            }
            QVERIFY(close(border.remove(inputGradient), f["input_gradient"]));
        }
    }

    void stridesAndDenseGradients() {
        for (const json& f : m_fixtures["strided"]) {
            kernels::Convolution shape{f["height"], f["width"], f["inputs"], f["outputs"], f["kernel"]};
            shape.stride = f["stride"];
            shape.extraBorder = f["extra_border"];
            shape.outputRowStride = shape.outputWidth() * shape.outChannels;
            const int padding = shape.padding() + shape.extraBorder;
            const Border border{shape.height, shape.width, shape.inChannels, padding};
            const FloatVector input = border.add(floats(f["x"])), weights = floats(f["weights"]);
            const float* window = input.data() + shape.extraBorder * (shape.inputRowStride() + shape.inChannels);
            FloatVector packed(static_cast<std::size_t>(shape.taps() * shape.packedOutputs()));
            for (int t = 0; t < shape.taps(); ++t)
                std::copy_n(weights.begin() + t * shape.outChannels, shape.outChannels,
                            packed.begin() + t * shape.packedOutputs());
            FloatVector bias = floats(f["bias"]), output(static_cast<std::size_t>(shape.outputElements()));
            bias.resize(static_cast<std::size_t>(shape.packedOutputs()));
            std::vector<std::uint8_t> place(output.size());
            kernels::convolutionForward(shape, window, packed.data(), bias.data(), output.data(), place.data());
            QVERIFY(close(output, f["y"]));

            const FloatVector gradient = floats(f["gradient"]);
            FloatVector weightGradient(weights.size()), inputGradient(input.size(), 7.0F);
            FloatVector scratch(static_cast<std::size_t>(shape.outputWidth() * shape.taps()));
            kernels::convolutionWeightGradient(shape, window, gradient.data(), weightGradient.data());
            QVERIFY(close(weightGradient, f["weight_gradient"]));
            kernels::convolutionInputGradient(shape, gradient.data(),
                                              transposed(weights, shape.taps(), shape.outChannels).data(),
                                              scratch.data(), inputGradient.data());
            QVERIFY(close(border.remove(inputGradient), f["input_gradient"]));
        }
    }

    void normalization() {
        for (const json& f : m_fixtures["normalization"]) checkNormalization(f);
    }

    void pooling() {
        for (const json& f : m_fixtures["pooling"]) {
            kernels::Pooling shape{f["height"], f["width"], f["channels"], f["window"], f["relu"], 0};
            shape.outputRowStride = shape.outputWidth() * shape.channels;
            const FloatVector input = floats(f["x"]), gradient = floats(f["gradient"]);
            FloatVector output(gradient.size()), inputGradient(input.size(), 7.0F);
            std::vector<std::uint8_t> place(output.size());
            kernels::poolingForward(shape, input.data(), output.data(), place.data());
            QVERIFY(close(output, f["y"]));
            kernels::poolingBackward(shape, output.data(), gradient.data(), place.data(), inputGradient.data());
            QVERIFY(close(inputGradient, f["input_gradient"]));
        }
    }

    void dense() {
        for (const json& f : m_fixtures["dense"]) {
            const int samples = f["samples"], inputs = f["inputs"], outputs = f["outputs"];
            const FloatVector x = floats(f["x"]), weights = floats(f["weights"]), bias = floats(f["bias"]);
            const FloatVector gradient = floats(f["gradient"]);
            FloatVector y(gradient.size()), inputGradient(x.size()), weightGradient(weights.size()), sums(bias.size());
            FloatVector scratch(kernels::denseScratch(inputs, outputs));
            kernels::denseForward({inputs, outputs, weights.data(), bias.data(), f["relu"]}, samples, x.data(),
                                  y.data(), scratch.data());
            QVERIFY(close(y, f["y"]));
            kernels::Product back{samples, inputs, outputs, gradient.data(), outputs, 1, weights.data(), nullptr};
            back.result = inputGradient.data();
            kernels::product(back);
            QVERIFY(close(inputGradient, f["input_gradient"]));
            kernels::Product outer{outputs, inputs, samples, gradient.data(), 1, outputs, x.data(), nullptr};
            outer.result = weightGradient.data();
            kernels::product(outer);
            QVERIFY(close(weightGradient, f["weight_gradient"]));
            kernels::columnSums(samples, outputs, gradient.data(), sums.data(), false);
            QVERIFY(close(sums, f["bias_gradient"]));
        }
    }

    void denseThatSkipsZeros() {
        for (const json& f : m_fixtures["sparse_dense"]) {
            const int samples = f["samples"];
            const FloatVector x = floats(f["x"]), weights = floats(f["weights"]), bias = floats(f["bias"]);
            const FloatVector scale = floats(f["scale"]), shift = floats(f["shift"]), gradient = floats(f["gradient"]);
            const kernels::SparseDense layer{f["inputs"], f["outputs"], f["channels"], scale.data(), shift.data()};
            FloatVector constant(bias.size()), y(gradient.size()), weightGradient(weights.size());
            kernels::sparseDenseConstant(layer, weights.data(), bias.data(), constant.data());
            kernels::sparseDenseForward(layer, samples, x.data(), weights.data(), constant.data(), false, y.data());
            QVERIFY(close(y, f["y"]));
            const FloatVector biasGradient = floats(f["bias_gradient"]);
            kernels::sparseDenseBackward(layer, 0, layer.inputs, samples, x.data(), gradient.data(),
                                         biasGradient.data(), weightGradient.data(), false);
            QVERIFY(close(weightGradient, f["weight_gradient"]));
        }
    }

    void softmax() {
        for (const json& f : m_fixtures["softmax"]) {
            const int samples = f["samples"];
            const FloatVector logits = floats(f["logits"]);
            const std::vector<std::uint8_t> labels = f["labels"];
            FloatVector gradient(logits.size());
            std::vector<std::uint8_t> predictions(labels.size());
            int correct = 0;
            const double loss = kernels::softmaxCrossEntropy(samples, f["classes"], logits.data(), labels.data(),
                                                             1.0F / static_cast<float>(samples), gradient.data(),
                                                             predictions.data(), &correct);
            QVERIFY(std::abs(loss - f["loss"].get<double>()) < 1e-5 * (1 + loss));
            QVERIFY(close(gradient, f["gradient"]));
            QCOMPARE(predictions, f["predictions"].get<std::vector<std::uint8_t>>());
        }
    }
};

QTEST_GUILESS_MAIN(TestLayers)
#include "test_layers.moc"
