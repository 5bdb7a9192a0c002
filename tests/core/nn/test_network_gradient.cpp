#include <QTest>

#include <cmath>
#include <numeric>

#include "core/nn/reference_network.h"
#include "nn/network.h"

using namespace lockstep;

namespace {

NetworkSpec spec(ImageShape input, std::vector<LayerSpec> layers) {
    NetworkSpec result{input, std::move(layers), {}};
    for (int c = 0; c < input.channels; ++c) {
        result.standardization.mean.push_back(0.25F + 0.1F * static_cast<float>(c));
        result.standardization.deviation.push_back(0.4F - 0.05F * static_cast<float>(c));
    }
    return result;
}

struct Case {
    Network network;
    FloatVector parameters, images;
    std::vector<std::uint8_t> labels;
    LabelledBatch batch() const { return {images, labels}; }
};

/// Biases are made non-zero too; half the pixels are zero.
Case makeCase(const NetworkSpec& spec, int samples) {
    Case result{Network::build(spec).value(), {}, {}, {}};
    RandomStream stream(3, RandomPurpose::Test);
    result.parameters.resize(result.network.parameterCount());
    result.network.initialize(result.parameters, stream);
    for (float& parameter : result.parameters)
        if (parameter == 0.0F) parameter = 0.1F * stream.nextFloat() - 0.05F;
    for (int i = 0; i < samples * spec.input.elements(); ++i)
        result.images.push_back(std::max(0.0F, 2.0F * stream.nextFloat() - 1.0F));
    for (int i = 0; i < samples; ++i)
        result.labels.push_back(static_cast<std::uint8_t>(stream.nextBelow(result.network.classes())));
    return result;
}

const LayerSpec kRelu{LayerType::Relu};
const LayerSpec kNorm{LayerType::BatchNorm};
const LayerSpec kAverage{LayerType::GlobalAveragePool};
LayerSpec conv(int outputs, int kernel, int stride = 1) { return {LayerType::Convolution, outputs, kernel, stride}; }
LayerSpec block(std::vector<LayerSpec> layers) { return {.type = LayerType::Residual, .block = std::move(layers)}; }
LayerSpec pool(int window) { return {LayerType::MaxPool, 0, window}; }
LayerSpec dense(int outputs) { return {LayerType::Dense, outputs}; }

}  // namespace

Q_DECLARE_METATYPE(lockstep::NetworkSpec)

/// System: networks that put each layer, each fusion and each odd shape through the kernels. Expectation: the loss and
/// its gradient agree with an independent implementation in double, the gradient by central differences.
class TestNetworkGradient : public QObject {
    Q_OBJECT

    /// Networks that go batch by batch.
    static void addStagedRows() {
        QTest::newRow("residual-cnn") << residualCnnSpec(8, 1, 10) << 3;
        QTest::newRow("residual-cnn, odd side, 3 channels") << residualCnnSpec(9, 3, 4) << 2;
        QTest::newRow("many slices") << spec({6, 6, 1}, {conv(4, 3), kNorm, kRelu, block({conv(6, 3, 2), kNorm}),
                                                         kAverage, dense(3)})
                                     << 67;
        QTest::newRow("batch normalization first, then ReLU")
            << spec({6, 6, 2}, {kNorm, kRelu, conv(16, 3), kNorm, pool(2), kRelu, dense(3)}) << 4;
        QTest::newRow("batch normalization of other channel counts")
            << spec({7, 5, 1}, {conv(21, 5), kNorm, kRelu, conv(3, 1), kNorm, dense(4)}) << 5;
        QTest::newRow("batch normalization of dense layers")
            << spec({4, 4, 1}, {dense(20), kNorm, kRelu, dense(7), kNorm, dense(3)}) << 6;
        QTest::newRow("strides, average pooling, no normalization")
            << spec({9, 8, 3}, {conv(16, 3, 2), kRelu, conv(20, 5, 2), kAverage, kRelu, dense(18), kRelu, dense(3)})
            << 3;
        QTest::newRow("convolutions straight into each other and into dense")
            << spec({7, 6, 1}, {conv(4, 3), kRelu, conv(17, 3), conv(5, 3, 2), conv(6, 3), dense(3), kNorm, dense(2)})
            << 3;
        QTest::newRow("block without normalization")
            << spec({6, 6, 1}, {conv(4, 3), block({conv(4, 3), kRelu, conv(4, 3)}), dense(3)}) << 3;
        QTest::newRow("block that pools and widens")
            << spec({8, 8, 1}, {conv(4, 3), kRelu, block({pool(2), conv(9, 3), kNorm}), kAverage, dense(3)}) << 3;
        QTest::newRow("block that begins with normalization and ReLU")
            << spec({6, 6, 1},
                    {conv(5, 3), block({kNorm, kRelu, conv(5, 3)}), block({kRelu, conv(8, 3, 2), kRelu}), dense(3)})
            << 4;
        QTest::newRow("block of one normalization, block on the images")
            << spec({5, 5, 3}, {block({conv(3, 3), kNorm}), block({kNorm}), conv(4, 3), dense(3)}) << 4;
        QTest::newRow("normalization after a block, two blocks in a row")
            << spec({6, 6, 1},
                    {conv(4, 3), block({conv(4, 3), kNorm, kRelu}), block({conv(6, 1), kNorm}), kNorm, dense(3)})
            << 4;
    }

