// Checkpoints: a run that goes on from one ends with the bits of one that was never interrupted, for every strategy.
#include "train/checkpoint.h"

#include <QTest>
#include <functional>

#include "core/train/small_data.h"
#include "train/run.h"
#include "train/training_engine.h"

using namespace lockstep;
using lockstep::test::smallData;
using lockstep::test::smallExperiment;

namespace {

using Change = std::function<void(Experiment&)>;

/// Four workers, two servers, uneven speeds, one epoch: 48 steps of 4 x 8 samples.
Experiment uneven(Architecture architecture) {
    Experiment experiment = smallExperiment(architecture, 4, 2);
    experiment.cluster.computeJitter = 0.3;
    experiment.cluster.stragglerCount = 1;
    experiment.cluster.stragglerSlowdown = 3;
    return experiment;
}

std::unique_ptr<TrainingEngine> engineOf(const Experiment& experiment, ThreadPool& pool) {
    auto engine = TrainingEngine::make(experiment, *smallData(), pool);
    if (!engine) qFatal("%s", engine.error().message.c_str());
    return *std::move(engine);
}

std::vector<std::uint64_t> hashesAtEnd(TrainingEngine& engine) {
    while (!engine.finished())
        if (engine.advance({}) != TrainingEngine::Advance::Stepped) return {};
    std::vector<std::uint64_t> hashes = engine.replicaHashes();
    hashes.push_back(engine.modelHash());
    return hashes;
}

RunResult runToEnd(const Experiment& experiment, RunOptions options) {
    Run run(experiment, smallData(), std::move(options));
    run.wait();
    return *run.result();
}

std::shared_ptr<const Checkpoint> checkpointAt(const Experiment& experiment, long long step) {
    RunOptions options;
    options.stopAtStep = step;
    Run run(experiment, smallData(), options);
    run.wait();
    return run.checkpoints().empty() ? nullptr : run.checkpoints().back();
}

}  // namespace

class TestCheckpoints : public QObject {
    Q_OBJECT

private slots:
    void goingOnGivesTheSameBits_data() {
        QTest::addColumn<Architecture>("architecture");
        QTest::addColumn<Change>("change");
        const auto row = [](const char* name, Architecture architecture, const Change& change) {
            QTest::newRow(name) << architecture << change;
        };
        const Architecture ring = Architecture::AllReduce, servers = Architecture::ParameterServer;
        const auto with = [](SynchronizationKind kind) {
            return [kind](Experiment& e) { e.training.synchronization = kind; };
        };
        row("bulk-synchronous ring", ring, [](Experiment&) {});
        row("bulk-synchronous servers", servers, [](Experiment&) {});
        row("backup workers", ring, [](Experiment& e) { e.training.backupWorkers = 1; });
        row("stale-synchronous", servers, with(SynchronizationKind::StaleSynchronous));
        row("asynchronous", servers, with(SynchronizationKind::Asynchronous));
        row("local-sgd ring", ring, with(SynchronizationKind::LocalSgd));
        row("local-sgd servers", servers, with(SynchronizationKind::LocalSgd));
        row("none", ring, with(SynchronizationKind::None));
        row("adam", servers, [](Experiment& e) { e.training.optimizer = OptimizerKind::Adam; });
        row("lars, clipped", ring, [](Experiment& e) {
            e.training.optimizer = OptimizerKind::Lars;
            e.training.gradientClipNorm = 1;
        });
        row("top-k", servers, [](Experiment& e) {
            e.training.compression = Compression::TopK;
            e.training.topKFraction = 0.05;
        });
        row("accumulation, cosine", ring, [](Experiment& e) {
            e.training.accumulationSteps = 2;
            e.training.schedule = RateSchedule::Cosine;
            e.training.warmupSteps = 5;
            e.training.epochs = 2;
        });
        row("batch normalization, replicated", ring, [](Experiment& e) {
            e.training.model = "residual-cnn";
            e.training.partition = PartitionKind::Replicated;
            e.training.maxSteps = 12;
        });
        row("different starts by label", servers, [](Experiment& e) {
            e.training.synchronization = SynchronizationKind::Asynchronous;
            e.training.partition = PartitionKind::ByLabel;
            e.training.initialization = Initialization::Different;
        });
    }
    void goingOnGivesTheSameBits() {
        QFETCH(Architecture, architecture);
        QFETCH(Change, change);
        Experiment experiment = uneven(architecture);
        change(experiment);
        ThreadPool pool(2);
        const auto straight = engineOf(experiment, pool);
        const auto expected = hashesAtEnd(*straight);
        QVERIFY(!expected.empty());

        const auto interrupted = engineOf(experiment, pool);
        for (int step = 0; step < 7; ++step) QVERIFY(interrupted->advance({}) == TrainingEngine::Advance::Stepped);
        const auto checkpoint = interrupted->save({});
        QVERIFY(checkpoint->bytes() <= interrupted->checkpointBytes() * 1.01);
        const auto other = engineOf(experiment, pool);
        for (int step = 0; step < 3; ++step) QVERIFY(other->advance({}) == TrainingEngine::Advance::Stepped);
        other->restore(*checkpoint);
        QCOMPARE(other->step(), 7LL);
        QCOMPARE(hashesAtEnd(*other), expected);
        QCOMPARE(hashesAtEnd(*interrupted), expected);  // saving changes nothing
    }

