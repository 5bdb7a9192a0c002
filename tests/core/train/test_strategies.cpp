// Strategies that do not wait for everybody, against their definitions.
#include <QTest>
#include <algorithm>
#include <cmath>

#include "core/train/trained.h"

using namespace lockstep;
using lockstep::test::relativeDistance;
using lockstep::test::smallData;
using lockstep::test::smallExperiment;
using lockstep::test::train;
using lockstep::test::Trained;

namespace {

Experiment with(SynchronizationKind kind, Architecture architecture = Architecture::ParameterServer) {
    Experiment experiment = smallExperiment(architecture, 4, 2);
    experiment.training.synchronization = kind;
    return experiment;
}

}  // namespace

class TestStrategies : public QObject {
    Q_OBJECT

private slots:
    void replicasWithoutSynchronizationDriftFromTheFirstStepOn() {
        const Experiment experiment = with(SynchronizationKind::None);
        const Trained before = train(experiment, 0), one = train(experiment, 1), later = train(experiment, 20);
        QCOMPARE(before.snapshot.divergence.meanDistanceToAverage, 0.0);
        QCOMPARE(before.snapshot.divergence.maxPairwiseDistance, 0.0);
        QCOMPARE(before.snapshot.divergence.predictionDisagreement, 0.0);
        QVERIFY(one.snapshot.divergence.meanDistanceToAverage > 0);
        QVERIFY(later.snapshot.divergence.meanDistanceToAverage > one.snapshot.divergence.meanDistanceToAverage);
        QVERIFY(later.snapshot.divergence.predictionDisagreement > 0);
        QCOMPARE(later.snapshot.bytesSent, 0.0);
        QVERIFY(std::ranges::adjacent_find(later.hashes) == later.hashes.end());
        QVERIFY(later.snapshot.averageModelTestAccuracy > 0.25);
    }

    // Each replica alone is a worker of its own: the single node on the same shard gives the same bits.
    void aReplicaWithoutSynchronizationIsASingleNode() {
        Experiment alone = with(SynchronizationKind::None);
        alone.training.workers = 1;
        alone.training.synchronization = SynchronizationKind::None;
        Experiment single = smallExperiment(Architecture::SingleNode);
        QCOMPARE(train(alone).hashes, train(single).hashes);
    }

    // EXPERIMENT.md: H = 1 equals bulk-synchronous to rounding for sgd, momentum and nesterov.
    void localSgdWithOneStepIsBulkSynchronous_data() {
        QTest::addColumn<int>("architecture");
        QTest::addColumn<int>("optimizer");
        for (const auto architecture : {Architecture::AllReduce, Architecture::ParameterServer})
            for (const auto optimizer : {OptimizerKind::Sgd, OptimizerKind::Momentum, OptimizerKind::Nesterov})
                QTest::addRow("%d %d", int(architecture), int(optimizer)) << int(architecture) << int(optimizer);
    }
    void localSgdWithOneStepIsBulkSynchronous() {
        QFETCH(int, architecture);
        QFETCH(int, optimizer);
        Experiment experiment = with(SynchronizationKind::LocalSgd, static_cast<Architecture>(architecture));
        experiment.training.optimizer = static_cast<OptimizerKind>(optimizer);
        experiment.training.localSteps = 1;
        experiment.training.learningRate = 0.04;
        experiment.training.learningRateScaling = RateScaling::None;
        Experiment synchronous = experiment;
        synchronous.training.synchronization = SynchronizationKind::BulkSynchronous;
        QVERIFY(relativeDistance(train(experiment, 0), train(synchronous)) > 1e-3);
        QVERIFY(relativeDistance(train(experiment), train(synchronous)) < 1e-5);
    }

    void localSgdMeetsEveryHSteps() {
        Experiment experiment = with(SynchronizationKind::LocalSgd, Architecture::AllReduce);
        experiment.training.localSteps = 5;
        QVERIFY(train(experiment, 4).snapshot.divergence.meanDistanceToAverage > 0);
        QCOMPARE(train(experiment, 5).snapshot.divergence.maxPairwiseDistance, 0.0);
        QVERIFY(train(experiment, 6).snapshot.divergence.meanDistanceToAverage > 0);
        // Parameters and momentum, by a ring of four, twice.
        const Trained ten = train(experiment, 10);
        QCOMPARE(ten.snapshot.bytesSent, 2 * 2 * 2 * 3 * 4.0 * static_cast<double>(ten.model.size()));
    }

