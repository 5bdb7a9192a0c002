// The input pipelines of a run: what limits them by wall clock, and that nothing of it changes a bit.
#include <QTest>
#include <chrono>
#include <cmath>
#include <thread>

#include "core/train/small_data.h"
#include "train/loading_pace.h"
#include "train/run.h"
#include "train/training_engine.h"

using namespace lockstep;
using lockstep::test::smallData;
using lockstep::test::smallExperiment;

namespace {

using Clock = std::chrono::steady_clock;

bool waitFor(const std::function<bool()>& condition) {
    for (int i = 0; i < 20000 && !condition(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return condition();
}

std::vector<std::uint64_t> hashesOf(const Experiment& experiment, int threads, long long steps) {
    ThreadPool pool(threads);
    auto engine = TrainingEngine::make(experiment, *smallData(), pool);
    if (!engine) qFatal("%s", engine.error().message.c_str());
    while ((*engine)->step() < steps)
        if ((*engine)->advance({}) != TrainingEngine::Advance::Stepped) qFatal("did not step");
    std::vector<std::uint64_t> hashes = (*engine)->replicaHashes();
    hashes.push_back((*engine)->modelHash());
    return hashes;
}

/// One worker, batches of 8: far more than a test would wait for.
Experiment starving(double samplesPerS) {
    Experiment experiment = smallExperiment(Architecture::SingleNode);
    experiment.training.epochs = 1e6;
    experiment.cluster.loaderSamplesPerS = samplesPerS;
    return experiment;
}

}  // namespace

class TestLoading : public QObject {
    Q_OBJECT

private slots:
    // From the first request on never more than rate x time; the sum of waits is what the rate asks for.
    void thePaceIsNeverExceeded() {
        LoadingPace pace(1000);
        std::this_thread::sleep_for(std::chrono::milliseconds(50));  // loads nothing before it is asked
        const Clock::time_point begin = Clock::now();
        double delivered = 0;
        for (int i = 0; i < 10; ++i) {
            QVERIFY(pace.await({.samples = 20, .queueSamples = 40}, {}));
            delivered += 20;
            QVERIFY(delivered <= 1000 * secondsSince(begin));
        }
    }

    void aPauseFillsTheQueueAndNoMore() {
        LoadingPace pace(200);
        QVERIFY(pace.await({.samples = 4, .queueSamples = 10}, {}));
        std::this_thread::sleep_for(std::chrono::milliseconds(200));  // 40 samples' worth
        const Clock::time_point begin = Clock::now();
        double delivered = 0;
        for (int i = 0; i < 8; ++i) {
            QVERIFY(pace.await({.samples = 5, .queueSamples = 10}, {}));
            delivered += 5;
            QVERIFY(delivered <= 10 + 200 * secondsSince(begin) + 1e-6);
        }
    }

    void eachNodeHasAPaceOfItsOwn() {
        LoadingPace pace(100);
        const Clock::time_point begin = Clock::now();
        std::jthread other([&] { pace.await({.node = 1, .samples = 20}, {}); });
        QVERIFY(pace.await({.node = 0, .samples = 20}, {}));
        QVERIFY(pace.await({.node = 0, .samples = 20}, {}));
        QVERIFY(secondsSince(begin) >= 0.4);
        other.join();
        LoadingPace unlimited(0);
        QVERIFY(unlimited.await({.samples = 1e12}, {}));
    }

    // Ten samples a second would take 100 s; the new rate reaches who waits, and so does a stop.
    void aNewRateAndAStopReachWhoWaits() {
        for (const double next : {1e6, 0.0}) {
            LoadingPace pace(10);
            std::jthread changer([&] {
                std::this_thread::sleep_for(std::chrono::milliseconds(30));
                pace.setRate(next);
            });
            const Clock::time_point begin = Clock::now();
            QVERIFY(pace.await({.samples = 1000}, {}));
            QVERIFY(secondsSince(begin) < 20);
        }
        LoadingPace pace(10);
        std::stop_source source;
        std::jthread stopper([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(30));
            source.request_stop();
        });
        const Clock::time_point begin = Clock::now();
        QVERIFY(!pace.await({.samples = 1000}, source.get_token()));
        QVERIFY(secondsSince(begin) < 20);
    }

    // Augmented, with a cap and a queue, by any number of threads: the bits of a run without either cap or queue.
    void bitsDependOnNeitherThreadsNorCapNorQueue_data() {
        QTest::addColumn<int>("workers");
        QTest::addColumn<int>("gradient");
        for (const int workers : {1, 3, 4})
            for (const auto gradient : {GradientKind::MiniBatch, GradientKind::Full})
                QTest::addRow("%d workers, %s", workers, gradient == GradientKind::Full ? "full" : "batches")
                    << workers << int(gradient);
    }
    void bitsDependOnNeitherThreadsNorCapNorQueue() {
        QFETCH(int, workers);
        QFETCH(int, gradient);
        Experiment experiment = smallExperiment(Architecture::ParameterServer, workers, 2);
        experiment.training.gradient = static_cast<GradientKind>(gradient);
        experiment.training.augmentation = true;
        experiment.training.epochs = 1000;
        const long long steps = gradient == int(GradientKind::Full) ? 4 : 60;
        const auto alone = [&] {
            Experiment unqueued = experiment;
            unqueued.cluster.prefetchBatches = 0;
            return hashesOf(unqueued, 1, steps);
        }();
        Experiment plain = experiment;
        plain.training.augmentation = false;
        QVERIFY(hashesOf(plain, 1, steps) != alone);
        for (const int threads : {1, 2, 4})
            for (const int prefetch : {1, 2, 64}) {
                experiment.cluster.prefetchBatches = prefetch;
                experiment.cluster.loaderSamplesPerS = prefetch == 2 ? 1e5 : 0;
                QVERIFY(hashesOf(experiment, threads, steps) == alone);
            }
    }

    // EXPERIMENT.md: N workers with batch b equal one with N b, to 1e-4 of the norm after 20 steps; augmented, too.
    void augmentedWorkersTogetherEqualOneWithTheWholeBatch() {
        const auto model = [](const Experiment& experiment, long long steps) {
            ThreadPool pool(1);
            auto engine = TrainingEngine::make(experiment, *smallData(), pool).value();
            while (engine->step() < steps)
                if (engine->advance({}) != TrainingEngine::Advance::Stepped) qFatal("did not step");
            return engine->model();
        };
        const auto apart = [](const FloatVector& a, const FloatVector& b) {
            return std::sqrt(squaredDistance(a, b) / squaredNorm(b));
        };
        Experiment four = smallExperiment(Architecture::AllReduce, 4);
        four.training.augmentation = true;
        Experiment one = four;
        one.cluster.architecture = Architecture::SingleNode;
        one.training.batchPerWorker *= 4;
        Experiment plain = one;
        plain.training.augmentation = false;
        const FloatVector reference = model(one, 20);
        QVERIFY(apart(model(one, 0), reference) > 1e-3);
        QVERIFY(apart(model(plain, 20), reference) > 1e-3);
        QVERIFY(apart(model(four, 20), reference) < 1e-4);
    }

    // 200 samples a second of one node, whatever else goes on: the run is held back, and says so.
    void aLimitStarvesARun() {
        for (const bool augmentation : {false, true}) {
            Experiment experiment = starving(200);
            experiment.training.augmentation = augmentation;
            experiment.training.maxSteps = 20;  // 160 samples: 0.8 s
            RunOptions options;
            options.snapshotEvery = 5;
            Run run(experiment, smallData(), options);
            run.wait();
            const auto result = run.result();
            QCOMPARE(result->outcome, RunState::Done);
            const Snapshot& last = result->last;
            QCOMPARE(last.samplesSeen, 160LL);
            QVERIFY2(last.wall_s >= 0.8, qPrintable(QString::number(last.wall_s)));
            QVERIFY(last.loadingSamplesPerS <= 200.001);
            QVERIFY(last.loadingBlockedShare > 0.2 && last.loadingBlockedShare <= 1);
        }
    }

    void aRunWithoutALimitIsNotHeldBack() {
        Experiment experiment = smallExperiment();
        Run run(experiment, smallData(), {});
        run.wait();
        const Snapshot& last = run.result()->last;
        QVERIFY(last.loadingSamplesPerS > 0);
        QVERIFY(last.loadingBlockedShare >= 0 && last.loadingBlockedShare < 1);
    }

    // Four workers in two nodes share what two nodes load.
    void devicesOfANodeShareItsLoader() {
        Experiment experiment = smallExperiment(Architecture::AllReduce, 4);
        experiment.cluster.devicesPerNode = 2;
        experiment.cluster.loaderSamplesPerS = 200;
        ThreadPool pool(2);
        auto engine = TrainingEngine::make(experiment, *smallData(), pool).value();
        const Clock::time_point begin = Clock::now();
        while (engine->step() < 5)
            if (engine->advance({}) != TrainingEngine::Advance::Stepped) qFatal("did not step");
        // 5 steps of 16 samples a node.
        QVERIFY(secondsSince(begin) >= 5 * 16 / 200.0);
        const LoadingReport report = engine->takeLoading();
        QVERIFY2(report.samplesPerS <= 400.001, qPrintable(QString::number(report.samplesPerS)));
    }

    void aStopReachesAStarvingRun() {
        for (const int prefetch : {0, 2}) {
            Experiment experiment = starving(0.01);
            experiment.cluster.prefetchBatches = prefetch;
            experiment.training.augmentation = true;
            Run run(experiment, smallData(), {});
            QVERIFY(waitFor([&] { return run.latest() != nullptr; }));
            std::this_thread::sleep_for(std::chrono::milliseconds(30));
            const Clock::time_point begin = Clock::now();
            run.requestStop();
            run.wait();
            qInfo("stopped after %.1f ms", 1e3 * secondsSince(begin));
            QCOMPARE(run.result()->outcome, RunState::Stopped);
            QCOMPARE(run.result()->last.step, 0LL);
            QVERIFY(secondsSince(begin) < 5);
        }
    }

    // A run that would wait for minutes goes on when the limit is lifted, and a running one is held back.
    void theLimitCanBeChangedMeanwhile() {
        RunOptions options;
        options.snapshotEvery = 1;
        Run run(starving(0.01), smallData(), options);
        QVERIFY(waitFor([&] { return run.latest() != nullptr; }));
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        QCOMPARE(run.latest()->step, 0LL);
        run.tune({.loaderSamplesPerS = 0.0});
        QVERIFY(waitFor([&] { return run.latest()->step > 10; }));
        run.tune({.learningRate = 0.02});  // leaves the limit as it is
        const long long before = run.latest()->step;
        QVERIFY(waitFor([&] { return run.latest()->step > before + 10; }));
        run.tune({.loaderSamplesPerS = 0.01});
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        const long long held = run.latest()->step;
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        // Of the queue of two batches only a handful of samples could come.
        QVERIFY(run.latest()->step <= held + 1);
    }

    void theLimitIsNoReasonToStartAnew() {
        Experiment running = smallExperiment(), next = running;
        next.cluster.loaderSamplesPerS = 100;
        QVERIFY(trainsTheSame(running, next));
        next.cluster.prefetchBatches = 5;
        QVERIFY(!trainsTheSame(running, next));
        next = running;
        next.training.augmentation = true;
        QVERIFY(!trainsTheSame(running, next));
    }

    // 4 queues of 64 batches of 8 images of 64 bytes and a label.
    void memoryOfTheQueueIsCounted() {
        Experiment experiment = smallExperiment();
        experiment.training.augmentation = true;
        const auto least = [&](int prefetch) {
            experiment.cluster.prefetchBatches = prefetch;
            double low = 0, high = 1e9;
            while (high - low > 1) {
                const double middle = (low + high) / 2;
                (checkRun(experiment, *smallData(), middle) ? high : low) = middle;
            }
            return high;
        };
        QVERIFY(std::abs(least(64) - least(0) - 4 * 64 * 8 * 65) < 3);
    }
};

QTEST_GUILESS_MAIN(TestLoading)
#include "test_loading.moc"
