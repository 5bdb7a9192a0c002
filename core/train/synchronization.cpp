#include "train/synchronization.h"

#include <algorithm>
#include <utility>

#include "train/asynchronous.h"
#include "train/bulk_synchronous.h"
#include "train/local_updates.h"
#include "train/stale_synchronous.h"

namespace lockstep {

void AppliedGradients::add(long long samplesOfGradient, long long staleness) {
    ++gradients;
    samples += samplesOfGradient;
    stalenessSum += staleness;
    stalenessMax = std::max(stalenessMax, staleness);
}

void Synchronization::begin() {
    m_context.exchange.begin();
    startAll(0);
}

void Synchronization::workerLost(int rank) {
    m_context.queue.drop(rank);
    m_context.workers[static_cast<std::size_t>(rank)].pending = false;
}

void Synchronization::workerResumed(int rank, double time) { m_context.queue.resume(rank, time); }

void Synchronization::readOptimizer(std::span<float> first, std::span<float> second) const {
    m_context.exchange.readOptimizer(first, second);
}

void Synchronization::writeOptimizer(std::span<const float> first, std::span<const float> second) {
    m_context.exchange.writeOptimizer(first, second);
}

void Synchronization::archive(StateArchive& archive) {
    archive.value(m_applied);
    archive.value(m_updates);
}

void Synchronization::start(int rank, double time) {
    if (m_context.health.workers[static_cast<std::size_t>(rank)].dead) return;
    m_context.workers[static_cast<std::size_t>(rank)].pending = true;
    m_context.queue.begin(rank, time);
}

void Synchronization::startAll(double time) {
    for (const Worker& worker : m_context.workers) start(worker.rank, time);
}

AppliedGradients Synchronization::takeApplied() { return std::exchange(m_applied, {}); }

std::unique_ptr<Synchronization> makeSynchronization(const Experiment& experiment,
                                                     const SynchronizationContext& context) {
    const TrainingSettings& training = experiment.training;
    switch (training.synchronization) {
        case SynchronizationKind::BulkSynchronous:
            break;
        case SynchronizationKind::StaleSynchronous:
            return std::make_unique<StaleSynchronous>(context, *context.servers, training.stalenessBound);
        case SynchronizationKind::Asynchronous:
            return std::make_unique<Asynchronous>(context, *context.servers);
        case SynchronizationKind::LocalSgd:
            return std::make_unique<LocalUpdates>(context, training.localSteps);
        case SynchronizationKind::None:
            return std::make_unique<LocalUpdates>(context, 0);
    }
    return std::make_unique<BulkSynchronous>(context, training.backupWorkers);
}

}  // namespace lockstep
