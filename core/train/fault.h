#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace lockstep {

enum class FaultKind {
    Slow,   ///< works on, `slowdown` times slower
    Pause,  ///< stops and keeps what it holds in memory
    Kill,   ///< is gone with everything that it held
    Revive  ///< is as it should be again; in place of a killed machine a new, empty one
};

/// Something that happens to one machine of a run between two steps.
struct Fault {
    FaultKind kind = FaultKind::Slow;
    bool server = false;  ///< a parameter server, otherwise a worker
    int index = 0;        ///< from 0
    double slowdown = 2;  ///< of Slow, >= 1
    bool operator==(const Fault&) const = default;
};

/// A fault that comes before the first step after `step` steps.
struct ScheduledFault {
    long long step = 0;
    Fault fault;
    /// The machine is revived after this many modelled iterations.
    std::optional<double> iterations;
    bool operator==(const ScheduledFault&) const = default;
};

/// Reads "STEP:KIND:MACHINE", for example "100:kill:worker:3", "100:slow:worker:3:2.5" (the slowdown) or
/// "100:pause:server:0:for:20" (revived after 20 modelled iterations). One line when it is anything else.
[[nodiscard]] Result<ScheduledFault> parseFault(std::string_view text);

/// One line when there is no such machine among so many workers and servers.
[[nodiscard]] Result<void> checkFault(const Fault& fault, int workers, int servers);

/// "worker 3 is killed"
[[nodiscard]] std::string describe(const Fault& fault);

/// How a machine is.
struct MachineHealth {
    double slowdown = 1;
    bool paused = false, dead = false;
    [[nodiscard]] bool up() const { return !paused && !dead; }
    bool operator==(const MachineHealth&) const = default;
    /// As the fault leaves it. A dead machine stays so until it is revived.
    [[nodiscard]] MachineHealth after(const Fault& fault) const;
};

}  // namespace lockstep
