#include "train/cluster_health.h"

#include <fmt/format.h>

namespace lockstep {

std::string ClusterHealth::missing() const {
    std::string text;
    const auto add = [&](const std::vector<MachineHealth>& machines, const char* kind) {
        for (std::size_t i = 0; i < machines.size(); ++i) {
            if (machines[i].up()) continue;
            if (!text.empty()) text += ", ";
            text += fmt::format("{} {} ({})", kind, i, machines[i].dead ? "dead" : "paused");
        }
    };
    add(workers, "worker");
    add(servers, "server");
    return text;
}

}  // namespace lockstep
