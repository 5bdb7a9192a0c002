// The golden rules of synchronous training: workers together equal one worker, however they are brought together.
#include "train/training_engine.h"

#include <QTest>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "core/train/trained.h"

using namespace lockstep;
using lockstep::test::relativeDistance;
using lockstep::test::smallData;
using lockstep::test::smallExperiment;
using lockstep::test::train;
using lockstep::test::Trained;

namespace {

bool allEqual(const std::vector<std::uint64_t>& hashes) {
    return std::ranges::all_of(hashes, [&](std::uint64_t hash) { return hash == hashes.front(); });
}

/// One worker with the N-fold batch. Its rate is the same: linear scaling looks at the samples behind an update.
Experiment asOneWorker(Experiment experiment, int workers) {
    experiment.cluster.architecture = Architecture::SingleNode;
    experiment.training.batchPerWorker *= workers;
    return experiment;
}

}  // namespace

class TestTrainingEngine : public QObject {
    Q_OBJECT

private slots:
    // EXPERIMENT.md, "How data are dealt": equal to 1e-4 of the norm after 20 steps.
    void workersTogetherEqualOneWithTheWholeBatch_data() {
        QTest::addColumn<int>("architecture");
        QTest::addColumn<int>("optimizer");
        QTest::addColumn<int>("workers");
        QTest::addColumn<double>("rate");
        for (const auto architecture : {Architecture::AllReduce, Architecture::ParameterServer})
            for (const auto& [name, optimizer, rate] : {std::tuple{"sgd", OptimizerKind::Sgd, 0.01},
                                                        {"momentum", OptimizerKind::Momentum, 0.01},
                                                        {"nesterov", OptimizerKind::Nesterov, 0.01},
                                                        {"adam", OptimizerKind::Adam, 0.001},
                                                        {"lars", OptimizerKind::Lars, 1.0}})
                for (const int workers : {2, 3, 8})
                    QTest::addRow("%s, %s, %d workers", architecture == Architecture::AllReduce ? "ring" : "servers",
                                  name, workers)
                        << int(architecture) << int(optimizer) << workers << rate;
    }
    void workersTogetherEqualOneWithTheWholeBatch() {
        QFETCH(int, architecture);
        QFETCH(int, optimizer);
        QFETCH(int, workers);
        QFETCH(double, rate);
        Experiment experiment = smallExperiment(static_cast<Architecture>(architecture), workers, 2);
        experiment.training.optimizer = static_cast<OptimizerKind>(optimizer);
        experiment.training.learningRate = rate;
        experiment.training.weightDecay = 1e-4;
        experiment.training.gradientClipNorm = 0.5;
        const Trained together = train(experiment), alone = train(asOneWorker(experiment, workers));
        const Trained start = train(experiment, 0);
        QVERIFY2(relativeDistance(start, alone) > 1e-3, "the run must have moved for the comparison to mean anything");
        QVERIFY2(relativeDistance(together, alone) < 1e-4,
                 qPrintable(QString::number(relativeDistance(together, alone))));
        QVERIFY(allEqual(together.hashes));
    }

    void everyAlgorithmAndAnyNumberOfServersAgreeToRounding() {
        const Trained ring = train(smallExperiment());
        for (const auto algorithm :
             {AllReduceAlgorithm::Tree, AllReduceAlgorithm::HalvingDoubling, AllReduceAlgorithm::Naive}) {
            Experiment experiment = smallExperiment();
            experiment.cluster.allreduce = algorithm;
            QVERIFY(relativeDistance(train(experiment), ring) < 1e-5);
        }
        for (const auto sharding : {Sharding::Bytes, Sharding::Tensors})
            for (const int servers : {1, 2, 3}) {
                Experiment experiment = smallExperiment(Architecture::ParameterServer, 4, servers);
                experiment.cluster.sharding = sharding;
                QVERIFY(relativeDistance(train(experiment), ring) < 1e-5);
            }
    }

    // Where nothing needs the whole vector's norm, slicing it changes no bit.
    void anyNumberOfServersGivesTheSameBits() {
        const Trained one = train(smallExperiment(Architecture::ParameterServer, 4, 1));
        for (const int servers : {2, 3, 7})
            QCOMPARE(train(smallExperiment(Architecture::ParameterServer, 4, servers)).hashes, one.hashes);
    }

    void bitsDoNotDependOnTheNumberOfThreads_data() {
        QTest::addColumn<int>("synchronization");
        QTest::addColumn<int>("workers");
        for (const int workers : {1, 3, 4}) {
            QTest::addRow("bulk-synchronous, %d", workers) << int(SynchronizationKind::BulkSynchronous) << workers;
            QTest::addRow("stale-synchronous, %d", workers) << int(SynchronizationKind::StaleSynchronous) << workers;
            QTest::addRow("asynchronous, %d", workers) << int(SynchronizationKind::Asynchronous) << workers;
            QTest::addRow("local-sgd, %d", workers) << int(SynchronizationKind::LocalSgd) << workers;
            QTest::addRow("none, %d", workers) << int(SynchronizationKind::None) << workers;
        }
    }
    void bitsDoNotDependOnTheNumberOfThreads() {
        QFETCH(int, synchronization);
        QFETCH(int, workers);
        Experiment experiment = smallExperiment(Architecture::ParameterServer, workers, 2);
        experiment.training.synchronization = static_cast<SynchronizationKind>(synchronization);
        experiment.cluster.computeJitter = 0.3;
        experiment.training.gradientClipNorm = 1;
        const Trained one = train(experiment, 30, 1);
        for (const int threads : {2, 4}) {
            const Trained more = train(experiment, 30, threads);
            QCOMPARE(more.hashes, one.hashes);
            QVERIFY(more.model == one.model);
            QCOMPARE(more.snapshot.loss, one.snapshot.loss);
            QCOMPARE(more.snapshot.divergence.maxPairwiseDistance, one.snapshot.divergence.maxPairwiseDistance);
        }
    }

