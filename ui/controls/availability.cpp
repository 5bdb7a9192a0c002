#include "controls/availability.h"

#include <QCoreApplication>

namespace lockstep::ui {
namespace {

QString tr(const char* text) { return QCoreApplication::translate("Availability", text); }

bool isServerKey(const QString& key) {
    return key == QLatin1String("cluster.servers") || key == QLatin1String("cluster.server_placement") ||
           key == QLatin1String("cluster.fixed_nodes") || key == QLatin1String("cluster.server_aggregation_byte_per_s");
}

bool isNetworkKey(const QString& key) {
    return key == QLatin1String("cluster.link_bandwidth_bit_per_s") || key == QLatin1String("cluster.link_latency_s") ||
           key == QLatin1String("cluster.allreduce");
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
    if (isNetworkKey(key) && silent) return {.shown = true, .reason = tr("Without synchronization nothing is sent.")};
    if (key == QLatin1String("cluster.workers") && single)
        return {.shown = true, .reason = tr("A single node is one worker.")};
    if (key == QLatin1String("training.synchronization") && single)
        return {.shown = true, .reason = tr("One worker has nobody to synchronize with.")};
    if (key == QLatin1String("cluster.straggler_slowdown") && cluster.stragglerCount == 0)
        return {.shown = true, .reason = tr("No worker is slow: raise Stragglers first.")};
    if (key == QLatin1String("training.momentum") && experiment.training.optimizer != OptimizerKind::Momentum)
        return {.shown = true, .reason = tr("Plain SGD keeps no momentum.")};
    if (key == QLatin1String("workload.resolution_px")) {
        const ModelSpec* model = catalogue.model(experiment.workload.model);
        if (model && model->readsText()) return {.shown = true, .reason = tr("A text model has no image resolution.")};
    }
    return {};
}

}  // namespace lockstep::ui
