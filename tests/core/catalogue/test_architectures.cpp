#include <QtTest>
#include <cmath>

#include "catalogue/catalogue.h"

using namespace lockstep;

namespace {

Catalogue builtin() {
    Result<Catalogue> catalogue = loadBuiltinCatalogue();
    return catalogue ? *catalogue : Catalogue{};
}

}  // namespace

/// Counts from the architectures against published ones: torchvision's documentation for the convolutional networks,
/// the papers for ResNet-20 and BERT, arithmetic by hand for the models trained here.
class TestArchitectures : public QObject {
    Q_OBJECT
    const Catalogue m_catalogue = builtin();

    ModelTotals totals(const char* key, ModelInput input = {}) const {
        const ModelSpec* model = m_catalogue.model(key);
        if (model == nullptr) return {};
        return model->totals(input).value_or(ModelTotals{});
    }

private slots:
    void builtinCatalogueIsValid() {
        const Result<Catalogue> catalogue = loadBuiltinCatalogue();
        QVERIFY2(catalogue, catalogue ? "" : catalogue.error().message.c_str());
        for (const char* key : {"k80", "m40", "p100", "v100", "a100", "h100", "rtx-2080-ti", "laptop-cpu"}) {
            QVERIFY2(catalogue->device(key) != nullptr, key);
            QVERIFY(!catalogue->device(key)->sources.empty());
        }
        for (const char* key : {"pcie3-x16", "pcie4-x16", "nvlink1-dgx1-p100", "nvlink2-dgx1-v100", "nvswitch-dgx2",
                                "nvswitch-dgx-a100", "nvswitch-dgx-h100"}) {
            QVERIFY2(catalogue->link(key) != nullptr, key);
        }
        for (const char* key : {"imagenet-1k", "cifar-10", "fashion-mnist", "wikipedia"}) {
            QVERIFY2(catalogue->dataset(key) != nullptr, key);
        }
        QCOMPARE(catalogue->device("nonsense"), nullptr);
    }