    void anotherSeedGivesOtherBits() {
        Experiment experiment = smallExperiment();
        const Trained first = train(experiment);
        QCOMPARE(train(experiment).hashes, first.hashes);
        experiment.training.seed = 2;
        QVERIFY(train(experiment).hashes != first.hashes);
    }

    // Replicas that start apart stay apart by the same vector when all apply the same mean gradient; servers end that
    // with the first pull.
    void differentStartsStayApartUnderAllReduceOnly() {
        Experiment experiment = smallExperiment();
        experiment.training.initialization = Initialization::Different;
        experiment.training.optimizer = OptimizerKind::Sgd;
        const double before = train(experiment, 0).snapshot.divergence.maxPairwiseDistance;
        const double after = train(experiment, 20).snapshot.divergence.maxPairwiseDistance;
        QVERIFY(before > 1);
        QVERIFY(std::abs(after - before) < 1e-4 * before);
        experiment.cluster.architecture = Architecture::ParameterServer;
        QVERIFY(allEqual(train(experiment).hashes));
    }

    void accumulationEqualsTheLargerBatch() {
        Experiment one = smallExperiment(Architecture::SingleNode), accumulated = one;
        one.training.batchPerWorker = 32;
        accumulated.training.accumulationSteps = 4;
        QVERIFY(relativeDistance(train(accumulated), train(one)) < 1e-5);
    }

    // A ring of W sends 2 (W - 1) / W of the vector from each rank; servers get and give all of it for each worker, and
    // the first pull comes before the first step.
    void bytesAreThoseOfTheMessages() {
        const double vector = sizeof(float) * static_cast<double>(train(smallExperiment(), 0).model.size());
        QCOMPARE(train(smallExperiment(), 10).snapshot.bytesSent, 10 * 2 * 3 * vector);
        Experiment servers = smallExperiment(Architecture::ParameterServer, 4, 2);
        QCOMPARE(train(servers, 10).snapshot.bytesSent, (10 * 8 + 4) * vector);
        servers.cluster.serverPlacement = ServerPlacement::CoLocated;
        QCOMPARE(train(servers, 10).snapshot.bytesSent, (10 * 6 + 3) * vector);
        servers.training.compression = Compression::Fp16;
        QCOMPARE(train(servers, 10).snapshot.bytesSent, (10 * 4.5 + 3) * vector);
        QCOMPARE(train(smallExperiment(Architecture::SingleNode), 10).snapshot.bytesSent, 0.0);
    }

    void trainingLearns() {
        ThreadPool pool(1);
        Experiment experiment = smallExperiment(Architecture::AllReduce, 2);
        experiment.training.learningRate = 0.02;
        auto engine = TrainingEngine::make(experiment, *smallData(), pool).value();
        Snapshot before, after;
        engine->test(before, true, {});
        while (!engine->finished()) QVERIFY(engine->advance({}) == TrainingEngine::Advance::Stepped);
        engine->test(after, true, {});
        QVERIFY(before.testAccuracy < 0.5);
        QVERIFY2(after.testAccuracy > 0.8, qPrintable(QString::number(after.testAccuracy)));
        QCOMPARE(engine->step(), 96LL);  // floor(1536 / (2 * 8))
    }

    // Wherever within a step a stop comes, going on afterwards gives the bits of a run that was never stopped.
    void stopsWithinStepsChangeNothing_data() {
        QTest::addColumn<int>("workers");
        QTest::addColumn<int>("batch");
        QTest::newRow("workers by themselves") << 4 << 32;
        QTest::newRow("one batch on all threads") << 1 << 512;
    }
    void stopsWithinStepsChangeNothing() {
        QFETCH(int, workers);
        QFETCH(int, batch);
        Experiment experiment = smallExperiment(Architecture::ParameterServer, workers, 2);
        experiment.training.resolutionPx = 32;
        experiment.training.batchPerWorker = batch;
        ThreadPool pool(2);
        const auto finish = [&](bool stopping) {
            auto engine = TrainingEngine::make(experiment, *smallData(), pool).value();
            int stops = 0;
            for (int turn = 0; engine->step() < 3; ++turn) {
                std::stop_source source;
                std::jthread stopper;
                if (stopping && turn < 60) {
                    stopper = std::jthread([&source, turn] {
                        std::this_thread::sleep_for(std::chrono::microseconds(100 * turn));
                        source.request_stop();
                    });
                }
                stops += engine->advance(source.get_token()) == TrainingEngine::Advance::Stopped;
            }
            if (stopping && stops == 0) qWarning("no stop came in time");
            return engine->replicaHashes();
        };
        QCOMPARE(finish(true), finish(false));
    }

    // Each gradient is e + noise, so |G|^2 and tr(S) are positive; their ratio must lie between one sample and many.
    void noiseScaleIsMeasuredFromTheWorkersGradients() {
        const Snapshot snapshot = train(smallExperiment(), 15).snapshot;
        QVERIFY2(snapshot.gradientNoiseScale > 1 && snapshot.gradientNoiseScale < 1e5,
                 qPrintable(QString::number(snapshot.gradientNoiseScale)));
        QVERIFY(std::isnan(train(smallExperiment(Architecture::SingleNode), 15).snapshot.gradientNoiseScale));
    }
};

QTEST_GUILESS_MAIN(TestTrainingEngine)
#include "test_training_engine.moc"
