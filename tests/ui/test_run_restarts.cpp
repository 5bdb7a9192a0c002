#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTest>
#include <QTimer>

#include "ui/support/run_desk.h"

using namespace lockstep;
using namespace lockstep::ui;
using namespace lockstep::test;
using State = RunController::State;

class TestRunRestarts : public QObject {
    Q_OBJECT
    TinyImages m_images;

private slots:
    void otherWorkersRestartAndLeaveAGhost() {
        RunDesk desk(m_images.experiment(4, kEndless));
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
        QVERIFY2(ghost.label.endsWith(QStringLiteral("Workers 4")),
                 qPrintable(ghost.label));  // what was different then
        QCOMPARE(ghost.experiment.cluster.workers, 4);
        QVERIFY(ghost.history->size() > 1 && ghost.history->back().step >= 20);
        QCOMPARE(desk.run.plannedSteps(), static_cast<long long>(kEndless) * 256 / (8 * 8));
    }

    void aDragRestartsOnceWhenTheHandRests() {
        RunDesk desk(m_images.experiment(4, kEndless));
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
        RunDesk desk(m_images.experiment(4, kEndless));
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
        RunDesk desk(m_images.experiment(4, kEndless));
        desk.run.run();
        desk.store.edit(kWorkers, 8);
        QVERIFY(desk.untilWorkers(8));
        QTest::qWait(kLongerThanRestartDelay_ms);
        QVERIFY(desk.untilWorkers(8));
        QVERIFY(desk.run.ghosts().empty());
    }

    void aChangeTakenBackWhileImagesLoadStillRuns() {
        RunDesk desk(m_images.experiment(4, kEndless));
        desk.run.run();
        desk.store.edit(kWorkers, 8);
        QTest::qWait(kSettled_ms);  // the images are there, the restart is still due
        desk.store.undo();
        QVERIFY(desk.untilStep(10));
        QCOMPARE(desk.run.latest()->replicas.size(), size_t{4});
        QVERIFY(desk.run.ghosts().empty());
    }

    void atMostEightGhostsNewestFirst() {
        RunDesk desk(m_images.experiment(4, 3));  // 24 steps: snapshots at 0, 10, 20 and the end
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
        RunDesk desk(m_images.experiment(4, kEndless));
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

    /// Steps of this run take seconds: 1,024 batches for each of four workers. Neither its replacement nor its end may
    /// hold up the window for longer than a slip of a busy computer.
    void retiringARunBlocksNobody() {
        Experiment experiment = m_images.experiment(4, 1);
        experiment.training.model = "cnn";
        experiment.training.accumulationSteps = 1024;
        qint64 longest_ms = 0;
        QElapsedTimer sinceBeat, sinceEnd;
        {
            RunDesk desk(experiment);
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
};

QTEST_GUILESS_MAIN(TestRunRestarts)
#include "test_run_restarts.moc"