    // EXPERIMENT.md: s = 0 is bulk-synchronous, bit for bit with the parameter server, whoever is slow.
    void stalenessBoundZeroIsBulkSynchronousBitForBit() {
        for (const double jitter : {0.0, 0.5}) {
            Experiment stale = with(SynchronizationKind::StaleSynchronous);
            stale.training.stalenessBound = 0;
            stale.cluster.computeJitter = jitter;
            stale.cluster.stragglerCount = 1;
            stale.cluster.stragglerSlowdown = 3;
            Experiment synchronous = stale;
            synchronous.training.synchronization = SynchronizationKind::BulkSynchronous;
            const Trained one = train(stale);
            QVERIFY(one.model == train(synchronous).model);
            QCOMPARE(one.snapshot.staleness.max, 0.0);
        }
    }

    // One worker three times slower: the others run ahead, but never use parameters older than the bound.
    void stalenessStaysWithinItsBound() {
        Experiment experiment = with(SynchronizationKind::StaleSynchronous);
        experiment.cluster.computeJitter = 0.2;
        experiment.cluster.stragglerCount = 1;
        experiment.cluster.stragglerSlowdown = 3;
        for (const int bound : {1, 2, 5}) {
            experiment.training.stalenessBound = bound;
            const Trained trained = train(experiment, 40);
            QVERIFY(trained.snapshot.staleness.mean > 0);
            QCOMPARE(trained.snapshot.staleness.max, double(bound));
        }
    }

    // Equal workers take turns: in the steady state each sees the N - 1 updates of the others between pull and push.
    void asynchronousStalenessIsTheNumberOfOthers() {
        const Trained trained = train(with(SynchronizationKind::Asynchronous), 40);
        // The first round has 0, 1, 2, 3, every later gradient 3.
        QCOMPARE(trained.snapshot.staleness.max, 3.0);
        QCOMPARE(trained.snapshot.staleness.mean, (0 + 1 + 2 + 3 + 36 * 3) / 40.0);
        QCOMPARE(trained.modelledIterations, 10.0);
        QCOMPARE(trained.snapshot.samplesSeen, 40LL * 8);
        QVERIFY(trained.snapshot.divergence.meanDistanceToAverage > 0);
    }

    void anAsynchronousWorkerAloneIsASingleNode() {
        Experiment alone = with(SynchronizationKind::Asynchronous);
        alone.training.workers = 1;
        QVERIFY(train(alone).model == train(smallExperiment(Architecture::SingleNode)).model);
    }

    // The straggler's gradient is the one that is dropped: three workers' samples each step.
    void backupWorkersDropTheSlowest() {
        Experiment experiment = with(SynchronizationKind::BulkSynchronous);
        experiment.cluster.stragglerCount = 1;
        experiment.cluster.stragglerSlowdown = 3;
        QCOMPARE(train(experiment, 10).snapshot.samplesSeen, 10LL * 4 * 8);
        experiment.training.backupWorkers = 1;
        const Trained backed = train(experiment, 10);
        QCOMPARE(backed.snapshot.samplesSeen, 10LL * 3 * 8);
        experiment.cluster.stragglerSlowdown = 30;
        QVERIFY(train(experiment, 10).model == backed.model);
    }

    // The modelled clock counts the cluster model's iterations: where workers wait, one a step, however long it takes;
    // where they do not, one for every N updates.
    void theModelledClockCountsTheClustersIterations() {
        Experiment experiment = with(SynchronizationKind::BulkSynchronous);
        QCOMPARE(train(experiment, 10).modelledIterations, 10.0);
        experiment.cluster.stragglerCount = 1;
        experiment.cluster.stragglerSlowdown = 3;
        QCOMPARE(train(experiment, 10).modelledIterations, 10.0);
        experiment.training.backupWorkers = 1;
        QCOMPARE(train(experiment, 10).modelledIterations, 10.0);
        experiment.training.backupWorkers = 0;
        // On links that take no time, three workers give an update each unit of time, one gives one every three: 40
        // updates in 12 units.
        experiment.training.synchronization = SynchronizationKind::Asynchronous;
        experiment.cluster.linkLatencyS = 0;
        experiment.cluster.linkBandwidthBitPerS = 1e30;
        QCOMPARE(train(experiment, 40).modelledIterations, 10.0);
        // The first clock of the slow one ends with its third unit, the tenth with its thirtieth.
        experiment.training.synchronization = SynchronizationKind::StaleSynchronous;
        QCOMPARE(train(experiment, 10).modelledIterations, 10.0);
    }

