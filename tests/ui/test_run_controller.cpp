#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTest>
#include <QTimer>
#include <algorithm>
#include <cmath>

#include "experiment/resolved.h"
#include "experiment_store.h"
#include "run_controller.h"
#include "ui/support/tiny_images.h"

using namespace lockstep;
using namespace lockstep::ui;
using State = RunController::State;

namespace {

constexpr int kPatience_ms = 20'000;
/// Longer than the controller waits for a hand to rest before it restarts (250 ms).
constexpr int kLongerThanRestartDelay_ms = 350;
/// Longer than a step takes and the controller needs to see it (50 ms).
constexpr int kSettled_ms = 120;
/// 2^20 steps of well over 10 microseconds: does not end by itself within a test.
constexpr double kEndless = 131072;

const QString kWorkers = QStringLiteral("cluster.workers"), kRate = QStringLiteral("training.learning_rate"),
              kBatch = QStringLiteral("training.batch_per_worker"),
              kLink = QStringLiteral("cluster.link_bandwidth_bit_per_s");

/// System: a store and the controller that follows it, training for real on 256 tiny images. Both cores may be busy
/// with other tests, so everything is waited for.
struct Desk {
    explicit Desk(const Experiment& experiment) {
        const auto note = [this](const QString& line) { notices << line; };
        QObject::connect(&store, &ExperimentStore::refused, &run, note);
        QObject::connect(&run, &RunController::noticeRaised, &run, note);
        if (!store.start(experiment)) qFatal("the experiment is refused");
        QObject::connect(&run, &RunController::stateChanged, &run, [this] { states.push_back(run.state()); });
    }
    bool until(State state) {
        return QTest::qWaitFor([&] { return run.state() == state; }, kPatience_ms);
    }
    bool untilStep(long long step) {
        return QTest::qWaitFor([&] { return this->step() >= step; }, kPatience_ms);
    }
    bool untilWorkers(size_t workers) {
        return QTest::qWaitFor([&] { return run.latest() && run.latest()->replicas.size() == workers; }, kPatience_ms);
    }
    /// Steps taken, as last published; -1 before the first snapshot.
    [[nodiscard]] long long step() const { return run.latest() ? run.latest()->step : -1; }
    [[nodiscard]] long long timesLoaded() const { return std::count(states.begin(), states.end(), State::Loading); }

    ExperimentStore store{*loadBuiltinCatalogue()};
    RunController run{store};
    std::vector<State> states;
    QStringList notices;
};

}  // namespace

class TestRunController : public QObject {
    Q_OBJECT
    test::TinyImages m_images;

private slots:
    void loadsRunsAndEnds() {
        Desk desk(m_images.experiment(4, 5));
        QCOMPARE(desk.run.state(), State::Idle);
        QVERIFY(!desk.run.latest() && !desk.run.history() && !desk.run.result());
        desk.run.run();
        QCOMPARE(desk.run.state(), State::Loading);
        QVERIFY(desk.until(State::Ended));
        QCOMPARE(desk.states, (std::vector{State::Loading, State::Running, State::Ended}));
        // 256 images dealt to 4 workers in batches of 8 are 8 steps an epoch; 5 epochs.
        QCOMPARE(desk.run.plannedSteps(), 40LL);
        QCOMPARE(desk.step(), 40LL);
        QCOMPARE(desk.run.result()->outcome, RunState::Done);
        QCOMPARE(desk.run.history()->back().step, 40LL);
        // Four classes: guessing scores a quarter. Each class lights one quadrant, which a softmax separates.
        QVERIFY(desk.run.latest()->testAccuracy > 0.5);
        QVERIFY(desk.run.runTitle().contains(QStringLiteral("4 replicas")));
        QCOMPARE(desk.notices, QStringList());
    }

