// Networks with batch normalization, and networks of one's own, trained through the strategies.
#include <QTest>
#include <cmath>

#include "core/train/small_data.h"
#include "train/parameter_shard.h"
#include "train/training_engine.h"
#include "train/training_network.h"

using namespace lockstep;
using lockstep::test::smallData;
using lockstep::test::smallExperiment;

namespace {

/// conv 8, batch normalization, ReLU, a block that halves and widens, average pooling, dense: a second of training.
std::vector<TrainingLayer> smallResidual() {
    return {
        {"conv", 8, 3},
        {"batch-norm"},
        {"relu"},
        {.kind = "residual", .layers = {{"conv", 16, 3, 2}, {"batch-norm"}, {"relu"}, {"conv", 16, 3}, {"batch-norm"}}},
        {"average-pool"},
        {"dense"}};
}

Experiment normalized(Architecture architecture = Architecture::AllReduce, int workers = 4) {
    Experiment experiment = smallExperiment(architecture, workers, 2);
    experiment.training.layers = smallResidual();
    return experiment;
}

struct Trained {
    FloatVector model;
    std::uint64_t hash = 0;
    Snapshot snapshot;
};

Trained train(const Experiment& experiment, int threads = 1, long long steps = 20) {
    ThreadPool pool(threads);
    auto engine = TrainingEngine::make(experiment, *smallData(), pool);
    if (!engine) qFatal("%s", engine.error().message.c_str());
    while ((*engine)->step() < steps)
        if ((*engine)->advance({}) != TrainingEngine::Advance::Stepped) qFatal("did not step");
    Trained trained{(*engine)->model(), (*engine)->modelHash(), {}};
    (*engine)->takeProgress(trained.snapshot);
    (*engine)->test(trained.snapshot, true, {});
    return trained;
}

double relativeDistance(const FloatVector& a, const FloatVector& b) {
    return std::sqrt(squaredDistance(a, b) / squaredNorm(b));
}

constexpr std::size_t kStatistics = 2 * (8 + 3 * 16);
std::span<const float> statistics(const Trained& trained) { return std::span(trained.model).last(kStatistics); }

std::string fault(std::vector<TrainingLayer> layers) {
    Experiment experiment = smallExperiment();
    experiment.training.layers = std::move(layers);
    ThreadPool pool(1);
    const auto engine = TrainingEngine::make(experiment, *smallData(), pool);
    return engine ? std::string() : engine.error().message;
}

}  // namespace

class TestNormalizedTraining : public QObject {
    Q_OBJECT

private slots:
    /// The reference is one worker that adds up as many batches, each normalized by itself, before it updates; its
    /// running statistics move by the mean of what these showed. Data are dealt so that both see the same samples.
    void workersTogetherEqualOneThatNormalizesInGroups_data() {
        QTest::addColumn<Architecture>("architecture");
        QTest::addColumn<OptimizerKind>("optimizer");
        QTest::newRow("all-reduce") << Architecture::AllReduce << OptimizerKind::Momentum;
        QTest::newRow("parameter server") << Architecture::ParameterServer << OptimizerKind::Momentum;
        QTest::newRow("all-reduce, lars") << Architecture::AllReduce << OptimizerKind::Lars;
    }
    void workersTogetherEqualOneThatNormalizesInGroups() {
        QFETCH(Architecture, architecture);
        QFETCH(OptimizerKind, optimizer);
        Experiment many = normalized(architecture);
        many.training.optimizer = optimizer;
        many.training.weightDecay = 1e-3;
        many.training.gradientClipNorm = 2;
        Experiment one = many;
        one.cluster.architecture = Architecture::SingleNode;
        one.training.accumulationSteps = 4;
        const Trained together = train(many), alone = train(one);
        QVERIFY(relativeDistance(together.model, alone.model) < 1e-4);
        for (std::size_t i = 0; i < kStatistics; ++i)
            QVERIFY(std::abs(statistics(together)[i] - statistics(alone)[i]) < 1e-3F);
    }

    void bitsDoNotDependOnTheNumberOfThreads() {
        for (const int workers : {1, 3}) {
            const Experiment experiment = normalized(Architecture::AllReduce, workers);
            const Trained alone = train(experiment, 1, 10);
            for (const int threads : {2, 4}) QCOMPARE(train(experiment, threads, 10).hash, alone.hash);
        }
    }

    void trainingLearns_data() {
        QTest::addColumn<SynchronizationKind>("synchronization");
        QTest::addColumn<int>("workers");
        QTest::newRow("bulk-synchronous") << SynchronizationKind::BulkSynchronous << 4;
        QTest::newRow("stale-synchronous") << SynchronizationKind::StaleSynchronous << 4;
        QTest::newRow("local-sgd") << SynchronizationKind::LocalSgd << 4;
        QTest::newRow("asynchronous, stale") << SynchronizationKind::Asynchronous << 32;
    }

    /// Chance is a quarter. The figures are those of running statistics, which therefore have arrived. With 32 workers
    /// they are moved 31 updates late, by which a difference to what a worker pulled would overshoot and grow.
    void trainingLearns() {
        QFETCH(SynchronizationKind, synchronization);
        QFETCH(int, workers);
        Experiment experiment = normalized(Architecture::ParameterServer, workers);
        experiment.training.synchronization = synchronization;
        experiment.training.optimizer = OptimizerKind::Sgd;
        experiment.training.learningRate = synchronization == SynchronizationKind::Asynchronous ? 0.02 : 0.1;
        experiment.training.epochs = 4;
        const Trained trained = train(experiment, 2, synchronization == SynchronizationKind::Asynchronous ? 600 : 150);
        QVERIFY2(trained.snapshot.testAccuracy > 0.6, qPrintable(QString::number(trained.snapshot.testAccuracy)));
        for (const float value : statistics(trained)) QVERIFY(std::abs(value) < 1e3F);
    }

