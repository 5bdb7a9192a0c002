// Faults and branches as a person makes them: from the diagram's menu and the Experiment menu.
#include <QAction>
#include <QContextMenuEvent>
#include <QMenu>
#include <QTest>

#include "experiment_store.h"
#include "run_controller.h"
#include "stage/cluster_view.h"
#include "stage/fault_menu.h"
#include "stage/stage_panel.h"
#include "ui/support/tiny_images.h"
#include "ui/support/window_desk.h"
#include "window/notice_bar.h"
#include "window/tool_row.h"
#include "window/window_actions.h"

using namespace lockstep;
using namespace lockstep::ui;
using test::WindowDesk;
using State = RunController::State;

namespace {

constexpr int kPatience_ms = 20'000;

bool until(const std::function<bool()>& condition) { return QTest::qWaitFor(condition, kPatience_ms); }

ClusterView* diagram(const WindowDesk& desk) { return desk.window->findChild<StagePanel*>()->clusterView(); }

/// Opens the menu at the card of a worker or server and takes the entry that begins so.
bool choose(ClusterView* view, bool server, int index, const QString& entry) {
    for (const LaidNode& node : view->clusterLayout().nodes) {
        if (node.server != server || node.first != index) continue;
        const QPoint at = node.card.center().toPoint();
        QContextMenuEvent event(QContextMenuEvent::Mouse, at, view->mapToGlobal(at));
        QCoreApplication::sendEvent(view, &event);
        auto* menu = view->window()->findChild<QMenu*>(QStringLiteral("fault-menu"));
        if (menu == nullptr) return false;
        bool taken = false;
        for (QAction* action : menu->actions()) {
            if (taken || !action->isEnabled() || !action->text().startsWith(entry)) continue;
            action->trigger();
            taken = true;
        }
        delete menu;
        return taken;
    }
    return false;
}

}  // namespace

class TestFaultsByHand : public QObject {
    Q_OBJECT
    test::TinyImages m_images;

    static void train(const WindowDesk& desk) {
        Experiment experiment = desk.window->store().experiment();
        experiment.training.epochs = 1e5;
        desk.window->store().replace(experiment, QStringLiteral("endless"));
        desk.window->run().run();
    }

private slots:
    void aPausedWorkerHoldsUpTheRunUntilItIsRevived() {
        const WindowDesk desk;
        train(desk);
        const RunController& run = desk.window->run();
        QVERIFY(until([&] { return run.latest() && run.latest()->step > 10; }));
        ClusterView* view = diagram(desk);
        view->grab();
        QVERIFY(!choose(view, false, 1, QStringLiteral("Revive")));  // nothing to revive
        QVERIFY(choose(view, false, 1, QStringLiteral("Pause")));
        QVERIFY(until([&] { return !run.latest()->waitingFor.empty(); }));
        QVERIFY(desk.window->toolRow()->progressText().contains(QStringLiteral("waits for Worker 2 (paused)")));
        const long long stuck = run.latest()->step;
        QVERIFY(choose(view, false, 1, QStringLiteral("Revive")));
        QVERIFY(until([&] { return run.latest()->step > stuck + 10; }));
        QVERIFY(!desk.window->toolRow()->progressText().contains(QStringLiteral("waits")));
    }

    void aKilledServerMakesTheRunBeginAgainFromACheckpoint() {
        const WindowDesk desk;
        train(desk);
        const RunController& run = desk.window->run();
        QVERIFY(until([&] { return run.latest() && run.latest()->step > 60; }));
        ClusterView* view = diagram(desk);
        view->grab();
        QVERIFY(choose(view, true, 0, QStringLiteral("Kill")));
        QVERIFY(until([&] { return run.latest()->health.servers.front().dead; }));
        QVERIFY(choose(view, true, 0, QStringLiteral("Revive")));
        QVERIFY(until([&] { return run.latest()->restarts == 1 && run.latest()->health.up(); }));
        QVERIFY(run.latest()->lostSteps < 60);
        QVERIFY(desk.window->toolRow()->progressText().contains(QStringLiteral("1 restart")));
    }

    void aBranchGoesOnFromItsStepUntilReset() {
        const WindowDesk desk;
        train(desk);
        RunController& run = desk.window->run();
        QVERIFY(until([&] { return run.latest() && run.latest()->step > 30; }));
        const long long planned = run.plannedSteps();
        desk.window->actions().branch->trigger();
        QVERIFY(until([&] { return run.branchStep() > 30; }));
        QVERIFY(desk.window->notices()->text().contains(QString::number(run.branchStep())));
        Experiment changed = desk.window->store().experiment();
        changed.cluster.workers = 3;
        desk.window->store().replace(changed, QStringLiteral("three"));
        QVERIFY(until([&] { return run.isCurrent() && run.latest() && run.latest()->replicas.size() == 3; }));
        QCOMPARE(run.history()->front().step, run.branchStep());
        // Three workers do in 4/3 of the steps what four would have done from the branch on.
        QVERIFY(std::abs(static_cast<double>(run.plannedSteps()) / static_cast<double>(planned) - 4.0 / 3) < 0.01);
        QCOMPARE(run.ghosts().size(), std::size_t(1));
        desk.window->actions().reset->trigger();
        QCOMPARE(run.branchStep(), 0LL);
    }

    void aBranchOfAnotherNetworkBeginsAnew() {
        const WindowDesk desk;
        train(desk);
        RunController& run = desk.window->run();
        QVERIFY(until([&] { return run.latest() && run.latest()->step > 5; }));
        run.branch();
        QVERIFY(until([&] { return run.branchStep() > 0; }));
        Experiment changed = desk.window->store().experiment();
        changed.training.model = "softmax";
        desk.window->store().replace(changed, QStringLiteral("softmax"));
        QVERIFY(until([&] { return run.branchStep() == 0 && run.latest() && run.latest()->step > 0; }));
        QCOMPARE(run.history()->front().step, 0LL);
        QVERIFY(desk.window->notices()->text().contains(QStringLiteral("training.model")));
    }
};

QTEST_MAIN(TestFaultsByHand)
#include "test_faults.moc"
