#include <algorithm>
#include <cmath>

#include "train/training_engine.h"

namespace lockstep {
/// The replicas come first: Checkpoint::readReplica finds them there.
void TrainingEngine::archive(StateArchive& archive) {
    for (const std::span<float> replica : m_replicas) archive.elements(replica);
    archive.value(m_step);
    archive.value(m_samplesSeen);
    archive.value(m_time);
    archive.value(m_unsettled);
    archive.value(m_window);
    archive.value(m_begun);
    archive.value(m_restartDue);
    archive.elements(std::span(m_states));
    archive.elements(std::span(m_health.workers));
    archive.elements(std::span(m_health.servers));
    m_queue.archive(archive);
    for (Worker& worker : m_workers) {
        archive.value(worker.pending);
        archive.value(worker.samples);
        archive.value(worker.loss);
        archive.value(worker.correct);
        // What is not computed yet will be, what has arrived is used up.
        if (!worker.pending && m_queue.underWay(worker.rank)) archive.elements(worker.gradient);
    }
    m_gradients->archive(archive);
    m_exchange->archive(archive);
    m_meters.archive(archive);
    m_synchronization->archive(archive);
}

double TrainingEngine::checkpointBytes() {
    StateArchive measuring = StateArchive::measuring();
    archive(measuring);
    return static_cast<double>(measuring.size() + 3 * sizeof(float) * m_network.parameterCount());
}

std::shared_ptr<const Checkpoint> TrainingEngine::save(const Snapshot& last) {
    auto checkpoint = std::make_shared<Checkpoint>();
    checkpoint->experiment = m_experiment;
    checkpoint->last = last;
    checkpoint->last.samplesSeen = samplesSeen();
    checkpoint->last.bytesSent = bytesSent();
    checkpoint->step = m_step;
    checkpoint->epoch = epoch();
    checkpoint->workers = m_plan.workers;
    checkpoint->replicas = m_replicas.size();
    checkpoint->model = m_synchronization->hasModel() ? model() : *averageModel({});
    checkpoint->firstState.resize(m_network.parameterCount());
    checkpoint->secondState.resize(m_network.parameterCount());
    m_synchronization->readOptimizer(checkpoint->firstState, checkpoint->secondState);
    StateArchive saving = StateArchive::saving();
    saving.reserve(static_cast<std::size_t>(checkpointBytes()));
    archive(saving);
    checkpoint->state = saving.take();
    return checkpoint;
}

void TrainingEngine::restore(const Checkpoint& checkpoint) {
    StateArchive restoring = StateArchive::restoring(checkpoint.state);
    archive(restoring);
}

void TrainingEngine::restart(const Checkpoint& checkpoint) {
    const ClusterHealth now = m_health;
    restore(checkpoint);
    takeOver(now);
}

Result<void> TrainingEngine::adopt(const Checkpoint& checkpoint) {
    if (const auto checked = checkBranch(checkpoint.experiment, m_experiment, checkpoint.step); !checked)
        return checked;
    if (checkpoint.model.size() != m_network.parameterCount())
        return fail("going on from a checkpoint: its network has another number of parameters");
    const TrainingSettings& training = m_experiment.training;
    m_plan.totalSteps = stepsLeft(checkpoint, training, m_plan);
    if (m_plan.totalSteps < 1)
        return fail("going on from a checkpoint: training.epochs and training.max_steps are reached there already");
    const bool each = m_plan.workers == checkpoint.workers && m_replicas.size() == checkpoint.replicas;
    for (std::size_t replica = 0; replica < m_replicas.size(); ++replica)
        each ? checkpoint.readReplica(replica, m_replicas[replica])
             : static_cast<void>(std::ranges::copy(checkpoint.model, m_replicas[replica].begin()));
    m_exchange->adopt(checkpoint.model);
    if (checkpoint.experiment.training.optimizer == training.optimizer)
        m_synchronization->writeOptimizer(checkpoint.firstState, checkpoint.secondState);
    m_begun = {checkpoint.step, checkpoint.epoch, checkpoint.last.bytesSent};
    m_step = checkpoint.step;
    m_samplesSeen = checkpoint.last.samplesSeen;
    m_gradients->continueFrom(std::llround(checkpoint.epoch * static_cast<double>(m_partition.stepsPerEpoch())));
    m_synchronization->continueFrom(checkpoint.step);
    return {};
}

}  // namespace lockstep
