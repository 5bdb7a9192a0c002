// Faults: what each strategy does when a machine is slow, paused, killed and revived.
#include "train/fault.h"

#include <QTest>
#include <cmath>
#include <thread>

#include "core/train/small_data.h"
#include "train/run.h"

using namespace lockstep;
using lockstep::test::smallData;
using lockstep::test::smallExperiment;

namespace {

constexpr double kIteration_s = 2;

struct Ran {
    RunResult result;
    std::vector<Snapshot> stream;
};

Ran ran(const Experiment& experiment, const std::vector<std::string>& faults, int checkpointEvery = 0) {
    Ran ran;
    RunOptions options;
    options.snapshotEvery = 1;
    options.modelledIteration_s = kIteration_s;
    options.waitsForRevival = false;
    options.checkpointEvery = checkpointEvery;
    for (const std::string& text : faults) options.faults.push_back(parseFault(text).value());
    options.onSnapshot = [&](const Snapshot& snapshot) { ran.stream.push_back(snapshot); };
    Run run(experiment, smallData(), options);
    run.wait();
    ran.result = *run.result();
    return ran;
}

Experiment with(SynchronizationKind kind, Architecture architecture = Architecture::ParameterServer) {
    Experiment experiment = smallExperiment(architecture, 4, 2);  // 48 steps
    experiment.training.synchronization = kind;
    return experiment;
}

/// Arithmetic's part of an iteration, from the definition of the run's modelled clock: all steps are those of a
/// worker three times slower.
double computeShare(const Experiment& experiment) {
    const Ran even = ran(experiment, {});
    const Ran slow = ran(experiment, {"0:slow:worker:0:3"});
    return (slow.result.last.modelled_s - even.result.last.modelled_s) / (48 * 2 * kIteration_s);
}

}  // namespace

class TestFaults : public QObject {
    Q_OBJECT

private slots:
    void faultsAreReadFromText() {
        QCOMPARE(parseFault("100:kill:worker:3").value(),
                 (ScheduledFault{100, {FaultKind::Kill, false, 3, 2}, std::nullopt}));
        QCOMPARE(parseFault("0:slow:server:1:2.5:for:20").value(),
                 (ScheduledFault{0, {FaultKind::Slow, true, 1, 2.5}, 20.0}));
        for (const char* bad :
             {"", "kill", "1:kill:worker", "x:kill:worker:1", "-1:kill:worker:1", "1:burn:worker:1", "1:kill:link:1",
              "1:kill:worker:-1", "1:kill:worker:1:2", "1:slow:worker:1:0.5", "1:slow:worker:1:nan",
              "1:slow:worker:1:inf", "1:pause:worker:1:for:x", "1:revive:worker:1:for:3", "1:pause:worker:1:for"}) {
            const auto read = parseFault(bad);
            QVERIFY2(!read && read.error().message.find("STEP:KIND") != std::string::npos, bad);
        }
    }

    void aMachineThatIsNotThereIsRefused() {
        const Experiment experiment = smallExperiment();
        QCOMPARE(ran(experiment, {"1:kill:worker:4"}).result.outcome, RunState::Failed);
        const Ran noServers = ran(experiment, {"1:kill:server:0"});
        QCOMPARE(noServers.result.outcome, RunState::Failed);
        QVERIFY(noServers.result.error.find("no parameter servers") != std::string::npos);
    }

    void aSlowWorkerCostsTimeAndNoBits() {
        const Experiment experiment = with(SynchronizationKind::BulkSynchronous);
        const Ran even = ran(experiment, {});
        const Ran slow = ran(experiment, {"24:slow:worker:1:3"});
        QCOMPARE(slow.result.parametersHash, even.result.parametersHash);
        QVERIFY(std::abs(even.result.last.modelled_s - 48 * kIteration_s) < 1e-9);
        const double share = computeShare(experiment);
        QVERIFY(share > 0 && share <= 1);
        const double expected = (24 + 24 * (1 + 2 * share)) * kIteration_s;
        QVERIFY2(std::abs(slow.result.last.modelled_s - expected) < 1e-6,
                 qPrintable(QString::number(slow.result.last.modelled_s)));
    }