    void parametersArePublished_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<double>("parameters");
        QTest::newRow("ResNet-50, torchvision") << "resnet50" << 25557032.0;
        QTest::newRow("ResNet-18, torchvision") << "resnet18" << 11689512.0;
        QTest::newRow("VGG-16, torchvision") << "vgg16" << 138357544.0;
        QTest::newRow("AlexNet, torchvision") << "alexnet" << 61100840.0;
        // 24 (12 h^2 + 13 h) + (30522 + 512 + 2) h + 2 h + h^2 + h with h = 1024.
        QTest::newRow("BERT-large") << "bert-large"
                                    << 24.0 * (12 * 1048576 + 13 * 1024) + 31036 * 1024.0 + 2048 + 1048576 + 1024;
        QTest::newRow("softmax") << "lockstep-softmax" << 784 * 10.0 + 10;
        QTest::newRow("mlp") << "lockstep-mlp" << 784 * 128.0 + 128 + 128 * 64 + 64 + 64 * 10 + 10;
        // Convolutions, shortcuts, dense, and scale and shift of 336 normalized channels (core/nn's own count).
        QTest::newRow("residual CNN") << "lockstep-residual-cnn"
                                      << 144 + 2 * 2304 + 4608 + 9216 + 18432 + 36864 + 512 + 2048 + 650 + 672.0;
        QTest::newRow("cnn") << "lockstep-cnn" << 9 * 16.0 + 16 + 9 * 16 * 32 + 32 + 7 * 7 * 32 * 128 + 128 + 1280 + 10;
    }
    void parametersArePublished() {
        QFETCH(QString, model);
        QFETCH(double, parameters);
        QCOMPARE(totals(model.toUtf8().constData()).parameters, parameters);
    }

    void resnet20HasItsPublishedSize() {
        // Table 6 of the paper says 0.27 M.
        QCOMPARE(std::round(totals("resnet20-cifar").parameters / 1e4), 27.0);
    }

    void resnet50AtTwoResolutions() {
        const ModelTotals large = totals("resnet50");
        const ModelTotals small = totals("resnet50", {.resolutionPx = 32});
        QCOMPARE(large.macs, 4089184256.0);
        QCOMPARE(large.convolutionOutputs, 11113984.0);
        QCOMPARE(small.convolutionOutputs, 226816.0);
        QCOMPARE(large.convolutionOutputs / small.convolutionOutputs, 49.0);
        QCOMPARE(small.macs, 85458944.0);
        QCOMPARE(small.parameters, large.parameters);
        // All that is kept scales with the area but for the pooled features at the end.
        QVERIFY(std::abs(large.storedElements / small.storedElements - 49.0) < 0.5);
        // Each convolution's output is kept for its normalization and again as what ReLU made of it. Only the outputs
        // of the last normalization in a shortcut are not kept; the image and the pooling indices are.
        const double ratio = large.storedElements / large.convolutionOutputs;
        QVERIFY2(ratio > 1.8 && ratio < 2.1, std::to_string(ratio).c_str());
    }

    void macsOfVggAndAlexNet() {
        // torchvision's table of weights: 15.47 and 0.71 GFLOPS, counted as multiply-accumulates.
        QVERIFY(std::abs(totals("vgg16").macs / 1e9 - 15.47) < 0.01);
        QVERIFY(std::abs(totals("alexnet").macs / 1e9 - 0.71) < 0.01);
        QVERIFY(std::abs(totals("resnet18").macs / 1e9 - 1.81) < 0.01);
    }

    void vggKeepsEachConvolutionOnce() {
        // Without normalization a convolution's output is kept once, through its in-place ReLU.
        const ModelSpec* vgg = m_catalogue.model("vgg16");
        const Result<ModelCost> cost = vgg->cost({});
        QVERIFY(cost);
        double activations = 0;
        for (const LayerCost& layer : cost->layers) {
            if (layer.kind == LayerKind::Activation) activations += layer.storedElements;
        }
        QCOMPARE(activations, cost->convolutionOutputs + 2 * 4096);
    }

    void bertKeepsWhatKorthikantiCounts() {
        // Korthikanti et al., Reducing Activation Recomputation in Large Transformer Models, equation 1: with 2-byte
        // elements and 1-byte masks a block keeps s h (34 + 5 a s / h) bytes for each sample.
        const double s = 128, h = 1024, a = 16;
        const ModelTotals bert = totals("bert-large");
        const double bytes = 2 * bert.storedElements + bert.storedBytes;
        // Before the blocks: input of the embedding's normalization and the dropout mask; after: the pooler's input and
        // output.
        const double outside = 2 * s * h + s * h + 2 * h + 2 * h;
        QCOMPARE(bytes - outside, 24 * s * h * (34 + 5 * a * s / h));
    }

    void bertComputesWhatNarayananCounts() {
        // Narayanan et al. 2021, appendix: forward of a block 24 s h^2 (1 + s / (6 h)) operations, two for each
        // multiply-add.
        const double s = 128, h = 1024;
        QCOMPARE(totals("bert-large").macs, 24 * 12 * s * h * h * (1 + s / (6 * h)) + h * h);
    }

    void totalsAreTheSumOfTheLayers() {
        for (const ModelSpec& model : m_catalogue.models) {
            const Result<ModelCost> cost = model.cost({});
            QVERIFY(cost);
            double parameters = 0, macs = 0, stored = 0;
            for (const LayerCost& layer : cost->layers) {
                parameters += layer.parameters;
                macs += layer.macs;
                stored += layer.storedElements;
                QVERIFY(!layer.name.empty());
            }
            QCOMPARE(cost->parameters, parameters);
            QCOMPARE(cost->macs, macs);
            QCOMPARE(cost->storedElements, stored);
        }
    }

    void tooSmallOrTooLongIsOneLine() {
        const Result<ModelTotals> small = m_catalogue.model("alexnet")->totals({.resolutionPx = 16});
        QVERIFY(!small);
        QCOMPARE(QString::fromStdString(small.error().message),
                 QString("workload.resolution_px: 16; allowed with alexnet: %1..1024")
                     .arg(m_catalogue.model("alexnet")->minimumResolutionPx()));
        QVERIFY(m_catalogue.model("alexnet")->totals(
            {.resolutionPx = m_catalogue.model("alexnet")->minimumResolutionPx()}));
        const Result<ModelTotals> longer = m_catalogue.model("bert-large")->totals({.sequenceLength = 513});
        QVERIFY(!longer);
        QCOMPARE(QString::fromStdString(longer.error().message),
                 QString("workload.sequence_length: 513; allowed with bert-large: 1..512"));
    }
};

QTEST_GUILESS_MAIN(TestArchitectures)
#include "test_architectures.moc"