    static void checkRanges(const NetworkSpec& spec, std::size_t trained, std::size_t all) {
        const Network network = Network::build(spec).value();
        std::size_t next = 0;
        int layer = 0;
        for (const ParameterRange& range : network.parameterRanges()) {
            QCOMPARE(range.offset, next);
            QVERIFY(range.layer >= layer);
            QCOMPARE(range.isStatistics(), range.offset >= trained);
            next += range.count;
            layer = range.layer;
        }
        QCOMPARE(next, network.parameterCount());
        QCOMPARE(network.parameterCount(), all);
        QCOMPARE(network.trainedCount(), trained);
    }

private slots:
    void gradientEqualsFiniteDifferences_data() {
        QTest::addColumn<NetworkSpec>("network");
        QTest::addColumn<int>("samples");
        QTest::newRow("softmax") << softmaxSpec(8, 1, 10) << 3;
        QTest::newRow("softmax, 3 channels") << spec({8, 8, 3}, {dense(10)}) << 5;
        QTest::newRow("dense that skips zeros") << spec({9, 7, 1}, {dense(21), kRelu, dense(5)}) << 6;
        QTest::newRow("dense that skips zeros, 3 channels") << spec({5, 5, 3}, {dense(40), kRelu, dense(4)}) << 4;
        QTest::newRow("mlp, batch of 1") << mlpSpec(8, 1, 10) << 1;
        QTest::newRow("mlp") << mlpSpec(9, 3, 10) << 7;
        QTest::newRow("dense without ReLU") << spec({4, 4, 1}, {dense(16), dense(18), dense(3)}) << 4;
        QTest::newRow("cnn, smallest") << cnnSpec(8, 1, 10) << 3;
        QTest::newRow("cnn, batch of 1") << cnnSpec(8, 1, 10) << 1;
        QTest::newRow("cnn, odd side") << cnnSpec(11, 1, 10) << 2;
        QTest::newRow("cnn, 3 channels, odd after pooling") << cnnSpec(14, 3, 10) << 5;
        QTest::newRow("not square") << spec({6, 9, 1}, {conv(16, 3), kRelu, pool(2), conv(20, 3), pool(2), dense(4)})
                                    << 3;
        QTest::newRow("convolutions without pooling")
            << spec({6, 5, 2}, {conv(16, 3), kRelu, conv(32, 3), conv(16, 3), kRelu, dense(3)}) << 3;
        QTest::newRow("other channel counts")
            << spec({7, 7, 3}, {conv(5, 3), kRelu, pool(2), conv(11, 3), kRelu, conv(48, 1), dense(3)}) << 3;
        QTest::newRow("other kernels") << spec({9, 9, 1},
                                               {conv(16, 5), kRelu, conv(16, 1), pool(2), conv(8, 7), dense(3)})
                                       << 2;
        QTest::newRow("ReLU after pooling") << spec({8, 8, 1}, {conv(16, 3), pool(2), kRelu, dense(3)}) << 3;
        QTest::newRow("pooling by 3, pooling twice, pooling first")
            << spec({30, 30, 1}, {pool(2), conv(16, 3), kRelu, pool(3), conv(16, 3), pool(2), pool(2), kRelu, dense(3)})
            << 3;
        addStagedRows();
    }