    void aSlowServerStretchesTransfers() {
        const Experiment experiment = with(SynchronizationKind::BulkSynchronous);
        const double share = computeShare(experiment);
        const Ran slow = ran(experiment, {"0:slow:server:1:4"});
        const double expected = 48 * (share + 4 * (1 - share)) * kIteration_s;
        QVERIFY(std::abs(slow.result.last.modelled_s - expected) < 1e-6);
    }

    void aPausedServerHoldsUpEverybody_data() {
        QTest::addColumn<SynchronizationKind>("kind");
        QTest::newRow("bulk-synchronous") << SynchronizationKind::BulkSynchronous;
        QTest::newRow("stale-synchronous") << SynchronizationKind::StaleSynchronous;
        QTest::newRow("asynchronous") << SynchronizationKind::Asynchronous;
    }
    void aPausedServerHoldsUpEverybody() {
        QFETCH(SynchronizationKind, kind);
        const Experiment experiment = with(kind);
        const Ran even = ran(experiment, {});
        const Ran paused = ran(experiment, {"20:pause:server:1:for:50"});
        QCOMPARE(paused.result.parametersHash, even.result.parametersHash);
        // All wait until 50 iterations later; what they had computed by then is pushed at once.
        const double extra = (paused.result.last.modelled_s - even.result.last.modelled_s) / kIteration_s;
        QVERIFY2(extra >= 49 - 1e-6 && extra <= 50 + 1e-6, qPrintable(QString::number(extra)));
    }

    void synchronousWorkersWaitForOneThatIsPaused_data() {
        QTest::addColumn<Architecture>("architecture");
        QTest::newRow("all-reduce") << Architecture::AllReduce;
        QTest::newRow("servers") << Architecture::ParameterServer;
    }
    void synchronousWorkersWaitForOneThatIsPaused() {
        QFETCH(Architecture, architecture);
        const Experiment experiment = with(SynchronizationKind::BulkSynchronous, architecture);
        const Ran even = ran(experiment, {});
        const Ran paused = ran(experiment, {"10:pause:worker:2:for:5"});
        QCOMPARE(paused.result.outcome, RunState::Done);
        QCOMPARE(paused.result.parametersHash, even.result.parametersHash);
        QVERIFY(std::abs(paused.result.last.modelled_s - (48 + 5) * kIteration_s) < 1e-6);
        QCOMPARE(paused.result.last.restarts, 0);
        const Ran unrevived = ran(experiment, {"10:pause:worker:2"});
        QCOMPARE(unrevived.result.outcome, RunState::Stopped);
        QCOMPARE(unrevived.result.last.step, 10LL);
        QCOMPARE(unrevived.result.last.waitingFor, std::string("worker 2 (paused)"));
    }

    void aKilledWorkerOfServersComesBackWithTheirParameters() {
        const Experiment experiment = with(SynchronizationKind::BulkSynchronous);
        const Ran even = ran(experiment, {});
        const Ran killed = ran(experiment, {"10:kill:worker:2:for:5"});
        // It does again the batch that was lost, so nothing is different in the end.
        QCOMPARE(killed.result.parametersHash, even.result.parametersHash);
        QCOMPARE(killed.result.last.restarts, 0);
        QVERIFY(std::abs(killed.result.last.modelled_s - (48 + 1 + 4) * kIteration_s) < 2.1 * kIteration_s);
        QVERIFY(killed.result.last.modelled_s > even.result.last.modelled_s + 4.9 * kIteration_s);
    }

    void aKilledWorkerOfAnAllReduceMakesAllBeginAgain() {
        const Experiment experiment = with(SynchronizationKind::BulkSynchronous, Architecture::AllReduce);
        const Ran even = ran(experiment, {});
        const Ran killed = ran(experiment, {"21:kill:worker:2:for:5"}, 8);
        QCOMPARE(killed.result.last.restarts, 1);
        QCOMPARE(killed.result.last.lostSteps, 5LL);  // from 21 to the checkpoint at 16
        // What was sent for them was sent.
        QVERIFY(killed.result.last.bytesSent > even.result.last.bytesSent * 52.9 / 48);
        QCOMPARE(killed.result.parametersHash, even.result.parametersHash);
        QVERIFY(std::abs(killed.result.last.modelled_s - (48 + 5 + 5) * kIteration_s) < 1e-6);
        const Ran anew = ran(experiment, {"21:kill:worker:2:for:5"});
        QCOMPARE(anew.result.last.lostSteps, 21LL);
        QCOMPARE(anew.result.parametersHash, even.result.parametersHash);
    }

