#include <QSignalSpy>
#include <QTest>
#include <cmath>

#include "controls/key_text.h"
#include "experiment/experiment_json.h"
#include "experiment_store.h"

using namespace lockstep;
using namespace lockstep::ui;

namespace {

const QString kWorkers = QStringLiteral("cluster.workers"), kServers = QStringLiteral("cluster.servers"),
              kStragglers = QStringLiteral("cluster.straggler_count"), kSeed = QStringLiteral("training.seed"),
              kRate = QStringLiteral("training.learning_rate");

/// System: the store over the built-in catalogue, starting with the default experiment (4 workers, 1 server, batch 32),
/// and everything that it announces.
struct Desk {
    ExperimentStore store{*loadBuiltinCatalogue()};
    QSignalSpy changes{&store, &ExperimentStore::experimentChanged};
    QSignalSpy refusals{&store, &ExperimentStore::refused};
    QSignalSpy undos{&store, &ExperimentStore::undoChanged};

    [[nodiscard]] int workers() const { return store.experiment().cluster.workers; }
    [[nodiscard]] QStringList lastKeys() const { return changes.last().at(1).toStringList(); }
    [[nodiscard]] int undoAll() {
        int steps = 0;
        for (; store.canUndo(); ++steps) store.undo();
        return steps;
    }
};

/// What follows from the experiment, computed anew: the oracle is the core's own pure function.
QString disagreement(const ExperimentStore& store) {
    const Prediction expected = *predict(store.experiment(), store.catalogue());
    const Prediction& shown = store.prediction();
    if (shown.experiment != store.experiment()) return QStringLiteral("of another experiment");
    if (shown.iterationTime_s != expected.iterationTime_s) return QStringLiteral("iteration time");
    if (shown.throughputSamplesPerS != expected.throughputSamplesPerS) return QStringLiteral("throughput");
    if (shown.globalBatch != expected.globalBatch) return QStringLiteral("global batch");
    if (shown.memory.totalBytes() != expected.memory.totalBytes()) return QStringLiteral("memory");
    if (store.explanation().detail != explain(expected, store.catalogue()).detail) return QStringLiteral("explanation");
    const Timeline timeline = predictTimeline(store.experiment(), store.catalogue()).value_or(Timeline{});
    if (store.timeline().duration_s != timeline.duration_s || store.timeline().lanes.size() != timeline.lanes.size())
        return QStringLiteral("timeline");
    return {};
}

}  // namespace

class TestExperimentStore : public QObject {
    Q_OBJECT

private slots:
    void startsWithTheDefaultExperiment() {
        const Desk desk;
        QCOMPARE(desk.store.experiment(), Experiment{});
        QCOMPARE(disagreement(desk.store), QString());
        QVERIFY(desk.store.isBaseline());
        QVERIFY(!desk.store.canUndo() && !desk.store.canRedo());
    }

    void anEditIsPredictedBeforeItIsAnnounced() {
        Desk desk;
        long long seenByASlot = 0;
        connect(&desk.store, &ExperimentStore::experimentChanged, this,
                [&] { seenByASlot = desk.store.prediction().globalBatch; });
        QVERIFY(desk.store.edit(kWorkers, 8));
        QCOMPARE(seenByASlot, 8LL * 32);  // workers times batch
        QCOMPARE(disagreement(desk.store), QString());
    }

    void oneChangeIsAnnouncedOnceWithItsKeys() {
        Desk desk;
        desk.store.edit(kWorkers, 8);
        QCOMPARE(desk.changes.count(), 1);
        QCOMPARE(desk.lastKeys(), QStringList{kWorkers});
        desk.store.undo();
        QCOMPARE(desk.changes.count(), 2);
        QCOMPARE(desk.lastKeys(), QStringList{kWorkers});
        desk.store.redo();
        QCOMPARE(desk.changes.count(), 3);
        QCOMPARE(desk.lastKeys(), QStringList{kWorkers});
        desk.store.editTogether({{kSeed, 5}, {kWorkers, 16}}, QStringLiteral("both"));
        QCOMPARE(desk.changes.count(), 4);
        QCOMPARE(desk.lastKeys(), (QStringList{kWorkers, kSeed}));  // in the contract's order
        desk.store.edit(kWorkers, 16);                              // what it is already
        QCOMPARE(desk.changes.count(), 4);
        QCOMPARE(desk.refusals.count(), 0);
    }

