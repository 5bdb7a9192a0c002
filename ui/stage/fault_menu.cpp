#include "stage/fault_menu.h"

#include <QCoreApplication>
#include <QLocale>
#include <QMenu>

#include "run_controller.h"
#include "train/cluster_health.h"

namespace lockstep::ui {
namespace {

constexpr double kSlowdown = 4;

QString text(const char* source) { return QCoreApplication::translate("FaultMenu", source); }

QString machineName(bool server, int index) { return (server ? text("Server %1") : text("Worker %1")).arg(index + 1); }

}  // namespace

void fillFaultMenu(QMenu& menu, RunController& run, bool server, int index) {
    const ClusterHealth health = run.latest() ? run.latest()->health : ClusterHealth{};
    const std::vector<MachineHealth>& machines = server ? health.servers : health.workers;
    const bool there = run.state() != RunController::State::Ended && index < static_cast<int>(machines.size());
    const MachineHealth now = there ? machines[static_cast<size_t>(index)] : MachineHealth{};
    // Not every style shows a section's title.
    menu.addAction(text("%1 of the real run").arg(machineName(server, index)))->setEnabled(false);
    menu.addSeparator();
    const auto add = [&](const QString& name, FaultKind kind, bool possible) {
        QAction* action = menu.addAction(name);
        action->setEnabled(there && possible);
        QObject::connect(action, &QAction::triggered, &run, [&run, kind, server, index] {
            run.inject({.kind = kind, .server = server, .index = index, .slowdown = kSlowdown});
        });
    };
    add(text("Slow down %1 times").arg(kSlowdown), FaultKind::Slow, !now.dead && now.slowdown == 1);
    add(text("Pause"), FaultKind::Pause, now.up());
    add(text("Kill: all that it holds is lost"), FaultKind::Kill, !now.dead);
    add(text("Revive"), FaultKind::Revive, now != MachineHealth{});
    if (there) return;
    menu.addSeparator();
    menu.addAction(!run.latest()                                ? text("Nothing is trained yet: press Run")
                   : run.state() == RunController::State::Ended ? text("The run has ended: press Run")
                                                                : text("The real run has no such machine"))
        ->setEnabled(false);
}

QString healthText(const MachineHealth& health) {
    if (health.dead) return text("dead");
    if (health.paused) return text("paused");
    return health.slowdown > 1 ? text("%1× slower").arg(QLocale().toString(health.slowdown)) : QString();
}

QString missingText(const ClusterHealth& health) {
    QStringList missing;
    const auto add = [&](const std::vector<MachineHealth>& machines, bool server) {
        for (size_t i = 0; i < machines.size(); ++i)
            if (!machines[i].up())
                missing << QStringLiteral("%1 (%2)").arg(machineName(server, static_cast<int>(i)),
                                                         healthText(machines[i]));
    };
    add(health.workers, false);
    add(health.servers, true);
    return missing.join(QStringLiteral(", "));
}

}  // namespace lockstep::ui