    void aKilledServerMakesAllBeginAgain_data() {
        QTest::addColumn<SynchronizationKind>("kind");
        QTest::newRow("bulk-synchronous") << SynchronizationKind::BulkSynchronous;
        QTest::newRow("stale-synchronous") << SynchronizationKind::StaleSynchronous;
        QTest::newRow("asynchronous") << SynchronizationKind::Asynchronous;
        QTest::newRow("local-sgd") << SynchronizationKind::LocalSgd;
    }
    void aKilledServerMakesAllBeginAgain() {
        QFETCH(SynchronizationKind, kind);
        const Experiment experiment = with(kind);
        const Ran even = ran(experiment, {});
        const Ran killed = ran(experiment, {"21:kill:server:1:for:3"}, 8);
        QCOMPARE(killed.result.outcome, RunState::Done);
        QCOMPARE(killed.result.last.restarts, 1);
        QVERIFY(killed.result.last.lostSteps >= 5);
        QCOMPARE(killed.result.parametersHash, even.result.parametersHash);
        const Ran unrevived = ran(experiment, {"21:kill:server:1"}, 8);
        QCOMPARE(unrevived.result.outcome, RunState::Stopped);
        QCOMPARE(unrevived.result.last.waitingFor, std::string("server 1 (dead)"));
    }

    void backupWorkersStandInForTheDead() {
        Experiment experiment = with(SynchronizationKind::BulkSynchronous);
        experiment.training.backupWorkers = 1;
        const Ran one = ran(experiment, {"10:kill:worker:2"});
        QCOMPARE(one.result.outcome, RunState::Done);
        const Ran two = ran(experiment, {"10:kill:worker:2", "20:kill:worker:0"});
        QCOMPARE(two.result.outcome, RunState::Stopped);
        QCOMPARE(two.result.last.step, 20LL);
        QCOMPARE(two.result.last.waitingFor, std::string("worker 0 (dead), worker 2 (dead)"));
    }

    void asynchronousWorkersGoOnWithoutTheDead() {
        const Experiment experiment = with(SynchronizationKind::Asynchronous);  // 192 updates
        const Ran even = ran(experiment, {});
        const Ran killed = ran(experiment, {"100:kill:worker:3"});
        QCOMPARE(killed.result.outcome, RunState::Done);
        QCOMPARE(killed.result.last.step, 192LL);
        // Three do the work of four: 92 updates take 4/3 of the time.
        const double ratio = (killed.result.last.modelled_s - killed.stream[100].modelled_s) /
                             (even.result.last.modelled_s - even.stream[100].modelled_s);
        QVERIFY2(std::abs(ratio - 4.0 / 3) < 0.05, qPrintable(QString::number(ratio)));
        const Ran back = ran(experiment, {"100:kill:worker:3:for:5"});
        QVERIFY(back.result.last.modelled_s < killed.result.last.modelled_s);
        QCOMPARE(back.result.last.restarts, 0);
    }

    void staleSynchronousWorkersStopAtTheirBound() {
        for (const int bound : {0, 3}) {
            Experiment experiment = with(SynchronizationKind::StaleSynchronous);
            experiment.training.stalenessBound = bound;
            const Ran killed = ran(experiment, {"10:kill:worker:3"});
            QCOMPARE(killed.result.outcome, RunState::Stopped);
            // No version can be completed without the dead one's gradient.
            QCOMPARE(killed.result.last.step, 10LL);
            // Until then the others do the step under way and `bound` more.
            const double iterations = (killed.result.last.modelled_s - killed.stream[10].modelled_s) / kIteration_s;
            QVERIFY2(std::abs(iterations - (bound + 1)) < 1e-6, qPrintable(QString::number(iterations)));
            const Ran back = ran(experiment, {"10:kill:worker:3:for:2"});
            QCOMPARE(back.result.outcome, RunState::Done);
            QCOMPARE(back.result.last.restarts, 0);
        }
    }