    // On links without latency the ring is cheapest, on slow ones with few bytes the naive algorithm, which has two
    // steps.
    void autoTakesTheCheapestAlgorithm() {
        const auto hashes = [](AllReduceAlgorithm algorithm, double latency_s) {
            Experiment experiment = with(SynchronizationKind::BulkSynchronous, Architecture::AllReduce);
            experiment.cluster.workers = 5;
            experiment.cluster.allreduce = algorithm;
            experiment.cluster.linkLatencyS = latency_s;
            return train(experiment, 10).hashes;
        };
        const auto ring = hashes(AllReduceAlgorithm::Ring, 0), naive = hashes(AllReduceAlgorithm::Naive, 0);
        QVERIFY(ring != naive);
        QCOMPARE(hashes(AllReduceAlgorithm::Auto, 0), ring);
        QCOMPARE(hashes(AllReduceAlgorithm::Auto, 1), naive);
    }

    // The dropped rank is always the last: three workers' mean, the same over a ring as over servers.
    void backupWorkersAgreeOverRingAndServers() {
        Experiment experiment = with(SynchronizationKind::BulkSynchronous);
        experiment.cluster.stragglerCount = 1;
        experiment.cluster.stragglerSlowdown = 2;
        experiment.training.backupWorkers = 1;
        const Trained servers = train(experiment);
        experiment.cluster.architecture = Architecture::AllReduce;
        QVERIFY(relativeDistance(train(experiment), servers) < 1e-5);
        experiment.training.backupWorkers = 0;
        QVERIFY(relativeDistance(train(experiment), servers) > 1e-3);
    }

    // One full gradient over all shards is the full gradient of one worker that holds everything.
    void fullGradientsOverShardsAreTheFullGradient() {
        Experiment experiment = with(SynchronizationKind::BulkSynchronous);
        experiment.training.gradient = GradientKind::Full;
        experiment.training.learningRateScaling = RateScaling::None;
        experiment.training.learningRate = 0.05;
        Experiment alone = experiment;
        alone.cluster.architecture = Architecture::SingleNode;
        const Trained together = train(experiment, 5);
        QVERIFY(relativeDistance(together, train(alone, 5)) < 1e-5);
        QCOMPARE(together.snapshot.samplesSeen, 5LL * 1536);
        QCOMPARE(together.snapshot.epoch, 5.0);
    }

    void compressionChangesLittleOrMuch() {
        const Trained exact = train(with(SynchronizationKind::BulkSynchronous));
        Experiment half = with(SynchronizationKind::BulkSynchronous), top = half, all = half;
        half.training.compression = Compression::Fp16;
        top.training.compression = all.training.compression = Compression::TopK;
        top.training.topKFraction = 0.01;
        all.training.topKFraction = 1;
        const double fp16 = relativeDistance(train(half), exact), sparse = relativeDistance(train(top), exact);
        QVERIFY(fp16 > 0 && fp16 < 1e-3);
        QVERIFY(sparse > 1e-3);
        QVERIFY(train(all).model == exact.model);
    }

    void byLabelWorkersSeeFewClassesAndDriftFurther() {
        Experiment random = with(SynchronizationKind::None), sorted = random;
        sorted.training.partition = PartitionKind::ByLabel;
        const Snapshot mixed = train(random, 40).snapshot, apart = train(sorted, 40).snapshot;
        QVERIFY(apart.divergence.meanDistanceToAverage > mixed.divergence.meanDistanceToAverage);
        QVERIFY(apart.testAccuracy < mixed.testAccuracy);
    }

    void contradictionsAreRefused() {
        ThreadPool pool(1);
        const auto refused = [&](const Experiment& experiment) {
            return !TrainingEngine::make(experiment, *smallData(), pool).has_value();
        };
        QVERIFY(refused(with(SynchronizationKind::Asynchronous, Architecture::AllReduce)));
        QVERIFY(refused(with(SynchronizationKind::StaleSynchronous, Architecture::AllReduce)));
        Experiment large = with(SynchronizationKind::BulkSynchronous);
        large.training.batchPerWorker = 385;  // 1536 / 4 = 384
        QVERIFY(refused(large));
        large.training.batchPerWorker = 384;
        QVERIFY(!refused(large));
        Experiment backup = with(SynchronizationKind::BulkSynchronous);
        backup.training.backupWorkers = 4;
        QVERIFY(refused(backup));
    }
};

QTEST_GUILESS_MAIN(TestStrategies)
#include "test_strategies.moc"
