// What must be visible in real runs on real images, with generous margins; docs/experiments.md shows the curves.
#include <QTest>
#include <cmath>

#include "data/dataset.h"
#include "train/run.h"

using namespace lockstep;

namespace {

std::shared_ptr<const TrainTest> images() {
    static const auto data = [] {
        DatasetOptions options;
        options.resolutionPx = 14;
        auto loaded = loadDataset("fashion-mnist", options);
        return loaded ? std::make_shared<const TrainTest>(*std::move(loaded)) : nullptr;
    }();
    return data;
}

/// Eight workers on the CNN at 14 px, sgd at a rate of 0.05 whatever the batch, one epoch.
Experiment base(Architecture architecture = Architecture::AllReduce) {
    Experiment experiment;
    experiment.cluster.architecture = architecture;
    experiment.cluster.workers = 8;
    experiment.training.resolutionPx = 14;
    experiment.training.batchPerWorker = 32;
    experiment.training.optimizer = OptimizerKind::Sgd;
    experiment.training.learningRate = 0.05;
    experiment.training.learningRateScaling = RateScaling::None;
    experiment.training.epochs = 1;
    return experiment;
}

Snapshot trained(const Experiment& experiment) {
    Run run(experiment, images(), {.snapshotEvery = 1000});
    run.wait();
    return run.result()->last;
}

Experiment with(SynchronizationKind kind, PartitionKind partition,
                Architecture architecture = Architecture::AllReduce) {
    Experiment experiment = base(architecture);
    experiment.training.synchronization = kind;
    experiment.training.partition = partition;
    return experiment;
}

}  // namespace

class TestVisibleEffects : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        QSKIP("takes too long under sanitizers, which other tests of the engine are for");
#endif
        if (!images()) QSKIP("Fashion-MNIST is not installed");
    }

    void replicasDriftApartWithoutSynchronizationWhileTheirAverageStaysGood() {
        const Snapshot together = trained(base());
        const Snapshot apart = trained(with(SynchronizationKind::None, PartitionKind::Disjoint));
        QCOMPARE(together.divergence.meanDistanceToAverage, 0.0);
        QVERIFY(apart.divergence.meanDistanceToAverage > 0.3);
        QVERIFY(apart.divergence.predictionDisagreement > 0.1);
        QVERIFY2(apart.testAccuracy < together.testAccuracy, qPrintable(QString::number(apart.testAccuracy)));
        QVERIFY(apart.averageModelTestAccuracy > apart.testAccuracy - 0.02);
        QVERIFY(apart.averageModelTestAccuracy > 0.6);
    }

    void shardsByLabelMakeItMuchWorse() {
        const Snapshot random = trained(with(SynchronizationKind::None, PartitionKind::Disjoint));
        const Snapshot sorted = trained(with(SynchronizationKind::None, PartitionKind::ByLabel));
        QVERIFY(sorted.testAccuracy < random.testAccuracy - 0.3);
        QVERIFY(sorted.divergence.meanDistanceToAverage > random.divergence.meanDistanceToAverage);
    }

    void theAverageOfDifferentStartsIsUseless() {
        Experiment experiment = with(SynchronizationKind::None, PartitionKind::Disjoint);
        experiment.training.initialization = Initialization::Different;
        const Snapshot apart = trained(experiment);
        QVERIFY(apart.testAccuracy > 0.55);
        QVERIFY(apart.averageModelTestAccuracy < 0.4);
    }

    void localSgdOnSortedShardsLiesBetweenNoneAndSynchronous() {
        const Snapshot none = trained(with(SynchronizationKind::None, PartitionKind::ByLabel));
        Experiment experiment = with(SynchronizationKind::LocalSgd, PartitionKind::ByLabel);
        experiment.training.localSteps = 16;
        const Snapshot local = trained(experiment);
        const Snapshot together = trained(with(SynchronizationKind::BulkSynchronous, PartitionKind::ByLabel));
        QVERIFY2(local.testAccuracy > none.testAccuracy + 0.1, qPrintable(QString::number(local.testAccuracy)));
        QVERIFY2(local.testAccuracy < together.testAccuracy, qPrintable(QString::number(together.testAccuracy)));
    }

    void aVeryLargeBatchLearnsLessUnlessTheRateIsScaled() {
        Experiment small = base();
        small.cluster.workers = 1;
        small.training.batchPerWorker = 64;
        small.training.epochs = 2;
        const double good = trained(small).testAccuracy;
        Experiment large = small;
        large.cluster.workers = 16;  // 1,024
        const double fixed = trained(large).testAccuracy;
        large.training.learningRateScaling = RateScaling::Linear;
        large.training.baseBatch = 64;
        large.training.warmupSteps = 58;  // one epoch
        const double scaled = trained(large).testAccuracy;
        large.cluster.workers = 256;  // 16,384
        large.training.warmupSteps = 3;
        const Snapshot tooFar = trained(large);
        QVERIFY2(fixed < good - 0.05, qPrintable(QStringLiteral("%1 %2").arg(fixed).arg(good)));
        QVERIFY2(scaled > fixed + 0.03, qPrintable(QString::number(scaled)));
        QVERIFY2(!(tooFar.testAccuracy > good - 0.1), qPrintable(QString::number(tooFar.testAccuracy)));
    }

    void staleGradientsSpoilARateThatIsFineSynchronously() {
        Experiment experiment =
            with(SynchronizationKind::Asynchronous, PartitionKind::Disjoint, Architecture::ParameterServer);
        experiment.training.learningRate = 0.1;
        experiment.cluster.workers = 1;
        const Snapshot fresh = trained(experiment);
        experiment.cluster.workers = 64;
        const Snapshot stale = trained(experiment);
        QVERIFY(fresh.testAccuracy > 0.75);
        QVERIFY(stale.staleness.mean > 50);
        QVERIFY2(!(stale.testAccuracy > fresh.testAccuracy - 0.2), qPrintable(QString::number(stale.testAccuracy)));
    }

    void gradientDescentFallsFarBehindAtEqualPasses() {
        Experiment experiment = base();
        experiment.training.epochs = 2;
        const double stochastic = trained(experiment).testAccuracy;
        experiment.training.gradient = GradientKind::Full;
        const double full = trained(experiment).testAccuracy;
        QVERIFY2(full < stochastic - 0.3, qPrintable(QString::number(full)));
    }
};

QTEST_APPLESS_MAIN(TestVisibleEffects)
#include "test_visible_effects.moc"