    void pauseStepAndContinue() {
        Desk desk(m_images.experiment(4, kEndless));
        desk.run.run();
        QVERIFY(desk.untilStep(10));
        desk.run.pause();
        QCOMPARE(desk.run.state(), State::Paused);
        desk.run.step();  // brings the newest snapshot up to the step that the run stands at
        QTest::qWait(kSettled_ms);
        const long long stood = desk.step();
        desk.run.step();
        QVERIFY(desk.untilStep(stood + 1));
        QTest::qWait(kSettled_ms);
        QCOMPARE(desk.step(), stood + 1);
        QCOMPARE(desk.run.state(), State::Paused);
        desk.run.run();
        QCOMPARE(desk.run.state(), State::Running);
        QVERIFY(desk.untilStep(stood + 20));
        QCOMPARE(desk.timesLoaded(), 1LL);
    }

    void stepWithoutARunTakesItsFirstStep() {
        Desk desk(m_images.experiment(4, kEndless));
        desk.run.step();
        QVERIFY(desk.until(State::Paused));
        QVERIFY(desk.untilStep(1));
        QTest::qWait(kSettled_ms);
        QCOMPARE(desk.step(), 1LL);
    }

    void theLearningRateIsTakenLive() {
        Experiment experiment = m_images.experiment(4, kEndless);
        experiment.training.batchPerWorker = 16;
        Desk desk(experiment);
        desk.run.run();
        QVERIFY(desk.untilStep(10));
        const long long before = desk.step();
        desk.store.edit(kRate, 0.001);
        // Scaled linearly to the global batch: 0.001 * (4 * 16) / 32, where 32 is the batch that the rate is meant for.
        QTRY_VERIFY_WITH_TIMEOUT(std::abs(desk.run.latest()->learningRate - 0.002) < 1e-9, kPatience_ms);
        QVERIFY(desk.step() >= before);
        QTest::qWait(kLongerThanRestartDelay_ms);
        QCOMPARE(desk.timesLoaded(), 1LL);
        QVERIFY(desk.run.ghosts().empty());
    }

    void theLinkIsTakenLive() {
        Desk desk(m_images.experiment(4, kEndless));
        desk.run.run();
        QVERIFY(desk.untilStep(10));
        desk.run.pause();
        const double before_s = *desk.store.prediction().iterationTime_s;
        desk.store.edit(kLink, 1e9);
        const double after_s = *desk.store.prediction().iterationTime_s;
        QVERIFY(after_s > before_s * 1.5);
        desk.run.step();
        QTest::qWait(kSettled_ms);
        const auto first = desk.run.latest();
        desk.run.step();
        QVERIFY(desk.untilStep(first->step + 1));
        // The modelled clock goes on by what an iteration takes on the cluster as it is described now.
        QVERIFY(std::abs(desk.run.latest()->modelled_s - first->modelled_s - after_s) <
                1e-9 + 1e-9 * first->modelled_s);
        QTest::qWait(kLongerThanRestartDelay_ms);
        QCOMPARE(desk.timesLoaded(), 1LL);
        QVERIFY(desk.run.ghosts().empty());
    }

    void otherWorkersRestartAndLeaveAGhost() {
        Desk desk(m_images.experiment(4, kEndless));
        desk.run.run();
        QVERIFY(desk.untilStep(20));
        QSignalSpy ghostsChanged(&desk.run, &RunController::ghostsChanged);
        desk.store.edit(kWorkers, 8);
        QVERIFY(!desk.run.isCurrent());
        QVERIFY(desk.untilWorkers(8));
        QVERIFY(desk.run.isCurrent());
        QCOMPARE(desk.timesLoaded(), 2LL);
        QCOMPARE(ghostsChanged.count(), 1);
        QCOMPARE(desk.run.ghosts().size(), size_t{1});
        const Ghost& ghost = desk.run.ghosts().front();
        QCOMPARE(ghost.label, QStringLiteral("before: Workers 4"));  // what was different then
        QCOMPARE(ghost.experiment.cluster.workers, 4);
        QVERIFY(ghost.history->size() > 1 && ghost.history->back().step >= 20);
        QCOMPARE(desk.run.plannedSteps(), static_cast<long long>(kEndless) * 256 / (8 * 8));
    }