    /// Statistics follow by a tenth of the way, whatever the rule for the rest is.
    void statisticsKnowNoOptimizer() {
        for (const OptimizerKind kind : {OptimizerKind::Sgd, OptimizerKind::Adam, OptimizerKind::Lars}) {
            const IndexRange whole{0, 4}, layers[] = {{0, 2}, {2, 4}};
            ParameterShard shard({&whole, 1}, layers, {.kind = kind, .weightDecay = 0.5}, 2);
            FloatVector weights{1, 2, 3, 4};
            const FloatVector gradient{0.5F, 0.5F, 13, 4};
            LayerNorms norms;
            for (std::size_t piece = 0; piece < shard.pieces().size(); ++piece) shard.measure(piece, weights, gradient);
            shard.addNorms(norms);
            QCOMPARE(norms.gradient.at(0), 0.5);
            QCOMPARE(norms.gradient.at(1), 0.0);
            const UpdateOrder order = updateOrder(shard.optimizer().settings(), 0.1, 1, 0.1, norms);
            for (std::size_t piece = 0; piece < shard.pieces().size(); ++piece)
                shard.update(piece, weights, gradient, order);
            QVERIFY(weights[0] < 1);
            QVERIFY(std::abs(weights[2] - 4.0F) < 1e-6F);
            QCOMPARE(weights[3], 4.0F);
        }
    }

    /// Top-k sends one value of a hundred, and all statistics.
    void compressionLeavesStatisticsAlone() {
        Experiment experiment = normalized(Architecture::ParameterServer);
        experiment.training.learningRate = 1e-9;
        const Trained plain = train(experiment);
        experiment.training.compression = Compression::TopK;
        const Trained compressed = train(experiment);
        for (std::size_t i = 0; i < kStatistics; ++i)
            QVERIFY(std::abs(statistics(plain)[i] - statistics(compressed)[i]) < 1e-5F);
    }

    void layersWrittenOutAreTheNamedModel() {
        Experiment named = smallExperiment(), own = named;
        named.training.model = "cnn";
        own.training.layers = {{"conv", 16, 3},    {"relu"},       {"max-pool", 0, 2}, {"conv", 32, 3}, {"relu"},
                               {"max-pool", 0, 2}, {"dense", 128}, {"relu"},           {"dense"}};
        QCOMPARE(train(own).hash, train(named).hash);
        const ImageShape input{8, 8, 1};
        named.training.model = "residual-cnn";
        const auto block = [](int outputs, int stride) {
            return TrainingLayer{
                .kind = "residual",
                .layers = {
                    {"conv", outputs, 3, stride}, {"batch-norm"}, {"relu"}, {"conv", outputs, 3}, {"batch-norm"}}};
        };
        own.training.layers = {{"conv", 16, 3}, {"batch-norm"}, {"relu"},         block(16, 1),
                               block(32, 2),    block(64, 2),   {"average-pool"}, {"dense", 10}};
        QVERIFY(trainingNetworkSpec(own.training, input, 10).value() ==
                trainingNetworkSpec(named.training, input, 10).value());
    }

    void faultsNameTheLayerAndWhatIsAllowed_data() {
        QTest::addColumn<QString>("message");
        QTest::addColumn<QStringList>("mustName");
        const auto row = [](const char* name, std::vector<TrainingLayer> layers, const QStringList& mustName) {
            QTest::newRow(name) << QString::fromStdString(fault(std::move(layers))) << mustName;
        };
        row("kernel", {{"conv", 4, 4}, {"dense"}}, {"layer 1", "1, 3, 5 or 7", "4"});
        row("no outputs", {{"relu"}, {"conv", 0, 3}, {"dense"}}, {"layer 2", "1..1024", "0"});
        row("stride", {{"conv", 4, 3, 3}, {"dense"}}, {"layer 1", "1 or 2", "3"});
        row("window", {{"max-pool", 0, 9}, {"dense"}}, {"layer 1", "2..8", "9"});
        row("window too large", {{"max-pool", 0, 4}, {"max-pool", 0, 4}, {"dense"}},
            {"layer 2", "does not fit", "2 x 2"});
        row("after dense", {{"dense", 5}, {"conv", 4, 3}, {"dense"}}, {"layer 2", "cannot follow a dense"});
        row("classes", {{"dense", 10}}, {"last", "dense", "4 outputs"});
        row("no dense", {{"relu"}}, {"last", "dense", "4 outputs"});
        row("kind", {{"convolution", 4, 3}, {"dense"}}, {"layer 1", "convolution"});
        row("in a block", {{"relu"}, {.kind = "residual", .layers = {{"relu"}, {"conv", 4, 2}}}, {"dense"}},
            {"layer 2", "in the block", "layer 2", "1, 3, 5 or 7"});
        row("shortcut", {{.kind = "residual", .layers = {{"max-pool", 0, 4}}}, {"dense"}},
            {"layer 1", "shortcut", "2 x 2 of 8 x 8", "halve"});
        row("too large", {{"conv", 1024, 3}, {"dense", 4096}, {"dense"}}, {"parameters", "at most"});
    }
    void faultsNameTheLayerAndWhatIsAllowed() {
        QFETCH(QString, message);
        QFETCH(QStringList, mustName);
        QVERIFY2(message.startsWith("training.layers: "), qPrintable(message));
        QVERIFY(!message.contains('\n'));
        for (const QString& part : mustName) QVERIFY2(message.contains(part), qPrintable(message + " | " + part));
    }
};

QTEST_GUILESS_MAIN(TestNormalizedTraining)
#include "test_normalized_training.moc"
