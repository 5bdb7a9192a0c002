// Errors and angles of shards' gradients in cases that can be drawn, and in runs.
#include "train/full_gradient_meter.h"

#include <QTest>
#include <cmath>

#include "core/train/small_data.h"
#include "train/training_engine.h"

using namespace lockstep;
using lockstep::test::smallData;
using lockstep::test::smallExperiment;

namespace {

Experiment fullExperiment(int workers, PartitionKind partition) {
    Experiment experiment = smallExperiment(Architecture::AllReduce, workers);
    experiment.training.gradient = GradientKind::Full;
    experiment.training.partition = partition;
    experiment.training.epochs = 100;
    return experiment;
}

Snapshot observe(const Experiment& experiment, int threads = 2, long long steps = 1) {
    ThreadPool pool(threads);
    auto engine = TrainingEngine::make(experiment, *smallData(), pool);
    if (!engine) qFatal("%s", engine.error().message.c_str());
    while ((*engine)->step() < steps)
        if ((*engine)->advance({}) != TrainingEngine::Advance::Stepped) qFatal("did not step");
    Snapshot snapshot;
    (*engine)->takeProgress(snapshot);
    return snapshot;
}

/// Gradients that a test makes up, on the network and the data of an experiment.
class MadeUp {
public:
    explicit MadeUp(int workers)
        : m_network(
              buildNetwork(experiment(workers), *planRun(experiment(workers), *smallData()), smallData()->train, {})
                  .value()),
          m_images(smallData()->train, 8),
          m_partition(Partition::make({.workers = workers, .batchPerWorker = 8}, m_images.labels()).value()),
          m_meter(m_network, m_images, m_partition, m_pool),
          m_parameters(m_network.parameterCount()),
          m_gradients(static_cast<std::size_t>(workers), FloatVector(m_network.parameterCount())),
          m_workers(static_cast<std::size_t>(workers)) {
        for (std::size_t rank = 0; rank < m_workers.size(); ++rank)
            m_workers[rank] = {.rank = static_cast<int>(rank),
                               .parameters = m_parameters,
                               .gradient = m_gradients[rank],
                               .samples = 1};
    }
    std::vector<Worker>& workers() { return m_workers; }
    FullGradientMeter& meter() { return m_meter; }

private:
    static Experiment experiment(int workers) {
        Experiment experiment = fullExperiment(workers, PartitionKind::Disjoint);
        experiment.training.model = "softmax";
        return experiment;
    }
    ThreadPool m_pool{2};
    Network m_network;
    TrainingImages m_images;
    Partition m_partition;
    FullGradientMeter m_meter;
    FloatVector m_parameters;
    std::vector<FloatVector> m_gradients;
    std::vector<Worker> m_workers;
};

bool close(double a, double b, double tolerance) { return std::abs(a - b) <= tolerance; }

}  // namespace

class TestFullGradientMeter : public QObject {
    Q_OBJECT

private slots:
    // (1, 0) and (0, 1) have the mean (1/2, 1/2): as far from either as it is long, and half a right angle away.
    void twoThatStandAtRightAngles() {
        MadeUp made(2);
        made.workers()[0].gradient[0] = made.workers()[1].gradient[1] = 1;
        QVERIFY(made.meter().shards().empty());
        QVERIFY(made.meter().observe(made.workers(), {}));
        for (const ShardGradient& shard : made.meter().shards()) {
            QVERIFY(close(shard.relativeError, 1, 1e-12));
            QVERIFY(close(shard.angleDeg, 45, 1e-9));
        }
        // They are not the gradients of these data, and the check says so.
        QVERIFY(made.meter().summary().weightedMeanError > 0.1);
    }

    // 3 samples at (4, 0), 1 at (0, 4): the mean is (3, 1). Errors |(1, -1)| and |(-3, 3)| over |(3, 1)|.
    void samplesAreTheWeights() {
        MadeUp made(2);
        made.workers()[0].gradient[0] = made.workers()[1].gradient[1] = 4;
        made.workers()[0].samples = 3;
        QVERIFY(made.meter().observe(made.workers(), {}));
        const auto shards = made.meter().shards();
        QVERIFY(close(shards[0].relativeError, std::sqrt(2.0 / 10), 1e-12));
        QVERIFY(close(shards[1].relativeError, std::sqrt(18.0 / 10), 1e-12));
        QVERIFY(close(shards[0].angleDeg, std::atan(1.0 / 3) * 180 / std::acos(-1), 1e-9));
        QVERIFY(close(shards[1].angleDeg, std::atan(3.0) * 180 / std::acos(-1), 1e-9));
        const FullGradients summary = made.meter().summary();
        QVERIFY(close(summary.largest.relativeError, std::sqrt(1.8), 1e-12));
        QVERIFY(close(summary.mean.angleDeg, 45, 1e-9));  // the two angles are complements
    }