    void aRunForksWithTheSameBitsAndClocks() {
        const Experiment experiment = uneven(Architecture::ParameterServer);
        RunOptions options;
        options.modelledIteration_s = 0.5;
        const RunResult straight = runToEnd(experiment, options);
        options.stopAtStep = 20;
        Run first(experiment, smallData(), options);
        first.wait();
        QCOMPARE(first.result()->outcome, RunState::Stopped);
        QCOMPARE(first.checkpoints().size(), std::size_t(1));
        options.stopAtStep = 0;
        options.goOnFrom = first.checkpoints().back();
        const RunResult forked = runToEnd(experiment, options);
        QCOMPARE(forked.parametersHash, straight.parametersHash);
        QCOMPARE(forked.last.samplesSeen, straight.last.samplesSeen);
        QVERIFY(std::abs(forked.last.modelled_s - straight.last.modelled_s) < 1e-9 * straight.last.modelled_s);
        QCOMPARE(forked.last.bytesSent, straight.last.bytesSent);
        // Whenever snapshots come: the clock goes on from the fork's own step.
        options.goOnFrom = nullptr;
        options.stopAtStep = 23;
        options.snapshotEvery = 1000;
        Run second(experiment, smallData(), options);
        second.wait();
        options.stopAtStep = 0;
        options.goOnFrom = second.checkpoints().back();
        const RunResult other = runToEnd(experiment, options);
        QVERIFY(std::abs(other.last.modelled_s - straight.last.modelled_s) < 1e-9 * straight.last.modelled_s);
        QCOMPARE(other.last.samplesSeen, straight.last.samplesSeen);
    }

    void aForkMayChangeWhatTheNetworkDoesNotDependOn() {
        const auto checkpoint = checkpointAt(uneven(Architecture::ParameterServer), 20);
        QVERIFY(checkpoint);
        for (const int workers : {1, 2, 8}) {
            Experiment next = smallExperiment(Architecture::AllReduce, workers);
            RunOptions options;
            options.goOnFrom = checkpoint;
            std::vector<Snapshot> stream;
            options.onSnapshot = [&](const Snapshot& snapshot) { stream.push_back(snapshot); };
            const RunResult result = runToEnd(next, options);
            QCOMPARE(result.outcome, RunState::Done);
            QCOMPARE(stream.front().step, 20LL);
            QVERIFY(std::abs(stream.front().epoch - 20.0 / 48) < 1e-12);
            QVERIFY(std::abs(result.last.epoch - 1) < 0.05);
            // It begins with what was learnt: the first loss is that of a trained network (an untrained one has ln 4).
            QCOMPARE(stream.front().samplesSeen, checkpoint->last.samplesSeen);
            QVERIFY(stream.front().bytesSent >= checkpoint->last.bytesSent);
            QVERIFY2(stream[1].loss < 1.0, qPrintable(QString::number(stream[1].loss)));
        }
    }

    void changingNothingButTheNumberOfEpochsContinuesBulkSynchronousTrainingExactly() {
        Experiment two = smallExperiment(Architecture::AllReduce, 2);
        two.training.epochs = 2;
        const RunResult straight = runToEnd(two, {});
        Experiment one = two;
        one.training.epochs = 1;
        RunOptions options;
        options.goOnFrom = checkpointAt(one, 50);
        QCOMPARE(runToEnd(two, options).parametersHash, straight.parametersHash);
    }

    void anotherNetworkIsRefused() {
        RunOptions options;
        options.goOnFrom = checkpointAt(smallExperiment(), 5);
        Experiment next = smallExperiment();
        next.training.model = "mlp";
        const RunResult result = runToEnd(next, options);
        QCOMPARE(result.outcome, RunState::Failed);
        QVERIFY(result.error.find("training.model") != std::string::npos);
        next = smallExperiment();
        next.training.maxSteps = 5;
        QCOMPARE(runToEnd(next, options).outcome, RunState::Failed);
    }

    void checkpointsStayWithinTheirBytes() {
        Experiment experiment = smallExperiment();
        experiment.training.epochs = 4;  // 192 steps
        ThreadPool pool(1);
        const double each = engineOf(experiment, pool)->checkpointBytes();
        RunOptions options;
        options.checkpointEvery = 4;
        options.checkpointBytes = 5.5 * each;
        Run run(experiment, smallData(), options);
        run.wait();
        const auto kept = run.checkpoints();
        double bytes = 0;
        for (const auto& checkpoint : kept) bytes += checkpoint->bytes();
        QVERIFY(bytes <= options.checkpointBytes);
        QVERIFY(kept.size() >= 3 && kept.size() <= 5);
        for (std::size_t i = 1; i < kept.size(); ++i) QVERIFY(kept[i]->step > kept[i - 1]->step);
        options.checkpointBytes = 0.5 * each;
        Run none(experiment, smallData(), options);
        none.wait();
        QVERIFY(none.checkpoints().empty());
    }
};

QTEST_APPLESS_MAIN(TestCheckpoints)
#include "test_checkpoints.moc"
