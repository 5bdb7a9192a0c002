#include "controls/availability.h"

#include <QCoreApplication>

#include "experiment/resolved.h"

namespace lockstep::ui {
namespace {

QString tr(const char* text) { return QCoreApplication::translate("Availability", text); }

bool isServerKey(const QString& key) {
    return key == QLatin1String("cluster.servers") || key == QLatin1String("cluster.server_placement") ||
           key == QLatin1String("cluster.sharding") || key == QLatin1String("cluster.fixed_nodes") ||
           key == QLatin1String("cluster.server_aggregation_byte_per_s");
}

bool isNetworkKey(const QString& key) {
    return key == QLatin1String("cluster.link_bandwidth_bit_per_s") || key == QLatin1String("cluster.link_latency_s") ||
           key == QLatin1String("cluster.allreduce");
}

/// What depends on how the run trains.
Availability trainingAvailability(const QString& key, const Experiment& experiment, const Catalogue& catalogue) {
    const TrainingSettings& training = experiment.training;
    const SynchronizationKind kind = training.synchronization;
    const bool single = experiment.cluster.architecture == Architecture::SingleNode;
    if (key == QLatin1String("training.staleness_bound"))
        return {.shown = !single && kind == SynchronizationKind::StaleSynchronous, .reason = {}};
    if (key == QLatin1String("training.local_steps"))
        return {.shown = !single && kind == SynchronizationKind::LocalSgd, .reason = {}};
    if (key == QLatin1String("training.top_k_fraction"))
        return {.shown = training.compression == Compression::TopK, .reason = {}};
    if (key == QLatin1String("training.backup_workers") && (single || kind != SynchronizationKind::BulkSynchronous))
        return {.shown = true, .reason = tr("Only bulk-synchronous workers wait for each other at every step.")};
    if (key == QLatin1String("training.backup_workers") && clusterWorkers(experiment) == 1)
        return {.shown = true, .reason = tr("One worker has nobody to stand in for.")};
    if (key == QLatin1String("training.compression") &&
        (single || kind == SynchronizationKind::None || kind == SynchronizationKind::LocalSgd))
        return {.shown = true, .reason = tr("No gradients are sent.")};
    const bool keepsMomentum = training.optimizer == OptimizerKind::Momentum ||
                               training.optimizer == OptimizerKind::Nesterov ||
                               training.optimizer == OptimizerKind::Lars;
    if (key == QLatin1String("training.momentum") && !keepsMomentum)
        return {.shown = true, .reason = tr("This optimizer does not read it.")};
    if (key == QLatin1String("training.partition") && single)
        return {.shown = true, .reason = tr("A single node holds all the data.")};
    if (key == QLatin1String("training.initialization") && single)
        return {.shown = true, .reason = tr("There is one replica only.")};
    if (key == QLatin1String("workload.resolution_px")) {
        const ModelSpec* model = catalogue.model(experiment.workload.model);
        if (model && model->readsText()) return {.shown = true, .reason = tr("A text model has no image resolution.")};
    }
    return {};
}

}  // namespace

Availability availabilityOf(const QString& key, const Experiment& experiment, const Catalogue& catalogue) {
    const ClusterSettings& cluster = experiment.cluster;
    const bool single = cluster.architecture == Architecture::SingleNode;
    const bool silent = experiment.training.synchronization == SynchronizationKind::None;
    if (isServerKey(key) && cluster.architecture != Architecture::ParameterServer)
        return {.shown = false, .reason = {}};
    if (key == QLatin1String("cluster.allreduce") && cluster.architecture != Architecture::AllReduce)
        return {.shown = false, .reason = {}};
    if (isNetworkKey(key) && single)
        return {.shown = true, .reason = tr("A single node sends nothing over the network.")};
    const bool sums = key == QLatin1String("cluster.server_aggregation_byte_per_s");
    const bool ringOfOne = cluster.architecture == Architecture::AllReduce && clusterWorkers(experiment) == 1;
    if (isNetworkKey(key) && ringOfOne) return {.shown = true, .reason = tr("One worker alone has nobody to send to.")};
    if (key == QLatin1String("cluster.allreduce") && experiment.training.compression == Compression::TopK &&
        experiment.training.synchronization == SynchronizationKind::BulkSynchronous)
        return {.shown = true, .reason = tr("Sparse gradients go round a ring: their sums would fill up on the way.")};
    if (key == QLatin1String("cluster.sharding") && clusterServers(experiment) == 1)
        return {.shown = true, .reason = tr("One server holds everything.")};
    const bool split = key == QLatin1String("cluster.workers") || key == QLatin1String("cluster.servers");
    if (split && cluster.architecture == Architecture::ParameterServer && cluster.fixedNodes == 2)
        return {.shown = true, .reason = tr("Two machines are one worker and one server.")};
    if ((isNetworkKey(key) || sums) && silent)
        return {.shown = true, .reason = tr("Without synchronization nothing is sent.")};
    if (key == QLatin1String("cluster.workers") && single)
        return {.shown = true, .reason = tr("A single node is one worker.")};
    if (key == QLatin1String("training.synchronization") && single)
        return {.shown = true, .reason = tr("One worker has nobody to synchronize with.")};
    if (key == QLatin1String("cluster.straggler_slowdown") && cluster.stragglerCount == 0)
        return {.shown = true, .reason = tr("No worker is slow: raise Stragglers first.")};
    return trainingAvailability(key, experiment, catalogue);
}

QString choiceReason(const QString& key, const QString& choice, const Experiment& experiment) {
    const Architecture architecture = experiment.cluster.architecture;
    const bool servers = architecture == Architecture::ParameterServer;
    if (key == QLatin1String("training.synchronization") && !servers &&
        (choice == QLatin1String("stale-synchronous") || choice == QLatin1String("asynchronous")))
        return tr("Needs parameter servers, which keep the parameters between the workers' visits.");
    return {};
}

}  // namespace lockstep::ui
