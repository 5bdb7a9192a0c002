#include "controls/key_text.h"

#include <QCoreApplication>
#include <QHash>
#include <QStringList>
#include <nlohmann/json.hpp>

#include "base/format.h"
#include "experiment/experiment_json.h"
#include "experiment/keys.h"

namespace lockstep::ui {
namespace {

struct Named {
    const char *key, *text;
};

constexpr Named kLabels[] = {
    {"workload.model", QT_TRANSLATE_NOOP("KeyLabel", "Model")},
    {"workload.dataset", QT_TRANSLATE_NOOP("KeyLabel", "Dataset")},
    {"workload.resolution_px", QT_TRANSLATE_NOOP("KeyLabel", "Resolution")},
    {"workload.precision", QT_TRANSLATE_NOOP("KeyLabel", "Precision")},
    {"cluster.architecture", QT_TRANSLATE_NOOP("KeyLabel", "Architecture")},
    {"cluster.workers", QT_TRANSLATE_NOOP("KeyLabel", "Workers")},
    {"cluster.servers", QT_TRANSLATE_NOOP("KeyLabel", "Servers")},
    {"cluster.server_placement", QT_TRANSLATE_NOOP("KeyLabel", "Placement")},
    {"cluster.fixed_nodes", QT_TRANSLATE_NOOP("KeyLabel", "Fixed cluster")},
    {"cluster.device", QT_TRANSLATE_NOOP("KeyLabel", "Device")},
    {"cluster.link_bandwidth_bit_per_s", QT_TRANSLATE_NOOP("KeyLabel", "Link")},
    {"cluster.link_latency_s", QT_TRANSLATE_NOOP("KeyLabel", "Latency")},
    {"cluster.allreduce", QT_TRANSLATE_NOOP("KeyLabel", "Algorithm")},
    {"cluster.loader_samples_per_s", QT_TRANSLATE_NOOP("KeyLabel", "Loader limit")},
    {"cluster.straggler_count", QT_TRANSLATE_NOOP("KeyLabel", "Stragglers")},
    {"cluster.straggler_slowdown", QT_TRANSLATE_NOOP("KeyLabel", "Slowdown")},
    {"cluster.server_aggregation_byte_per_s", QT_TRANSLATE_NOOP("KeyLabel", "Server sums")},
    {"cluster.storage_bandwidth_bit_per_s", QT_TRANSLATE_NOOP("KeyLabel", "Storage")},
    {"training.model", QT_TRANSLATE_NOOP("KeyLabel", "Trained model")},
    {"training.dataset", QT_TRANSLATE_NOOP("KeyLabel", "Images")},
    {"training.resolution_px", QT_TRANSLATE_NOOP("KeyLabel", "Trained resolution")},
    {"training.batch_per_worker", QT_TRANSLATE_NOOP("KeyLabel", "Batch per worker")},
    {"training.synchronization", QT_TRANSLATE_NOOP("KeyLabel", "Synchronization")},
    {"training.staleness_bound", QT_TRANSLATE_NOOP("KeyLabel", "Staleness bound")},
    {"training.local_steps", QT_TRANSLATE_NOOP("KeyLabel", "Local steps")},
    {"training.backup_workers", QT_TRANSLATE_NOOP("KeyLabel", "Backup workers")},
    {"training.compression", QT_TRANSLATE_NOOP("KeyLabel", "Compression")},
    {"training.top_k_fraction", QT_TRANSLATE_NOOP("KeyLabel", "Share sent")},
    {"training.gradient_clip_norm", QT_TRANSLATE_NOOP("KeyLabel", "Clip gradients at")},
    {"training.accumulation_steps", QT_TRANSLATE_NOOP("KeyLabel", "Batches per step")},
    {"training.gradient", QT_TRANSLATE_NOOP("KeyLabel", "Gradient of")},
    {"cluster.sharding", QT_TRANSLATE_NOOP("KeyLabel", "Sharding")},
    {"training.optimizer", QT_TRANSLATE_NOOP("KeyLabel", "Optimizer")},
    {"training.momentum", QT_TRANSLATE_NOOP("KeyLabel", "Momentum")},
    {"training.weight_decay", QT_TRANSLATE_NOOP("KeyLabel", "Weight decay")},
    {"training.learning_rate", QT_TRANSLATE_NOOP("KeyLabel", "Learning rate")},
    {"training.learning_rate_scaling", QT_TRANSLATE_NOOP("KeyLabel", "Scaling")},
    {"training.warmup_steps", QT_TRANSLATE_NOOP("KeyLabel", "Warm-up steps")},
    {"training.schedule", QT_TRANSLATE_NOOP("KeyLabel", "Schedule")},
    {"training.partition", QT_TRANSLATE_NOOP("KeyLabel", "Partition")},
    {"training.initialization", QT_TRANSLATE_NOOP("KeyLabel", "Initial weights")},
    {"training.augmentation", QT_TRANSLATE_NOOP("KeyLabel", "Shift and mirror images")},
    {"training.epochs", QT_TRANSLATE_NOOP("KeyLabel", "Epochs")},
    {"training.seed", QT_TRANSLATE_NOOP("KeyLabel", "Seed")},
};

constexpr Named kChoices[] = {
    {"single-node", QT_TRANSLATE_NOOP("Choice", "Single node")},
    {"parameter-server", QT_TRANSLATE_NOOP("Choice", "Parameter server")},
    {"all-reduce", QT_TRANSLATE_NOOP("Choice", "All-reduce")},
    {"dedicated", QT_TRANSLATE_NOOP("Choice", "Dedicated")},
    {"co-located", QT_TRANSLATE_NOOP("Choice", "Co-located")},
    {"ring", QT_TRANSLATE_NOOP("Choice", "Ring")},
    {"tree", QT_TRANSLATE_NOOP("Choice", "Tree")},
    {"halving-doubling", QT_TRANSLATE_NOOP("Choice", "Halving-doubling")},
    {"hierarchical", QT_TRANSLATE_NOOP("Choice", "Hierarchical")},
    {"naive", QT_TRANSLATE_NOOP("Choice", "Naive (gather, broadcast)")},
    {"auto", QT_TRANSLATE_NOOP("Choice", "Cheapest")},
    {"bulk-synchronous", QT_TRANSLATE_NOOP("Choice", "Bulk-synchronous")},
    {"stale-synchronous", QT_TRANSLATE_NOOP("Choice", "Stale-synchronous")},
    {"asynchronous", QT_TRANSLATE_NOOP("Choice", "Asynchronous")},
    {"local-sgd", QT_TRANSLATE_NOOP("Choice", "Local SGD")},
    {"none", QT_TRANSLATE_NOOP("Choice", "None")},
    {"sgd", QT_TRANSLATE_NOOP("Choice", "SGD")},
    {"momentum", QT_TRANSLATE_NOOP("Choice", "Momentum")},
    {"nesterov", QT_TRANSLATE_NOOP("Choice", "Nesterov")},
    {"adam", QT_TRANSLATE_NOOP("Choice", "Adam")},
    {"lars", QT_TRANSLATE_NOOP("Choice", "LARS")},
    {"linear", QT_TRANSLATE_NOOP("Choice", "Linear")},
    {"sqrt", QT_TRANSLATE_NOOP("Choice", "Square root")},
    {"constant", QT_TRANSLATE_NOOP("Choice", "Constant")},
    {"step", QT_TRANSLATE_NOOP("Choice", "Step")},
    {"cosine", QT_TRANSLATE_NOOP("Choice", "Cosine")},
    {"same", QT_TRANSLATE_NOOP("Choice", "Same")},
    {"different", QT_TRANSLATE_NOOP("Choice", "Different")},
    {"disjoint", QT_TRANSLATE_NOOP("Choice", "Disjoint")},
    {"by-label", QT_TRANSLATE_NOOP("Choice", "By label")},
    {"replicated", QT_TRANSLATE_NOOP("Choice", "Replicated")},
    {"bytes", QT_TRANSLATE_NOOP("Choice", "Equal slices")},
    {"tensors", QT_TRANSLATE_NOOP("Choice", "Whole tensors")},
    {"mini-batch", QT_TRANSLATE_NOOP("Choice", "A mini-batch")},
    {"full", QT_TRANSLATE_NOOP("Choice", "All its data")},
    {"top-k", QT_TRANSLATE_NOOP("Choice", "Largest entries")},
    {"softmax", QT_TRANSLATE_NOOP("Choice", "Softmax")},
    {"mlp", QT_TRANSLATE_NOOP("Choice", "MLP")},
    {"cnn", QT_TRANSLATE_NOOP("Choice", "CNN")},
    {"residual-cnn", QT_TRANSLATE_NOOP("Choice", "Residual CNN")},
    {"fashion-mnist", QT_TRANSLATE_NOOP("Choice", "Fashion-MNIST")},
    {"shapes", QT_TRANSLATE_NOOP("Choice", "Shapes")},
};

const char* find(const auto& table, const QString& key) {
    for (const Named& entry : table)
        if (key == QLatin1String(entry.key)) return entry.text;
    return nullptr;
}

}  // namespace

QString keyLabel(const QString& key) {
    if (const char* text = find(kLabels, key)) return QCoreApplication::translate("KeyLabel", text);
    return key.section(QLatin1Char('.'), 1).replace(QLatin1Char('_'), QLatin1Char(' '));
}

QString choiceText(const QString& key, const QString& choice) {
    if (key == QLatin1String("training.learning_rate_scaling") && choice == QLatin1String("none"))
        return QCoreApplication::translate("Choice", "Unscaled");
    if (const char* text = find(kChoices, choice)) return QCoreApplication::translate("Choice", text);
    return choice;
}

QString keyUnit(const QString& key) {
    if (key == QLatin1String("cluster.loader_samples_per_s"))
        return QCoreApplication::translate("KeyUnit", "samples/s");
    if (key.endsWith(QLatin1String("_bit_per_s"))) return QStringLiteral("bit/s");
    if (key.endsWith(QLatin1String("_byte_per_s"))) return QStringLiteral("B/s");
    if (key.endsWith(QLatin1String("_bytes"))) return QStringLiteral("B");
    if (key.endsWith(QLatin1String("_px"))) return QStringLiteral("px");
    if (key.endsWith(QLatin1String("_s"))) return QStringLiteral("s");
    return {};
}

QString valueText(const Experiment& experiment, const QString& key) {
    const nlohmann::json value = valueOfKey(experiment, key.toStdString());
    if (value.is_null()) return QCoreApplication::translate("KeyValue", "automatic");
    if (value.is_boolean())
        return value.get<bool>() ? QCoreApplication::translate("KeyValue", "on")
                                 : QCoreApplication::translate("KeyValue", "off");
    if (value.is_number()) {
        const KeyDescription* description = findKey(key.toStdString());
        if (description && description->zeroAllowed && value.get<double>() == 0)
            return QCoreApplication::translate("KeyValue", "none");
        return QString::fromStdString(formatQuantity(value.get<double>(), keyUnit(key).toStdString()));
    }
    if (value.is_string()) return choiceText(key, QString::fromStdString(value.get<std::string>()));
    return QString::fromStdString(value.dump());
}

QString changeText(const Experiment& before, const Experiment& after, const QString& key) {
    return QCoreApplication::translate("KeyChange", "%1 %2 → %3", "a setting, its value before and after")
        .arg(keyLabel(key), valueText(before, key), valueText(after, key));
}

QString differenceText(const Experiment& shown, const Experiment& other) {
    QStringList parts;
    for (const std::string& name : changedKeys(other, shown)) {
        if (parts.size() == 3) {
            parts << QStringLiteral("…");
            break;
        }
        const QString key = QString::fromStdString(name);
        parts << keyLabel(key) + QLatin1Char(' ') + valueText(shown, key);
    }
    return parts.join(QStringLiteral(", "));
}

}  // namespace lockstep::ui