    void aStopLeavesTheObservationForLater() {
        MadeUp made(2);
        made.workers()[0].gradient[0] = 1;
        std::stop_source stop;
        stop.request_stop();
        QVERIFY(!made.meter().observe(made.workers(), stop.get_token()));
        QVERIFY(made.meter().shards().empty());
        QVERIFY(made.meter().observe(made.workers(), {}));
    }

    // A shard alone is off by much, all of them together by rounding.
    void theWeightedMeanIsExact_data() {
        QTest::addColumn<int>("workers");
        QTest::addColumn<QString>("model");
        for (const int workers : {1, 2, 3, 8})
            for (const char* model : {"softmax", "mlp", "cnn"})
                QTest::addRow("%d, %s", workers, model) << workers << QString(model);
    }
    void theWeightedMeanIsExact() {
        QFETCH(int, workers);
        QFETCH(QString, model);
        Experiment experiment = fullExperiment(workers, PartitionKind::Disjoint);
        experiment.training.model = model.toStdString();
        const Snapshot snapshot = observe(experiment);
        QVERIFY2(snapshot.fullGradients.weightedMeanError < 1e-5,
                 qPrintable(QString::number(snapshot.fullGradients.weightedMeanError)));
        double mean = 0;
        for (const ReplicaState& worker : snapshot.replicas) {
            QVERIFY(workers == 1 ? close(worker.shardGradient.relativeError, 0, 1e-6)
                                 : worker.shardGradient.relativeError > 0.01);
            QVERIFY(workers == 1 ? close(worker.shardGradient.angleDeg, 0, 1e-3) : worker.shardGradient.angleDeg > 0.5);
            mean += worker.shardGradient.relativeError / workers;
        }
        QVERIFY(close(snapshot.fullGradients.mean.relativeError, mean, 1e-12));
    }

    void workersOfFewClassesAreFartherOff() {
        const FullGradients mixed = observe(fullExperiment(4, PartitionKind::Disjoint)).fullGradients;
        const FullGradients sorted = observe(fullExperiment(4, PartitionKind::ByLabel)).fullGradients;
        const FullGradients same = observe(fullExperiment(4, PartitionKind::Replicated)).fullGradients;
        QVERIFY(sorted.mean.angleDeg > 2 * mixed.mean.angleDeg);
        QVERIFY(sorted.mean.relativeError > 2 * mixed.mean.relativeError);
        QVERIFY(same.largest.relativeError < 1e-6);
        QVERIFY(sorted.weightedMeanError < 1e-5 && same.weightedMeanError < 1e-5);
    }

    void figuresDoNotDependOnThreads() {
        const Snapshot one = observe(fullExperiment(3, PartitionKind::Disjoint), 1, 2);
        for (const int threads : {2, 4}) {
            const Snapshot more = observe(fullExperiment(3, PartitionKind::Disjoint), threads, 2);
            QCOMPARE(more.fullGradients.weightedMeanError, one.fullGradients.weightedMeanError);
            QCOMPARE(more.fullGradients.mean.angleDeg, one.fullGradients.mean.angleDeg);
            QCOMPARE(more.replicas[2].shardGradient.relativeError, one.replicas[2].shardGradient.relativeError);
        }
    }

    // Augmented samples are others in each epoch than the meter would compute with.
    void augmentedShardsHaveNone() {
        Experiment experiment = fullExperiment(2, PartitionKind::Disjoint);
        experiment.training.augmentation = true;
        QVERIFY(std::isnan(observe(experiment).fullGradients.weightedMeanError));
    }

    // Without a worker there is no gradient of its shard at these parameters, so nothing is said.
    void aDeadWorkersOldGradientIsNotCompared() {
        Experiment experiment = fullExperiment(3, PartitionKind::Disjoint);
        experiment.cluster.architecture = Architecture::ParameterServer;
        experiment.cluster.servers = 1;
        experiment.training.backupWorkers = 1;  // the others go on
        ThreadPool pool(1);
        const auto engine = TrainingEngine::make(experiment, *smallData(), pool).value_or(nullptr);
        QVERIFY(engine->apply({.kind = FaultKind::Kill, .index = 1}).has_value());
        while (engine->step() < 2) QVERIFY(engine->advance({}) == TrainingEngine::Advance::Stepped);
        Snapshot snapshot;
        engine->takeProgress(snapshot);
        QVERIFY(std::isnan(snapshot.replicas[1].shardGradient.relativeError));
    }

    void miniBatchesHaveNone() {
        const Snapshot snapshot = observe(smallExperiment());
        QVERIFY(std::isnan(snapshot.fullGradients.mean.relativeError));
        QVERIFY(std::isnan(snapshot.replicas[0].shardGradient.angleDeg));
    }
};

QTEST_GUILESS_MAIN(TestFullGradientMeter)
#include "test_full_gradient_meter.moc"
