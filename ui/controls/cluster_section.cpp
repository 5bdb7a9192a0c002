#include <cmath>

#include "controls/controls_panel.h"
#include "controls/fixed_cluster.h"
#include "controls/key_text.h"
#include "controls/section.h"
#include "controls/setting_choice.h"
#include "controls/setting_slider.h"
#include "controls/workload_choice.h"
#include "experiment/resolved.h"
#include "experiment_store.h"

namespace lockstep::ui {
namespace {

const QString kServersKey = QStringLiteral("cluster.servers");

ValueScale splitScale(const Experiment& experiment, double freeMaximum) {
    const int fixed = experiment.cluster.fixedNodes;
    if (fixed < 2) return {ScaleKind::PowersOfTwo, 1, freeMaximum, 1};
    return {ScaleKind::Linear, 1, fixed - 1.0, 1};
}

/// Sets a key that leaves `workers` workers. What there cannot be more of than workers shrinks with them, so that a
/// slider never meets a wall.
void setWithDependents(ExperimentStore& store, const QString& key, int value, int workers, int gesture) {
    const Experiment& now = store.experiment();
    std::vector<std::pair<QString, nlohmann::json>> values = {{key, value}};
    const auto limit = [&](const char* dependent, int present, int most) {
        if (present > most) values.emplace_back(QLatin1String(dependent), most);
    };
    limit("cluster.straggler_count", now.cluster.stragglerCount, workers);
    limit("training.backup_workers", now.training.backupWorkers, std::max(0, workers - 1));
    if (now.cluster.serverPlacement == ServerPlacement::CoLocated && key != kServersKey)
        limit("cluster.servers", now.cluster.servers, workers);
    if (values.size() == 1)
        store.edit(key, value, gesture);
    else
        store.editTogether(values, keyLabel(key) + QStringLiteral(" → %1").arg(value), gesture);
}

SettingSlider::Binding workersBinding() {
    return {.key = QStringLiteral("cluster.workers"),
            .scale = {ScaleKind::PowersOfTwo, 1, 1024, 1},
            .ticks = true,
            .shown = [](const Experiment& experiment) { return static_cast<double>(clusterWorkers(experiment)); },
            .set =
                [](ExperimentStore& store, double value, int gesture) {
                    const int fixed = store.experiment().cluster.fixedNodes;
                    const int workers = static_cast<int>(std::lround(value));
                    if (fixed > 0)  // what is not a worker is a server
                        setWithDependents(store, kServersKey, std::max(1, fixed - workers), workers, gesture);
                    else
                        setWithDependents(store, QStringLiteral("cluster.workers"), workers, workers, gesture);
                },
            .scaleFor = [](const Experiment& experiment) { return splitScale(experiment, 1024); }};
}

SettingSlider::Binding serversBinding() {
    return {.key = kServersKey,
            .scale = {ScaleKind::PowersOfTwo, 1, 64, 1},
            .set =
                [](ExperimentStore& store, double value, int gesture) {
                    const int servers = static_cast<int>(std::lround(value)),
                              fixed = store.experiment().cluster.fixedNodes;
                    const int workers = fixed > 0 ? fixed - servers : store.experiment().cluster.workers;
                    setWithDependents(store, kServersKey, servers, workers, gesture);
                },
            .scaleFor =
                [](const Experiment& experiment) {
                    const bool shared = experiment.cluster.serverPlacement == ServerPlacement::CoLocated;
                    return splitScale(experiment, shared ? std::clamp(clusterWorkers(experiment), 1, 64) : 64);
                }};
}

ValueScale linkScale() {
    return ValueScale(ScaleKind::Decades, 1e8, 4e11, 0)
        .attractTo({1e8, 2.5e8, 5e8, 1e9, 2.5e9, 5e9, 1e10, 2.5e10, 4e10, 5e10, 1e11, 2e11, 4e11});
}

SettingChoice::Entries deviceEntries(const Catalogue& catalogue) {
    SettingChoice::Entries entries;
    for (const DeviceSpec& device : catalogue.devices)
        entries.emplace_back(QString::fromStdString(device.key), shortDeviceName(device.name));
    return entries;
}

}  // namespace

Section* ControlsPanel::clusterSection() {
    auto* section = new Section(m_theme, tr("Cluster"), Section::Kind::Fixed);
    section->add(watched(new SettingSlider(m_theme, m_store, workersBinding())));
    section->add(watched(new SettingSlider(m_theme, m_store, serversBinding())));
    section->add(new FixedCluster(m_theme, m_store));
    const QString allreduce = QStringLiteral("cluster.allreduce");
    section->add(new SettingChoice(m_theme, m_store, allreduce, availableChoices(allreduce)));
    section->add(watched(new SettingSlider(
        m_theme, m_store, {.key = QStringLiteral("cluster.link_bandwidth_bit_per_s"), .scale = linkScale()})));
    section->add(watched(new SettingSlider(
        m_theme, m_store,
        {.key = QStringLiteral("cluster.link_latency_s"), .scale = ValueScale(ScaleKind::Decades, 1e-7, 1e-2, 0)})));
    section->add(
        new SettingChoice(m_theme, m_store, QStringLiteral("cluster.device"), deviceEntries(m_store.catalogue())));
    const QString sharding = QStringLiteral("cluster.sharding");
    section->add(new SettingChoice(m_theme, m_store, sharding, availableChoices(sharding)));
    return section;
}

Section* ControlsPanel::limitsSection() {
    auto* section = new Section(m_theme, tr("Stragglers and limits"), Section::Kind::Collapsible);
    const auto stragglerScale = [](const Experiment& experiment) {
        return ValueScale(ScaleKind::Linear, 0, std::min(64, clusterWorkers(experiment)), 1);
    };
    section->add(watched(new SettingSlider(m_theme, m_store,
                                           {.key = QStringLiteral("cluster.straggler_count"),
                                            .scale = ValueScale(ScaleKind::Linear, 0, 8, 1),
                                            .scaleFor = stragglerScale})));
    section->add(watched(new SettingSlider(
        m_theme, m_store,
        {.key = QStringLiteral("cluster.straggler_slowdown"), .scale = ValueScale(ScaleKind::Linear, 1, 10, 0.1)})));
    const auto backupScale = [](const Experiment& experiment) {
        return ValueScale(ScaleKind::Linear, 0, std::max(1, std::min(64, clusterWorkers(experiment) - 1)), 1);
    };
    section->add(watched(new SettingSlider(m_theme, m_store,
                                           {.key = QStringLiteral("training.backup_workers"),
                                            .scale = ValueScale(ScaleKind::Linear, 0, 8, 1),
                                            .scaleFor = backupScale})));
    section->add(watched(new SettingSlider(m_theme, m_store,
                                           {.key = QStringLiteral("cluster.loader_samples_per_s"),
                                            .scale = ValueScale(ScaleKind::Decades, 10, 1e5, 0),
                                            .lastIsUnlimited = true})));
    section->add(watched(new SettingSlider(m_theme, m_store,
                                           {.key = QStringLiteral("cluster.storage_bandwidth_bit_per_s"),
                                            .scale = ValueScale(ScaleKind::Decades, 1e8, 1e13, 0),
                                            .lastIsUnlimited = true})));
    section->add(watched(new SettingSlider(m_theme, m_store,
                                           {.key = QStringLiteral("cluster.server_aggregation_byte_per_s"),
                                            .scale = ValueScale(ScaleKind::Decades, 1e8, 1e12, 0),
                                            .lastIsUnlimited = true})));
    return section;
}

}  // namespace lockstep::ui
