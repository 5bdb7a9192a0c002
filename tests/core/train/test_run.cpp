// The run's thread: controls, outcomes, snapshots.
#include "train/run.h"

#include <QTest>
#include <chrono>
#include <cmath>
#include <thread>

#include "core/train/small_data.h"

using namespace lockstep;
using lockstep::test::smallData;
using lockstep::test::smallExperiment;

namespace {

bool waitFor(const std::function<bool()>& condition) {
    for (int i = 0; i < 20000 && !condition(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return condition();
}

std::shared_ptr<const RunResult> runToEnd(const Experiment& experiment, RunOptions options = {}) {
    Run run(experiment, smallData(), std::move(options));
    run.wait();
    return run.result();
}

/// Far more steps than a test would wait for.
Experiment endless() {
    Experiment experiment = smallExperiment();
    experiment.training.epochs = 1e6;
    return experiment;
}

}  // namespace

class TestRun : public QObject {
    Q_OBJECT

private slots:
    void snapshotsComeAtStepZeroAndEveryTenAndAtTheEnd() {
        std::vector<Snapshot> stream;
        RunOptions options;
        options.onSnapshot = [&](const Snapshot& snapshot) { stream.push_back(snapshot); };
        const auto result = runToEnd(smallExperiment(), options);  // 48 steps
        QCOMPARE(result->outcome, RunState::Done);
        std::vector<long long> steps;
        for (const Snapshot& snapshot : stream) steps.push_back(snapshot.step);
        QCOMPARE(steps, (std::vector<long long>{0, 10, 20, 30, 40, 48}));
        QVERIFY(std::isnan(stream[0].loss) && std::isnan(stream[0].testAccuracy));
        QVERIFY(std::isnan(stream[1].testAccuracy) && stream[1].loss > 0 && stream[1].measuredSamplesPerS > 0);
        QVERIFY(stream.back().testAccuracy > 0.5 && stream.back().testLoss > 0);
        QCOMPARE(stream.back().samplesSeen, 1536LL);
        QCOMPARE(stream.back().epoch, 1.0);
        QCOMPARE(result->last.step, 48LL);
        QCOMPARE(result->parametersHashPerReplica.size(), std::size_t(4));
        QCOMPARE(result->parametersHashPerReplica.front(), result->parametersHash);
    }

    void testsComeEachEpochOrAsAsked() {
        const auto testedSteps = [](int testEvery) {
            Experiment experiment = smallExperiment();
            experiment.training.epochs = 2.5;  // 120 steps
            std::vector<long long> steps;
            RunOptions options;
            options.testEvery = testEvery;
            options.onSnapshot = [&](const Snapshot& snapshot) {
                if (!std::isnan(snapshot.testAccuracy)) steps.push_back(snapshot.step);
            };
            runToEnd(experiment, options);
            return steps;
        };
        QCOMPARE(testedSteps(0), (std::vector<long long>{48, 96, 120}));
        QCOMPARE(testedSteps(50), (std::vector<long long>{50, 100, 120}));
    }

    void maxStepsEndsTheRunFirst() {
        Experiment experiment = smallExperiment();
        experiment.training.maxSteps = 7;
        QCOMPARE(runToEnd(experiment)->last.step, 7LL);
    }

    void hashIsTheSameForAnyThreadsMetersAndPauses() {
        const auto hash = [](RunOptions options) {
            return runToEnd(smallExperiment(), std::move(options))->parametersHash;
        };
        RunOptions one, two, eager;
        one.threads = 1;
        two.threads = 2;
        eager.threads = 4;
        eager.snapshotEvery = 1;
        eager.testEvery = 3;
        const std::uint64_t expected = hash(one);
        QCOMPARE(hash(two), expected);
        QCOMPARE(hash(eager), expected);

        RunOptions paused;
        paused.startPaused = true;
        Run run(smallExperiment(), smallData(), paused);
        QVERIFY(waitFor([&] { return run.state() == RunState::Paused; }));
        for (int i = 1; i <= 5; ++i) {
            run.stepOnce();
            QVERIFY(waitFor([&] { return run.latest()->step == i && run.state() == RunState::Paused; }));
        }
        run.resume();
        run.wait();
        QCOMPARE(run.result()->parametersHash, expected);
    }

    void aPausedRunStandsStillAndItsClockToo() {
        Run run(endless(), smallData(), {});
        QVERIFY(waitFor([&] { return run.latest() && run.latest()->step > 0; }));
        run.pause();
        QVERIFY(waitFor([&] { return run.state() == RunState::Paused; }));
        const long long before = run.latest()->step;
        run.stepOnce();
        QVERIFY(waitFor([&] { return run.latest()->step > before && run.state() == RunState::Paused; }));
        const auto first = run.latest();
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        QVERIFY(run.latest() == first);
        run.stepOnce();
        QVERIFY(waitFor([&] { return run.latest()->step == first->step + 1; }));
        QVERIFY(run.latest()->wall_s - first->wall_s < 0.15);
    }

    void aStopEndsARunAndKeepsWhatItReached() {
        Run run(endless(), smallData(), {});
        QVERIFY(waitFor([&] { return run.latest() && run.latest()->step > 0; }));
        run.requestStop();
        run.wait();
        QCOMPARE(run.state(), RunState::Stopped);
        QCOMPARE(run.result()->outcome, RunState::Stopped);
        QVERIFY(run.result()->last.step > 0);
        QCOMPARE(run.latest()->step, run.result()->last.step);
        QVERIFY(!run.history()->empty());
    }

    void aStopReachesAPausedAndAThrottledRun() {
        RunOptions paused, slow;
        paused.startPaused = true;
        slow.maxStepsPerSecond = 0.01;
        for (const RunOptions& options : {paused, slow}) {
            Run run(endless(), smallData(), options);
            QVERIFY(waitFor([&] { return run.latest() != nullptr; }));
            run.requestStop();
            run.wait();
            QCOMPARE(run.result()->outcome, RunState::Stopped);
            QVERIFY(run.result()->last.step <= 1);
        }
    }

    // The whole shard of 1,536 images in one batch, on one thread: the stop must reach into the step.
    void aStopReachesIntoALargeBatch() {
        Experiment experiment = endless();
        experiment.cluster.architecture = Architecture::SingleNode;
        experiment.training.resolutionPx = 64;
        experiment.training.batchPerWorker = 1536;
        RunOptions options;
        options.threads = 1;
        Run run(experiment, smallData(), options);
        QVERIFY(waitFor([&] { return run.latest() != nullptr; }));
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        const auto start = std::chrono::steady_clock::now();
        run.requestStop();
        run.wait();
        const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start;
        QCOMPARE(run.result()->outcome, RunState::Stopped);
        qInfo("stopped after %.1f ms", taken.count());
        QVERIFY2(taken.count() < 1000, "far below the time of one step");
    }

    void tuningTakesEffect() {
        RunOptions options;
        options.startPaused = true;
        Run run(endless(), smallData(), options);
        QVERIFY(waitFor([&] { return run.state() == RunState::Paused; }));
        const double before = run.latest()->learningRate;
        run.tune({.learningRate = 0.002});
        run.stepOnce();
        QVERIFY(waitFor([&] { return run.latest()->step == 1; }));
        QVERIFY(std::abs(run.latest()->learningRate - before * 0.2) < 1e-12);
    }

    void aRateThatIsFarTooHighDivergesWithItsCurve() {
        Experiment experiment = smallExperiment();
        experiment.training.learningRate = 1e6;
        RunOptions options;
        options.snapshotEvery = 1;
        Run run(experiment, smallData(), options);
        run.wait();
        QCOMPARE(run.result()->outcome, RunState::Diverged);
        QVERIFY(run.result()->divergedAtStep.has_value());
        QVERIFY(*run.result()->divergedAtStep >= 1);
        QVERIFY(run.history()->size() >= 2);
        QCOMPARE(run.result()->error, std::string());
    }

    void memoryIsEstimatedAndRefused() {
        Experiment experiment = smallExperiment(Architecture::AllReduce, 64);
        QVERIFY(checkRun(experiment, *smallData(), 1e9).has_value());
        const auto refused = checkRun(experiment, *smallData(), 1e5);
        QVERIFY(!refused.has_value());
        QVERIFY(refused.error().message.find("memory") != std::string::npos);
        experiment.training.batchPerWorker = 1000;
        QVERIFY(!checkRun(experiment, *smallData(), 1e9).has_value());
        experiment = smallExperiment();
        experiment.training.model = "transformer";
        QVERIFY(!checkRun(experiment, *smallData(), 1e9).has_value());
    }

    void aRunThatCannotBeFailsWithALine() {
        Experiment experiment = smallExperiment();
        experiment.training.batchPerWorker = 1000;
        const auto result = runToEnd(experiment);
        QCOMPARE(result->outcome, RunState::Failed);
        QVERIFY(result->error.find("training.batch_per_worker") != std::string::npos);
    }

    void placesAreKeptInTheNewestOnly() {
        Experiment experiment = smallExperiment();
        experiment.training.synchronization = SynchronizationKind::None;
        Run run(experiment, smallData(), {});
        run.wait();
        const auto history = run.history();
        QVERIFY(history->front().replicas.empty());
        QCOMPARE(history->back().replicas.size(), std::size_t(4));
        QVERIFY(history->back().replicas[0].x != history->back().replicas[1].x);
        QVERIFY(history->back().replicas[0].testAccuracy > 0);
        QVERIFY(history->back().replicas[0].loss > 0);
        QVERIFY(run.history() == history);
    }
};

QTEST_GUILESS_MAIN(TestRun)
#include "test_run.moc"