    void aDragRestartsOnceWhenTheHandRests() {
        Desk desk(m_images.experiment(4, kEndless));
        desk.run.run();
        QVERIFY(desk.untilStep(20));
        for (int workers = 5; workers <= 8; ++workers) {
            desk.store.edit(kWorkers, workers, 1);
            QTest::qWait(30);
        }
        QVERIFY(desk.untilWorkers(8));
        QTest::qWait(kLongerThanRestartDelay_ms);
        QCOMPARE(desk.timesLoaded(), 2LL);
        QCOMPARE(desk.run.ghosts().size(), size_t{1});
    }

    void aChangeTakenBackBeforeTheRestartIsNone() {
        Desk desk(m_images.experiment(4, kEndless));
        desk.run.run();
        QVERIFY(desk.untilStep(10));
        desk.store.edit(kWorkers, 8);
        desk.store.undo();
        const long long before = desk.step();
        QTest::qWait(kLongerThanRestartDelay_ms);
        QCOMPARE(desk.timesLoaded(), 1LL);
        QVERIFY(desk.run.ghosts().empty());
        QVERIFY(desk.step() > before);
    }

    void aChangeWhileImagesLoadLeavesNoGhost() {
        Desk desk(m_images.experiment(4, kEndless));
        desk.run.run();
        desk.store.edit(kWorkers, 8);
        QVERIFY(desk.untilWorkers(8));
        QTest::qWait(kLongerThanRestartDelay_ms);
        QVERIFY(desk.untilWorkers(8));
        QVERIFY(desk.run.ghosts().empty());
    }

    void aChangeTakenBackWhileImagesLoadStillRuns() {
        Desk desk(m_images.experiment(4, kEndless));
        desk.run.run();
        desk.store.edit(kWorkers, 8);
        QTest::qWait(kSettled_ms);  // the images are there, the restart is still due
        desk.store.undo();
        QVERIFY(desk.untilStep(10));
        QCOMPARE(desk.run.latest()->replicas.size(), size_t{4});
        QVERIFY(desk.run.ghosts().empty());
    }

    void atMostEightGhostsNewestFirst() {
        Desk desk(m_images.experiment(4, 3));  // 24 steps: snapshots at 0, 10, 20 and the end
        for (int run = 1; run <= 11; ++run) {
            desk.store.start([&] {
                Experiment experiment = m_images.experiment(4, 3);
                experiment.training.learningRate = 0.001 * run;
                return experiment;
            }());
            desk.run.run();
            QVERIFY(desk.until(State::Ended));
        }
        // Of 11 runs the first 10 were replaced; those of rates 0.010 (newest) down to 0.003 are kept.
        QCOMPARE(desk.run.ghosts().size(), size_t{8});
        for (size_t i = 0; i < 8; ++i)
            QCOMPARE(desk.run.ghosts()[i].experiment.training.learningRate, 0.001 * static_cast<double>(10 - i));
    }

    void pauseHoldsAcrossARestart() {
        Desk desk(m_images.experiment(4, kEndless));
        desk.run.run();
        QVERIFY(desk.untilStep(10));
        desk.run.pause();
        desk.store.edit(kWorkers, 8);
        QVERIFY(desk.untilWorkers(8));
        QCOMPARE(desk.run.state(), State::Paused);
        QTest::qWait(kSettled_ms);
        QCOMPARE(desk.step(), 0LL);
        desk.run.run();
        QVERIFY(desk.untilStep(10));
    }

    void whatCannotBeTrainedIsSaidAndTriedAgainWhenChanged_data() {
        QTest::addColumn<QString>("key");
        QTest::addColumn<QString>("json");
        QTest::addColumn<QString>("says");
        QTest::newRow("no such folder") << "training.dataset"
                                        << "\"/nowhere/at/all\""
                                        << "/nowhere/at/all";
        // 4 workers with 65 images each need 260 of the 256 there are.
        QTest::newRow("a batch larger than a shard") << kBatch << "65"
                                                     << "65";
    }
    void whatCannotBeTrainedIsSaidAndTriedAgainWhenChanged() {
        QFETCH(QString, key);
        QFETCH(QString, json);
        QFETCH(QString, says);
        Desk desk(m_images.experiment(4, kEndless));
        QVERIFY(desk.store.edit(key, nlohmann::json::parse(json.toStdString())));
        desk.run.run();
        QVERIFY(desk.until(State::Idle));
        QCOMPARE(desk.notices.size(), 1);
        QVERIFY2(desk.notices.front().contains(says), qPrintable(desk.notices.front()));
        QVERIFY(!desk.notices.front().contains(QLatin1Char('\n')));
        QVERIFY(!desk.run.latest());
        desk.store.undo();
        QVERIFY(desk.untilStep(10));
        QCOMPARE(desk.notices.size(), 1);
    }

