#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "train/fault.h"

namespace lockstep {

/// How the machines of a run are.
struct ClusterHealth {
    std::vector<MachineHealth> workers, servers;

    [[nodiscard]] bool serversUp() const { return std::ranges::all_of(servers, &MachineHealth::up); }
    [[nodiscard]] bool up() const { return serversUp() && std::ranges::all_of(workers, &MachineHealth::up); }
    [[nodiscard]] static bool anyDead(const std::vector<MachineHealth>& machines) {
        return std::ranges::any_of(machines, &MachineHealth::dead);
    }
    /// The slowest server's factor; a worker needs all of them.
    [[nodiscard]] double transferFactor() const {
        double factor = 1;
        for (const MachineHealth& server : servers) factor = std::max(factor, server.slowdown);
        return factor;
    }
    /// "worker 3 (paused), server 0 (dead)": whoever is not up; empty when all are.
    [[nodiscard]] std::string missing() const;
};

}  // namespace lockstep
