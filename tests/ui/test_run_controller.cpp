#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTest>
#include <cmath>

#include "ui/support/run_desk.h"

using namespace lockstep;
using namespace lockstep::ui;
using namespace lockstep::test;
using State = RunController::State;

class TestRunController : public QObject {
    Q_OBJECT
    TinyImages m_images;

private slots:
    void loadsRunsAndEnds() {
        RunDesk desk(m_images.experiment(4, 5));
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
        RunDesk desk(m_images.experiment(4, kEndless));
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
        RunDesk desk(m_images.experiment(4, kEndless));
        desk.run.step();
        QVERIFY(desk.until(State::Paused));
        QVERIFY(desk.untilStep(1));
        QTest::qWait(kSettled_ms);
        QCOMPARE(desk.step(), 1LL);
    }

    void theLearningRateIsTakenLive() {
        Experiment experiment = m_images.experiment(4, kEndless);
        experiment.training.batchPerWorker = 16;
        RunDesk desk(experiment);
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
        RunDesk desk(m_images.experiment(4, kEndless));
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
        RunDesk desk(m_images.experiment(4, kEndless));
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
        RunDesk desk(m_images.experiment(4, kEndless));
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
        RunDesk desk(m_images.experiment(4, kEndless));
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

    void endsWhileImagesLoad() {
        QElapsedTimer sinceEnd;
        {
            Experiment experiment = m_images.experiment();
            experiment.training.dataset = "shapes";  // 70,000 drawn images take many seconds
            RunDesk desk(experiment);
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