    void resetDropsEverything() {
        Desk desk(m_images.experiment(4, kEndless));
        desk.run.run();
        QVERIFY(desk.untilStep(20));
        desk.store.edit(kWorkers, 2);
        QVERIFY(desk.untilWorkers(2));
        QCOMPARE(desk.run.ghosts().size(), size_t{1});
        desk.store.edit(kWorkers, 4);  // a restart is due
        QSignalSpy snapshots(&desk.run, &RunController::snapshotChanged);
        desk.run.reset();
        QCOMPARE(snapshots.count(), 1);
        QTest::qWait(kLongerThanRestartDelay_ms);
        QCOMPARE(desk.run.state(), State::Idle);
        QVERIFY(desk.run.ghosts().empty() && !desk.run.latest() && !desk.run.history());
        QCOMPARE(desk.run.plannedSteps(), 0LL);
        desk.store.edit(kWorkers, 8);  // after a reset nothing starts by itself
        QTest::qWait(kLongerThanRestartDelay_ms);
        QCOMPARE(desk.run.state(), State::Idle);
    }

    void theSpeedLimitIsTakenLive() {
        Desk desk(m_images.experiment(4, kEndless));
        desk.run.setSpeedLimit(20);
        desk.run.run();
        QVERIFY(desk.untilStep(10));
        const long long before = desk.step();
        QTest::qWait(1000);
        // 20 steps a second; snapshots come every 10 steps, so that up to 10 more may show.
        QVERIFY2(desk.step() <= before + 31, qPrintable(QString::number(desk.step() - before)));
        desk.run.setSpeedLimit(0);
        QVERIFY(desk.untilStep(before + 200));
    }

    /// Steps of this run take seconds: 1,024 batches for each of four workers. Neither its replacement nor its end may
    /// hold up the window for longer than a slip of a busy computer.
    void retiringARunBlocksNobody() {
        Experiment experiment = m_images.experiment(4, 1);
        experiment.training.model = "cnn";
        experiment.training.accumulationSteps = 1024;
        qint64 longest_ms = 0;
        QElapsedTimer sinceBeat, sinceEnd;
        {
            Desk desk(experiment);
            QTimer beat;
            connect(&beat, &QTimer::timeout, &beat, [&] { longest_ms = std::max(longest_ms, sinceBeat.restart()); });
            desk.run.run();
            QVERIFY(desk.untilStep(0));
            QTest::qWait(100);  // within the first step
            sinceBeat.start();
            beat.start(5);
            desk.store.edit(kWorkers, 2);
            QVERIFY2(desk.untilWorkers(2), qPrintable(desk.notices.join(u"; ")));
            QCOMPARE(desk.step(), 0LL);
            desk.run.reset();
            QTest::qWait(50);
            desk.run.run();
            QVERIFY(desk.untilStep(0));
            QTest::qWait(100);
            sinceEnd.start();
        }
        QVERIFY2(longest_ms < 1000, qPrintable(QString::number(longest_ms)));
        QVERIFY2(sinceEnd.elapsed() < 2000, qPrintable(QString::number(sinceEnd.elapsed())));
    }

    void endsWhileImagesLoad() {
        QElapsedTimer sinceEnd;
        {
            Experiment experiment = m_images.experiment();
            experiment.training.dataset = "shapes";  // 70,000 drawn images take many seconds
            Desk desk(experiment);
            desk.run.run();
            QTest::qWait(100);
            QCOMPARE(desk.run.state(), State::Loading);
            sinceEnd.start();
        }
        QVERIFY2(sinceEnd.elapsed() < 2000, qPrintable(QString::number(sinceEnd.elapsed())));
    }
};

QTEST_GUILESS_MAIN(TestRunController)
#include "test_run_controller.moc"