    void gradientEqualsFiniteDifferences() {
        QFETCH(NetworkSpec, network);
        QFETCH(int, samples);
        const Case c = makeCase(network, samples);
        Workspace workspace(c.network, samples);
        FloatVector gradient(c.parameters.size(), std::nanf(""));
        const BatchResult result = c.network.lossAndGradient(c.parameters, c.batch(), gradient, workspace);
        QVERIFY(result.complete);
        std::vector<double> parameters(c.parameters.begin(), c.parameters.end());
        const double expectedLoss = reference::loss(network, parameters, c.batch());
        QVERIFY2(std::abs(result.loss - expectedLoss) < 1e-5 * (1 + expectedLoss),
                 qPrintable(QString::number(result.loss - expectedLoss)));

        const std::size_t trained = c.network.trainedCount();
        double norm = 0;
        for (float g : std::span(gradient).first(trained)) norm += double{g} * g;
        const double tolerance = 2e-6 * std::sqrt(norm) + 1e-6;
        RandomStream pick(5, RandomPurpose::Test);
        const int draws = c.network.parameterRanges().size() > 12 ? 4 : 20;
        for (const ParameterRange& range : c.network.parameterRanges())
            for (int i = 0; i < draws && !range.isStatistics(); ++i) {
                const std::size_t at = range.offset + pick.nextBelow(static_cast<std::uint32_t>(range.count));
                constexpr double kStep = 1e-6;
                std::vector<double> moved = parameters;
                moved[at] += kStep;
                const double above = reference::loss(network, moved, c.batch());
                moved[at] = parameters[at] - kStep;
                const double expected = (above - reference::loss(network, moved, c.batch())) / (2 * kStep);
                QVERIFY2(std::abs(gradient[at] - expected) < tolerance + 1e-4 * std::abs(expected),
                         qPrintable(QString("%1[%2]: %3, expected %4")
                                        .arg(range.name.c_str())
                                        .arg(at - range.offset)
                                        .arg(double{gradient[at]})
                                        .arg(expected)));
            }
    }

    /// Statistics: what the batch showed, by the independent implementation.
    void gradientHoldsTheBatchsStatistics() {
        const NetworkSpec network = residualCnnSpec(8, 1, 10);
        const Case c = makeCase(network, 18);
        Workspace workspace(c.network, 18);
        FloatVector gradient(c.parameters.size());
        (void)c.network.lossAndGradient(c.parameters, c.batch(), gradient, workspace);
        const std::vector<double> parameters(c.parameters.begin(), c.parameters.end());
        const std::vector<double> expected = reference::observedStatistics(network, parameters, c.batch());
        const std::size_t trained = c.network.trainedCount();
        QCOMPARE(expected.size(), gradient.size() - trained);
        for (std::size_t i = 0; i < expected.size(); ++i)
            QVERIFY(std::abs(gradient[trained + i] - expected[i]) < 1e-5 + 1e-5 * std::abs(expected[i]));
    }

    /// Running statistics that are not the batch's; batches of one sample, as nothing couples samples any more.
    void evaluationUsesRunningStatistics() {
        const NetworkSpec network = residualCnnSpec(8, 1, 10);
        Case c = makeCase(network, 21);
        RandomStream stream(9, RandomPurpose::Test);
        for (const ParameterRange& range : c.network.parameterRanges())
            for (std::size_t i = 0; range.isStatistics() && i < range.count; ++i)
                c.parameters[range.offset + i] = stream.nextFloat() + 0.25F;
        const std::vector<double> parameters(c.parameters.begin(), c.parameters.end());
        const double expected = reference::loss(network, parameters, c.batch(), false);
        for (const Workspace::Use use : {Workspace::Use::Gradient, Workspace::Use::Evaluation}) {
            Workspace workspace(c.network, 21, use);
            std::vector<std::uint8_t> predictions(21);
            const BatchResult tested = c.network.evaluate(c.parameters, c.batch(), predictions, workspace);
            QVERIFY(tested.complete);
            QVERIFY(std::abs(tested.loss - expected) < 1e-5 * (1 + expected));
            double singly = 0;
            for (std::size_t s = 0; s < 21; ++s) {
                const LabelledBatch one{std::span(c.images).subspan(s * 64, 64), std::span(c.labels).subspan(s, 1)};
                singly += c.network.evaluate(c.parameters, one, {}, workspace).loss / 21;
            }
            QVERIFY(std::abs(singly - expected) < 1e-5 * (1 + expected));
            int correct = 0;
            for (std::size_t i = 0; i < predictions.size(); ++i) correct += predictions[i] == c.labels[i];
            QCOMPARE(correct, tested.correct);
        }
    }

    /// From 1 to 3 by a tenth of the way.
    void statisticsMoveByATenth() {
        FloatVector statistics{1.0F, -2.0F};
        updateStatistics(statistics, FloatVector{3.0F, -2.0F});
        QVERIFY(std::abs(statistics[0] - 1.2F) < 1e-6F);
        QCOMPARE(statistics[1], -2.0F);
    }