    void localSgdWaitsAtTheNextAverage() {
        Experiment experiment = with(SynchronizationKind::LocalSgd);
        experiment.training.localSteps = 8;
        for (const char* fault : {"10:kill:worker:3", "10:pause:worker:3"}) {
            const Ran stopped = ran(experiment, {fault});
            QCOMPARE(stopped.result.outcome, RunState::Stopped);
            QCOMPARE(stopped.result.last.step, 16LL);
            const Ran back = ran(experiment, {std::string(fault) + ":for:20"});
            QCOMPARE(back.result.outcome, RunState::Done);
            QCOMPARE(back.result.last.restarts, 0);
            QVERIFY(back.result.last.testAccuracy > 0.5);
        }
        const Ran server = ran(experiment, {"10:pause:server:0:for:20"});
        QCOMPARE(server.result.outcome, RunState::Done);
        QVERIFY(std::abs(server.result.last.modelled_s - (48 + 20 - 6) * kIteration_s) < 1.1 * kIteration_s);
    }

    void withoutSynchronizationNobodyWaits() {
        const Experiment experiment = with(SynchronizationKind::None, Architecture::AllReduce);
        const Ran even = ran(experiment, {});
        const Ran killed = ran(experiment, {"10:kill:worker:3"});
        QCOMPARE(killed.result.outcome, RunState::Done);
        for (std::size_t rank = 0; rank < 3; ++rank)
            QCOMPARE(killed.result.parametersHashPerReplica[rank], even.result.parametersHashPerReplica[rank]);
        QVERIFY(killed.result.parametersHashPerReplica[3] != even.result.parametersHashPerReplica[3]);
        // A new machine begins as the lost one began, with the batches that are still to come.
        const Ran back = ran(experiment, {"10:kill:worker:3", "30:revive:worker:3"});
        QVERIFY(back.result.parametersHashPerReplica[3] != even.result.parametersHashPerReplica[3]);
        QCOMPARE(back.result.parametersHashPerReplica[0], even.result.parametersHashPerReplica[0]);
        QCOMPARE(ran(experiment, {"10:kill:worker:0", "10:kill:worker:1", "10:kill:worker:2", "10:kill:worker:3"})
                     .result.outcome,
                 RunState::Stopped);
    }

    void faultsByHandAreHeardWhilePausedAndWaiting() {
        RunOptions options;
        options.startPaused = true;
        Run run(with(SynchronizationKind::BulkSynchronous), smallData(), options);
        const auto until = [&](const std::function<bool()>& condition) {
            for (int i = 0; i < 20000 && !condition(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
            return condition();
        };
        run.inject({FaultKind::Pause, false, 1, 1});
        QVERIFY(until([&] {
            const auto latest = run.latest();
            return latest && !latest->health.workers.empty() && latest->health.workers[1].paused;
        }));
        QCOMPARE(run.state(), RunState::Paused);
        run.inject({FaultKind::Kill, true, 99, 1});  // there is none: not heard
        run.resume();
        QVERIFY(until([&] { return run.state() == RunState::Waiting; }));
        QCOMPARE(run.latest()->waitingFor, std::string("worker 1 (paused)"));
        run.inject({FaultKind::Revive, false, 1, 1});
        QVERIFY(run.waitFor(std::chrono::milliseconds(60000)));
        QCOMPARE(run.result()->outcome, RunState::Done);
    }

    void aWaitingRunStopsAtOnce() {
        RunOptions options;
        options.faults = {parseFault("3:pause:worker:0").value()};
        Run run(with(SynchronizationKind::BulkSynchronous), smallData(), options);
        while (run.state() != RunState::Waiting) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        run.requestStop();
        QVERIFY(run.waitFor(std::chrono::milliseconds(60000)));
        QCOMPARE(run.result()->outcome, RunState::Stopped);
    }
};

QTEST_APPLESS_MAIN(TestFaults)
#include "test_faults.moc"
