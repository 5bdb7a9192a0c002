#include <QTest>

#include <barrier>
#include <cmath>
#include <thread>

#include "nn/network.h"

using namespace lockstep;

namespace {

struct Problem {
    Network network;
    FloatVector parameters, images;
    std::vector<std::uint8_t> labels;
    LabelledBatch batch() const { return {images, labels}; }
};

Problem makeProblem(const NetworkSpec& spec, int samples) {
    Problem p{Network::build(spec).value(), {}, {}, {}};
    p.parameters.resize(p.network.parameterCount());
    RandomStream stream(7, RandomPurpose::Test);
    p.network.initialize(p.parameters, stream);
    for (int i = 0; i < samples * spec.input.elements(); ++i)
        p.images.push_back(std::max(0.0F, stream.nextFloat() - 0.4F));
    for (int i = 0; i < samples; ++i) p.labels.push_back(static_cast<std::uint8_t>(stream.nextBelow(10)));
    return p;
}

FloatVector gradientByThreads(const Problem& p, int threads, BatchResult& result) {
    Workspace workspace(p.network, static_cast<int>(p.labels.size()));
    FloatVector gradient(p.parameters.size());
    GradientTask task(p.network, p.parameters, p.batch(), gradient, workspace);
    std::barrier sync(threads);
    {
        std::vector<std::jthread> pool;
        for (int rank = 0; rank < threads; ++rank)
            pool.emplace_back([&, rank] {
                for (int phase = 0; phase < task.phaseCount(); ++phase) {
                    // The last rank begins with the last part, so that orders differ between thread counts.
                    for (int part = task.partCount(phase) - 1 - rank; part >= 0; part -= threads)
                        task.runPart(phase, part);
                    sync.arrive_and_wait();
                }
            });
    }
    result = task.result();
    return gradient;
}

}  // namespace

Q_DECLARE_METATYPE(lockstep::NetworkSpec)

/// System: one batch shared by 1..4 threads. Expectation: equal bits, because every sum has a fixed order.
class TestNetworkDeterminism : public QObject {
    Q_OBJECT

private slots:
    void sameBitsForAnyThreadCount_data() {
        QTest::addColumn<NetworkSpec>("network");
        QTest::addColumn<int>("samples");
        for (const int samples : {1, 2, 7, 64, 200}) {
            QTest::addRow("cnn %d", samples) << cnnSpec(12, 1, 10) << samples;
            QTest::addRow("mlp %d", samples) << mlpSpec(12, 3, 10) << samples;
            QTest::addRow("residual-cnn %d", samples) << residualCnnSpec(9, 1, 10) << samples;
        }
    }

    void sameBitsForAnyThreadCount() {
        QFETCH(NetworkSpec, network);
        QFETCH(int, samples);
        const Problem p = makeProblem(network, samples);
        Workspace workspace(p.network, samples);
        FloatVector alone(p.parameters.size());
        const BatchResult expected = p.network.lossAndGradient(p.parameters, p.batch(), alone, workspace);
        for (const int threads : {1, 2, 3, 4}) {
            BatchResult result;
            const FloatVector shared = gradientByThreads(p, threads, result);
            QVERIFY(std::equal(alone.begin(), alone.end(), shared.begin()));
            QCOMPARE(result.loss, expected.loss);
            QCOMPARE(result.correct, expected.correct);
        }
    }

    /// A workspace's size and history leave no trace.
    void workspaceLeavesNoTrace_data() {
        QTest::addColumn<NetworkSpec>("network");
        QTest::newRow("cnn") << cnnSpec(13, 1, 10);
        QTest::newRow("residual-cnn") << residualCnnSpec(13, 1, 10);
    }

    void workspaceLeavesNoTrace() {
        QFETCH(NetworkSpec, network);
        const Problem small = makeProblem(network, 5);
        const Problem large = makeProblem(network, 130);
        Workspace fresh(small.network, 5), used(small.network, 500);
        FloatVector a(small.parameters.size()), b(small.parameters.size());
        (void)small.network.lossAndGradient(small.parameters, small.batch(), a, fresh);
        (void)large.network.lossAndGradient(large.parameters, large.batch(), b, used);
        (void)small.network.lossAndGradient(small.parameters, small.batch(), b, used);
        QVERIFY(std::equal(a.begin(), a.end(), b.begin()));
    }

    void stopsWhenAsked() {
        const Problem p = makeProblem(cnnSpec(28, 1, 10), 512);
        Workspace workspace(p.network, 512);
        FloatVector gradient(p.parameters.size());
        std::stop_source stop;
        stop.request_stop();
        QVERIFY(!p.network.lossAndGradient(p.parameters, p.batch(), gradient, workspace, stop.get_token()).complete);
        QVERIFY(!p.network.evaluate(p.parameters, p.batch(), {}, workspace, stop.get_token()).complete);
        QVERIFY(p.network.lossAndGradient(p.parameters, p.batch(), gradient, workspace).complete);
    }

    /// A diverged network must look so.
    void notANumberReachesTheLoss_data() { workspaceLeavesNoTrace_data(); }

    void notANumberReachesTheLoss() {
        QFETCH(NetworkSpec, network);
        Problem p = makeProblem(network, 4);
        Workspace workspace(p.network, 4);
        FloatVector gradient(p.parameters.size());
        for (const std::size_t at : {std::size_t{0}, std::size_t{200}, p.network.trainedCount() - 20}) {
            Problem broken = makeProblem(network, 4);
            broken.parameters[at] = std::nanf("");
            const BatchResult result =
                broken.network.lossAndGradient(broken.parameters, broken.batch(), gradient, workspace);
            QVERIFY(!std::isfinite(result.loss));
        }
    }

    void estimatesItsMemory() {
        const Network network = Network::build(cnnSpec(28, 1, 10)).value();
        QCOMPARE(Workspace::bytes(network, 100000), Workspace::bytes(network, Workspace::kRoundSamples));
        QVERIFY(Workspace::bytes(network, 32) > 32 * 16 * 16 * 16 * sizeof(float));
        QVERIFY(Workspace::bytes(network, 128) < std::size_t{20} << 20);
    }
};

QTEST_GUILESS_MAIN(TestNetworkDeterminism)
#include "test_network_determinism.moc"
