#pragma once

#include <QString>

class QMenu;

namespace lockstep {
struct ClusterHealth;
struct MachineHealth;
}  // namespace lockstep

namespace lockstep::ui {

class RunController;

/// What can happen to one machine of the real run: slow it down, pause it, kill it, revive it.
void fillFaultMenu(QMenu& menu, RunController& run, bool server, int index);

/// "paused", "dead", "4× slower"; empty when the machine is as it should be.
[[nodiscard]] QString healthText(const MachineHealth& health);
/// Who is not up, counted from 1 as the diagram does: "Worker 3 (paused), Server 1 (dead)".
[[nodiscard]] QString missingText(const ClusterHealth& health);

}  // namespace lockstep::ui
