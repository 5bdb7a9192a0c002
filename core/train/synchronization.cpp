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

void Synchronization::start(int rank, double time) {
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
