#include <QtTest>
#include <cmath>

#include "base/random.h"
#include "cluster/prediction.h"
#include "experiment/resolved.h"

using namespace lockstep;

namespace {

constexpr double kTolerance = 1e-9;
constexpr int kCases = 1000;

bool near(double actual, double expected) { return std::abs(actual - expected) <= kTolerance * std::abs(expected); }

/// Log-uniform in [low, high].
double between(RandomStream& random, double low, double high) {
    return low * std::pow(high / low, random.nextDouble());
}

int ceilLog2(int n) {
    int steps = 0;
    for (long long reach = 1; reach < n; reach *= 2) ++steps;
    return steps;
}

}  // namespace

/// The contract's closed forms, written here from its text: M bytes of gradients, W workers, S servers, B bit/s,
/// latency a, W >= 2, bulk-synchronous, no overlap.
class TestClosedForms : public QObject {
    Q_OBJECT
    Catalogue m_catalogue;

    Experiment randomExperiment(RandomStream& random) const {
        const char* models[] = {"resnet50",   "vgg16",          "alexnet",     "resnet18",
                                "bert-large", "resnet20-cifar", "lockstep-cnn"};
        const char* devices[] = {"k80", "m40", "p100", "v100", "a100", "h100", "rtx-2080-ti"};
        Experiment e;
        e.workload.model = models[random.nextBelow(std::size(models))];
        e.workload.precision = random.nextBelow(2) == 0 ? Precision::Fp32 : Precision::Fp16;
        e.cluster.device = devices[random.nextBelow(std::size(devices))];
        e.cluster.workers = static_cast<int>(std::lround(between(random, 2, 4096)));
        e.cluster.servers = static_cast<int>(std::lround(between(random, 1, 512)));
        e.cluster.linkBandwidthBitPerS = between(random, 1e7, 1e12);
        e.cluster.linkLatencyS = random.nextBelow(4) == 0 ? 0 : between(random, 1e-7, 1e-2);
        e.training.batchPerWorker = 1 + static_cast<int>(random.nextBelow(4));
        return e;
    }

private slots:
    void initTestCase() {
        Result<Catalogue> catalogue = loadBuiltinCatalogue();
        QVERIFY2(catalogue, catalogue ? "" : catalogue.error().message.c_str());
        m_catalogue = std::move(*catalogue);
    }

    void parameterServer() {
        RandomStream random(1, RandomPurpose::Test, 1);
        for (int i = 0; i < kCases; ++i) {
            Experiment e = randomExperiment(random);
            const bool coLocated = random.nextBelow(2) == 1;
            if (coLocated) {
                e.cluster.serverPlacement = ServerPlacement::CoLocated;
                e.cluster.servers =
                    1 + static_cast<int>(random.nextBelow(static_cast<std::uint32_t>(e.cluster.workers)));
            }
            const Result<Prediction> p = predict(e, m_catalogue);
            QVERIFY2(p, p ? "" : p.error().message.c_str());
            QVERIFY(p->fits);
            const double M = p->memory.gradientsBytes, W = e.cluster.workers, S = e.cluster.servers;
            const double B = e.cluster.linkBandwidthBitPerS, a = e.cluster.linkLatencyS;
            const double expected = coLocated ? (W - 1) / S * 8 * M / B + a : std::max(W / S, 1.0) * 8 * M / B + a;
            QVERIFY(near(p->breakdown.pull_s, expected));
            QVERIFY(near(p->breakdown.push_s, expected));
            QVERIFY(near(*p->iterationTime_s, p->breakdown.compute_s + 2 * expected));
            QVERIFY(near(*p->throughputSamplesPerS, W * e.training.batchPerWorker / *p->iterationTime_s));
            QCOMPARE(p->breakdown.allreduce_s, 0.0);
            if (!coLocated) QVERIFY(near(*p->pullBandwidthPerWorkerBitPerS, std::min(B, B * S / W)));
        }
    }

    void allReduce() {
        RandomStream random(1, RandomPurpose::Test, 2);
        const AllReduceAlgorithm algorithms[] = {AllReduceAlgorithm::Ring, AllReduceAlgorithm::Tree,
                                                 AllReduceAlgorithm::HalvingDoubling, AllReduceAlgorithm::Naive};
        for (int i = 0; i < kCases; ++i) {
            Experiment e = randomExperiment(random);
            e.cluster.architecture = Architecture::AllReduce;
            e.cluster.allreduce = algorithms[random.nextBelow(4)];
            if (e.cluster.allreduce == AllReduceAlgorithm::HalvingDoubling) {
                e.cluster.workers = 2 << random.nextBelow(14);
            }
            const Result<Prediction> p = predict(e, m_catalogue);
            QVERIFY2(p, p ? "" : p.error().message.c_str());
            QVERIFY(p->fits);
            const double M = p->memory.gradientsBytes, W = e.cluster.workers;
            const double B = e.cluster.linkBandwidthBitPerS, a = e.cluster.linkLatencyS;
            const double steps = ceilLog2(e.cluster.workers);
            double expected = 0;
            switch (e.cluster.allreduce) {
                case AllReduceAlgorithm::Ring:
                    expected = 2 * (W - 1) / W * 8 * M / B + 2 * (W - 1) * a;
                    break;
                case AllReduceAlgorithm::Tree:
                    expected = 2 * steps * (8 * M / B + a);
                    break;
                case AllReduceAlgorithm::HalvingDoubling:
                    expected = 2 * (W - 1) / W * 8 * M / B + 2 * steps * a;
                    break;
                default:
                    expected = 2 * (W - 1) * 8 * M / B + 2 * a;
                    break;
            }
            QVERIFY(near(p->breakdown.allreduce_s, expected));
            QVERIFY(near(*p->iterationTime_s, p->breakdown.compute_s + expected));
            QCOMPARE(p->breakdown.pull_s + p->breakdown.push_s, 0.0);
            QVERIFY(!p->pullBandwidthPerWorkerBitPerS);
        }
    }

