#include <fmt/format.h>

#include <algorithm>

#include "train/training_engine.h"

namespace lockstep {

/// Whether the machines that are not up keep everybody from going on. Where they keep only some, the queue runs empty
/// when all others wait for them.
bool TrainingEngine::halted() const {
    const SynchronizationKind kind = m_experiment.training.synchronization;
    if (kind == SynchronizationKind::None || kind == SynchronizationKind::LocalSgd) return false;
    return !m_health.serversUp() || (m_plan.servers == 0 && ClusterHealth::anyDead(m_health.workers));
}

Result<void> TrainingEngine::check(const Fault& fault) const {
    return checkFault(fault, m_plan.workers, m_plan.servers);
}

Result<TrainingEngine::FaultEffect> TrainingEngine::apply(const Fault& fault) {
    if (const auto checked = check(fault); !checked) return tl::unexpected(checked.error());
    const auto index = static_cast<std::size_t>(fault.index);
    const MachineHealth next = (fault.server ? m_health.servers : m_health.workers)[index].after(fault);
    // Who lost a part of the model, or of the ring, must begin again together.
    const bool sharedByAll =
        m_experiment.training.synchronization != SynchronizationKind::None && (fault.server || m_plan.servers == 0);
    if (next.dead && sharedByAll) m_restartDue = true;
    fault.server ? setServerHealth(index, next) : setWorkerHealth(fault.index, next);
    const bool missing =
        ClusterHealth::anyDead(m_health.servers) || (m_plan.servers == 0 && ClusterHealth::anyDead(m_health.workers));
    if (!m_restartDue || missing) return FaultEffect::None;
    m_restartDue = false;
    return FaultEffect::Restart;
}

void TrainingEngine::setWorkerHealth(int rank, const MachineHealth& next) {
    MachineHealth& health = m_health.workers[static_cast<std::size_t>(rank)];
    const MachineHealth before = health;
    health = next;
    m_queue.slowWorker(rank, next.slowdown, m_time);
    if (!before.dead && next.dead) {
        m_synchronization->workerLost(rank);
        m_queue.resume(rank, m_time);
    }
    if (before.dead && !next.dead) m_synchronization->workerBack(rank, m_time);
    if (!before.paused && next.paused) m_queue.pause(rank, m_time);
    if (before.paused && next.up()) m_synchronization->workerResumed(rank, m_time);
    // Somebody may be let go on by this.
    m_unsettled = true;
}

void TrainingEngine::setServerHealth(std::size_t server, const MachineHealth& next) {
    const bool wasUp = m_health.serversUp();
    m_health.servers[server] = next;
    m_queue.slowTransfers(m_health.transferFactor(), m_time);
    if (!wasUp && m_health.serversUp()) m_synchronization->serversResumed(m_time);
}

void TrainingEngine::takeOver(const ClusterHealth& health) {
    for (std::size_t rank = 0; rank < health.workers.size(); ++rank)
        setWorkerHealth(static_cast<int>(rank), health.workers[rank]);
    for (std::size_t server = 0; server < health.servers.size(); ++server)
        setServerHealth(server, health.servers[server]);
}

void TrainingEngine::waitUntil(double modelledIterations) {
    m_time = std::max(m_time, modelledIterations * m_timePerIteration);
    m_queue.postpone(m_time);  // whoever finished meanwhile could not deliver
}

}  // namespace lockstep