    void aRefusedEditSaysWhatIsAllowedAndChangesNothing_data() {
        QTest::addColumn<QString>("key");
        QTest::addColumn<QString>("json");
        QTest::addColumn<QStringList>("says");
        // The ranges are those that the contract states for each key.
        QTest::newRow("below") << kWorkers << "0" << QStringList{kWorkers, "0", "1..65536"};
        QTest::newRow("above") << kWorkers << "65537" << QStringList{kWorkers, "65537", "1..65536"};
        QTest::newRow("wrong type") << kWorkers << "\"many\"" << QStringList{kWorkers, "many", "1..65536"};
        QTest::newRow("not whole") << kWorkers << "2.5" << QStringList{kWorkers, "2.5"};
        QTest::newRow("no such choice") << "cluster.allreduce"
                                        << "\"star\"" << QStringList{"star", "ring", "tree"};
        QTest::newRow("no such key") << "cluster.wrokers"
                                     << "8" << QStringList{"cluster.wrokers"};
        QTest::newRow("against another key") << kStragglers << "5" << QStringList{kStragglers, "5", "0..4"};
        QTest::newRow("not in the catalogue") << "cluster.device"
                                              << "\"abacus\"" << QStringList{"abacus"};
    }
    void aRefusedEditSaysWhatIsAllowedAndChangesNothing() {
        QFETCH(QString, key);
        QFETCH(QString, json);
        QFETCH(QStringList, says);
        Desk desk;
        QVERIFY(!desk.store.edit(key, nlohmann::json::parse(json.toStdString())));
        QCOMPARE(desk.refusals.count(), 1);
        const QString line = desk.refusals.first().first().toString();
        for (const QString& part : says) QVERIFY2(line.contains(part), qPrintable(line + " lacks " + part));
        QVERIFY(!line.contains(QLatin1Char('\n')));
        QCOMPARE(desk.store.experiment(), Experiment{});
        QCOMPARE(desk.changes.count(), 0);
        QVERIFY(!desk.store.canUndo());
        QCOMPARE(disagreement(desk.store), QString());
    }

    void oneGestureIsOneStep() {
        Desk desk;
        for (int workers = 5; workers <= 14; ++workers) desk.store.edit(kWorkers, workers, 3);
        QCOMPARE(desk.changes.count(), 10);
        QCOMPARE(desk.store.undoText(), QStringLiteral("Workers 4 → 14"));
        desk.store.undo();
        QCOMPARE(desk.workers(), 4);
        QVERIFY(!desk.store.canUndo());
        desk.store.redo();
        QCOMPARE(desk.workers(), 14);
    }

    void otherGesturesAndOtherKeysAreStepsOfTheirOwn() {
        Desk desk;
        desk.store.edit(kWorkers, 5, 1);
        desk.store.edit(kWorkers, 6, 2);
        desk.store.edit(kSeed, 7, 2);
        desk.store.edit(kSeed, 8);
        desk.store.edit(kSeed, 9);
        QCOMPARE(desk.undoAll(), 5);
        QCOMPARE(desk.store.experiment(), Experiment{});
    }

    /// A drag over a value at which a dependent setting must change with it is still one drag.
    void aGestureThatTakesOthersAlongIsOneStep() {
        Desk desk;
        desk.store.editTogether({{kWorkers, 8}, {kStragglers, 3}}, QStringLiteral("start"));
        const Experiment start = desk.store.experiment();
        for (int workers = 7; workers >= 3; --workers) desk.store.edit(kWorkers, workers, 4);
        for (int workers = 2; workers >= 1; --workers)
            QVERIFY(desk.store.editTogether({{kWorkers, workers}, {kStragglers, workers}}, QStringLiteral("fewer"), 4));
        desk.store.edit(kWorkers, 2, 4);
        desk.store.undo();
        QCOMPARE(desk.store.experiment(), start);
        desk.store.redo();
        QCOMPARE(desk.workers(), 2);
        QCOMPARE(desk.store.experiment().cluster.stragglerCount, 1);
    }

    void aGestureBackToItsStartLeavesNoStep() {
        Desk desk;
        desk.store.edit(kWorkers, 8, 1);
        desk.store.edit(kWorkers, 4, 1);
        QVERIFY(!desk.store.canUndo());
        QCOMPARE(desk.changes.count(), 2);
        desk.store.edit(kWorkers, 6, 1);
        desk.store.undo();
        QCOMPARE(desk.workers(), 4);
    }

    void undoEndsAGesture() {
        Desk desk;
        desk.store.edit(kSeed, 2);
        desk.store.edit(kWorkers, 8, 1);
        desk.store.undo();
        desk.store.redo();
        desk.store.edit(kWorkers, 16, 1);
        desk.store.undo();
        QCOMPARE(desk.workers(), 8);
    }