    void halvingDoublingFoldsTheRanksBeyondAPowerOfTwo() {
        // MPICH's note on Rabenseifner's algorithm: (2 floor(log2 p) + 2) a + (2 (P - 1) / P + 2) M, P the power of
        // two.
        Experiment e;
        e.cluster.architecture = Architecture::AllReduce;
        e.cluster.allreduce = AllReduceAlgorithm::HalvingDoubling;
        e.cluster.workers = 11;
        const Result<Prediction> p = predict(e, m_catalogue);
        QVERIFY(p);
        const double transfer_s = 8 * p->memory.gradientsBytes / e.cluster.linkBandwidthBitPerS;
        QVERIFY(near(p->breakdown.allreduce_s, (2 * 7.0 / 8 + 2) * transfer_s + (2 * 3 + 2) * e.cluster.linkLatencyS));
    }

    void autoIsTheCheapest() {
        RandomStream random(1, RandomPurpose::Test, 3);
        for (int i = 0; i < 100; ++i) {
            Experiment e = randomExperiment(random);
            e.cluster.architecture = Architecture::AllReduce;
            double cheapest = INFINITY;
            for (const AllReduceAlgorithm algorithm :
                 {AllReduceAlgorithm::Ring, AllReduceAlgorithm::Tree, AllReduceAlgorithm::HalvingDoubling,
                  AllReduceAlgorithm::Naive}) {
                e.cluster.allreduce = algorithm;
                cheapest = std::min(cheapest, predict(e, m_catalogue)->breakdown.allreduce_s);
            }
            e.cluster.allreduce = AllReduceAlgorithm::Auto;
            QCOMPARE(predict(e, m_catalogue)->breakdown.allreduce_s, cheapest);
        }
    }

    void computeIsThreeForwardPasses() {
        // Twice the multiply-accumulates forward, twice that backward: 24.5 GFLOP an image for ResNet-50 at 224 pixels.
        Experiment e;
        e.cluster.architecture = Architecture::SingleNode;
        const Result<Prediction> p = predict(e, m_catalogue);
        QVERIFY(p);
        const DeviceSpec* v100 = m_catalogue.device("v100");
        QVERIFY(near(p->breakdown.compute_s, 32 * 6 * 4089184256.0 / (v100->fp32FlopPerS * v100->efficiency)));
        QVERIFY(near(*p->scalingEfficiency, 1));
        QVERIFY(near(*p->epochTime_s, 1281167 / *p->throughputSamplesPerS));
        // What the efficiency was fitted to.
        QVERIFY(std::abs(*p->throughputSamplesPerS - 367) < 0.1);
    }

    void fixedNodesSplit() {
        Experiment e;
        e.cluster.fixedNodes = 16;
        e.cluster.servers = 5;
        const Result<Prediction> p = predict(e, m_catalogue);
        QVERIFY(p);
        QCOMPARE(p->workers, 11);
        const double transfer_s = 8 * p->memory.gradientsBytes / e.cluster.linkBandwidthBitPerS;
        QVERIFY(near(p->breakdown.pull_s, 11.0 / 5 * transfer_s + e.cluster.linkLatencyS));
    }

    void bytesOnLinksAreConserved() {
        RandomStream random(1, RandomPurpose::Test, 4);
        for (int i = 0; i < 300; ++i) {
            Experiment e = randomExperiment(random);
            e.cluster.architecture = random.nextBelow(2) == 0 ? Architecture::AllReduce : Architecture::ParameterServer;
            e.cluster.serverPlacement =
                random.nextBelow(2) == 0 ? ServerPlacement::Dedicated : ServerPlacement::CoLocated;
            e.cluster.allreduce = static_cast<AllReduceAlgorithm>(random.nextBelow(3));
            const Result<Prediction> p = predict(e, m_catalogue);
            QVERIFY2(p, p ? "" : p.error().message.c_str());
            double out = 0, in = 0;
            for (const LinkUse& link : p->links) {
                (link.outgoing ? out : in) += link.count * link.bytes;
                QVERIFY(link.busyFraction >= 0 && link.busyFraction <= 1);
            }
            QVERIFY(out > 0);
            QVERIFY(near(out, in));
        }
    }
};

QTEST_GUILESS_MAIN(TestClosedForms)
#include "test_closed_forms.moc"