    void rangesCoverTheVector() {
        // 9*16 + 16 + 144*32 + 32 + 1568*128 + 128 + 1280 + 10
        checkRanges(cnnSpec(28, 1, 10), 206922, 206922);
        // Convolutions 144, 2 * 2304, 4608 + 9216, 18432 + 36864; shortcuts 512, 2048; dense 650; normalized channels
        // 3 * 16 + 3 * 32 + 3 * 64 = 336, each with scale and shift, mean and variance.
        checkRanges(residualCnnSpec(28, 1, 10), 77082 + 672, 77082 + 1344);
    }

    /// Evaluation and gradient go through the same forward pass.
    void evaluationAgreesWithTheGradientsLoss() {
        const Case c = makeCase(cnnSpec(12, 1, 10), 150);
        Workspace workspace(c.network, 150);
        FloatVector gradient(c.parameters.size());
        std::vector<std::uint8_t> predictions(150);
        const BatchResult trained = c.network.lossAndGradient(c.parameters, c.batch(), gradient, workspace);
        const BatchResult tested = c.network.evaluate(c.parameters, c.batch(), predictions, workspace);
        QVERIFY(std::abs(trained.loss - tested.loss) < 1e-12);
        QCOMPARE(tested.correct, trained.correct);
        int correct = 0;
        for (std::size_t i = 0; i < predictions.size(); ++i) correct += predictions[i] == c.labels[i];
        QCOMPARE(correct, tested.correct);
    }

    /// A batch's gradient is the mean of its samples' gradients, also across rounds.
    void batchGradientIsTheMeanOverSamples() {
        const int samples = 300;
        const Case c = makeCase(cnnSpec(8, 1, 10), samples);
        Workspace workspace(c.network, samples);
        FloatVector whole(c.parameters.size()), one(c.parameters.size());
        std::vector<double> mean(c.parameters.size(), 0.0);
        (void)c.network.lossAndGradient(c.parameters, c.batch(), whole, workspace);
        const std::size_t pixels = 64;
        for (std::size_t s = 0; s < samples; ++s) {
            const LabelledBatch single{std::span(c.images).subspan(s * pixels, pixels),
                                       std::span(c.labels).subspan(s, 1)};
            (void)c.network.lossAndGradient(c.parameters, single, one, workspace);
            for (std::size_t i = 0; i < one.size(); ++i) mean[i] += double{one[i]} / samples;
        }
        double difference = 0, norm = 0;
        for (std::size_t i = 0; i < mean.size(); ++i) {
            difference += std::pow(mean[i] - whole[i], 2);
            norm += mean[i] * mean[i];
        }
        QVERIFY2(std::sqrt(difference / norm) < 1e-5, qPrintable(QString::number(std::sqrt(difference / norm))));
    }

    void refusesWhatDoesNotFit() {
        const auto message = [](std::vector<LayerSpec> layers) {
            const Result<Network> network = Network::build({{8, 8, 1}, std::move(layers), {}});
            return network ? std::string() : network.error().message;
        };
        QVERIFY(!message({}).empty());
        QVERIFY(!message({dense(10), conv(4, 3)}).empty());
        QVERIFY(!message({conv(16, 4), dense(10)}).empty());
        QVERIFY(!message({conv(16, 3), pool(4), pool(4), dense(10)}).empty());
        QVERIFY(!message({dense(257)}).empty());
        QCOMPARE(message({conv(16, 3), dense(10)}), std::string());
        QVERIFY(!message({kNorm, dense(10), conv(4, 3)}).empty());
        QVERIFY(!message({conv(16, 3, 3), dense(10)}).empty());
        QVERIFY(!message({block({}), dense(10)}).empty());
        QVERIFY(!message({block({dense(4)}), dense(10)}).empty());
        QVERIFY(!message({block({block({kRelu})}), dense(10)}).empty());
        QVERIFY(!message({block({kAverage}), dense(10)}).empty());
        QVERIFY(!message({block({pool(4), conv(4, 3)}), dense(10)}).empty());
        QVERIFY(!message({dense(10), block({kRelu}), dense(10)}).empty());
        QCOMPARE(message({block({conv(2, 3, 2)}), dense(10)}), std::string());
    }
};

QTEST_GUILESS_MAIN(TestNetworkGradient)
#include "test_network_gradient.moc"