    void undoAndRedoWalkBackAndForth() {
        Desk desk;
        std::vector<Experiment> path{desk.store.experiment()};
        const std::vector<std::pair<QString, nlohmann::json>> edits = {{kWorkers, 8},
                                                                       {kServers, 2},
                                                                       {"cluster.architecture", "all-reduce"},
                                                                       {"training.batch_per_worker", 64},
                                                                       {kRate, 0.1}};
        for (const auto& [key, value] : edits) {
            QVERIFY(desk.store.edit(key, value));
            path.push_back(desk.store.experiment());
        }
        for (int round = 0; round < 2; ++round) {
            for (size_t i = path.size() - 1; i > 0; --i) {
                QCOMPARE(desk.store.undoText(), changeText(path[i - 1], path[i], edits[i - 1].first));
                desk.store.undo();
                QCOMPARE(desk.store.experiment(), path[i - 1]);
                QCOMPARE(disagreement(desk.store), QString());
            }
            QVERIFY(!desk.store.canUndo());
            for (size_t i = 1; i < path.size(); ++i) {
                QCOMPARE(desk.store.redoText(), changeText(path[i - 1], path[i], edits[i - 1].first));
                desk.store.redo();
                QCOMPARE(desk.store.experiment(), path[i]);
            }
            QVERIFY(!desk.store.canRedo());
        }
        const int announced = static_cast<int>(desk.changes.count());
        desk.store.redo();  // nothing is left to redo
        QCOMPARE(desk.changes.count(), announced);
    }

    void aNewEditCutsRedoOff() {
        Desk desk;
        desk.store.edit(kWorkers, 8);
        desk.store.edit(kWorkers, 16);
        desk.store.undo();
        desk.store.edit(kSeed, 9);
        QVERIFY(!desk.store.canRedo());
        QCOMPARE(desk.undoAll(), 2);
        QCOMPARE(desk.store.experiment(), Experiment{});
    }

    void editTogetherIsAllOrNothing() {
        Desk desk;
        QVERIFY(!desk.store.editTogether({{kSeed, 5}, {kWorkers, 0}}, QStringLiteral("bad")));
        QCOMPARE(desk.store.experiment(), Experiment{});
        QCOMPARE(desk.refusals.count(), 1);
        QCOMPARE(desk.changes.count(), 0);
        QVERIFY(!desk.store.canUndo());
        // Keys that hold only together, in an order in which one alone would be refused: 8 stragglers need 8 workers.
        QVERIFY(desk.store.editTogether({{kStragglers, 8}, {kWorkers, 8}}, QStringLiteral("good")));
        QCOMPARE(desk.store.undoText(), QStringLiteral("good"));
        QCOMPARE(disagreement(desk.store), QString());
        QCOMPARE(desk.undoAll(), 1);
        QCOMPARE(desk.store.experiment(), Experiment{});
    }

    void replaceIsOneStep() {
        Desk desk;
        Experiment other;
        other.cluster.workers = 12, other.training.seed = 4;
        QVERIFY(desk.store.replace(other, QStringLiteral("Open other.lockstep")));
        QCOMPARE(desk.store.experiment(), other);
        QCOMPARE(desk.store.undoText(), QStringLiteral("Open other.lockstep"));
        QCOMPARE(disagreement(desk.store), QString());
        QCOMPARE(desk.undoAll(), 1);
        other.cluster.workers = 0;  // out of range, and never checked by whoever made it
        QVERIFY(!desk.store.replace(other, QStringLiteral("bad")));
        QCOMPARE(desk.refusals.count(), 1);
        QCOMPARE(desk.store.experiment(), Experiment{});
    }

    void startLeavesNothingToUndo() {
        Desk desk;
        desk.store.edit(kWorkers, 8);
        Experiment saved;
        saved.cluster.workers = 3;
        QVERIFY(desk.store.start(saved));
        QCOMPARE(desk.workers(), 3);
        QVERIFY(!desk.store.canUndo() && !desk.store.canRedo() && desk.store.isBaseline());
        QCOMPARE(disagreement(desk.store), QString());
        QCOMPARE(desk.changes.count(), 2);
    }

    void resetReturnsToTheBaselineAndCanBeUndone() {
        Desk desk;
        QSignalSpy baselines(&desk.store, &ExperimentStore::baselineChanged);
        desk.store.edit(kWorkers, 8);
        QVERIFY(!desk.store.isBaseline());
        desk.store.setBaseline(desk.store.experiment());
        QCOMPARE(baselines.count(), 1);
        QVERIFY(desk.store.isBaseline());
        desk.store.edit(kWorkers, 32);
        desk.store.edit(kSeed, 3);
        desk.store.resetToBaseline();
        QVERIFY(desk.store.isBaseline());
        QCOMPARE(desk.workers(), 8);
        QCOMPARE(disagreement(desk.store), QString());
        desk.store.undo();
        QCOMPARE(desk.workers(), 32);
        QCOMPARE(desk.store.experiment().training.seed, 3u);
    }

    void atMostFiveHundredStepsAreKept() {
        Desk desk;
        for (int i = 1; i <= 520; ++i) QVERIFY(desk.store.edit(kSeed, 1 + i));
        QCOMPARE(desk.undoAll(), 500);
        QCOMPARE(desk.store.experiment().training.seed, 21u);  // 20 of 520 edits, from seed 1 on, are forgotten
    }
};

QTEST_GUILESS_MAIN(TestExperimentStore)
#include "test_experiment_store.moc"
