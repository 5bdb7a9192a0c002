#include "base/format.h"
#include "controls/controls_panel.h"
#include "controls/key_text.h"
#include "controls/section.h"
#include "controls/setting_check.h"
#include "controls/setting_choice.h"
#include "controls/setting_slider.h"
#include "controls/workload_choice.h"
#include "experiment/resolved.h"
#include "experiment_store.h"

namespace lockstep::ui {
namespace {

/// Another model brings the dataset that it is made for, at that dataset's resolution.
void chooseModel(ExperimentStore& store, const QString& key) {
    const ModelSpec* model = store.catalogue().model(key.toStdString());
    if (!model) return;
    std::vector<std::pair<QString, nlohmann::json>> values = {{QStringLiteral("workload.model"), model->key()},
                                                              {QStringLiteral("workload.resolution_px"), nullptr},
                                                              {QStringLiteral("workload.sequence_length"), nullptr}};
    if (const DatasetSpec* dataset = datasetFor(*model, store.catalogue()))
        values.emplace_back(QStringLiteral("workload.dataset"), dataset->key);
    store.editTogether(values, ControlsPanel::tr("Model %1").arg(shortName(model->name())));
}

SettingSlider::Binding resolutionBinding(const Catalogue& catalogue) {
    return {.key = QStringLiteral("workload.resolution_px"),
            .scale = ValueScale(ScaleKind::PowersOfTwo, 16, 512, 1)
                         .attractTo({16, 28, 32, 64, 96, 128, 160, 192, 224, 256, 320, 384, 448, 512}),
            .shown = [&catalogue](const Experiment& experiment) -> double {
                if (experiment.workload.resolutionPx) return *experiment.workload.resolutionPx;
                const DatasetSpec* dataset = catalogue.dataset(experiment.workload.dataset);
                return dataset ? dataset->resolutionPx : 0;
            }};
}

SettingSlider::Binding learningRateBinding() {
    return {.key = QStringLiteral("training.learning_rate"),
            .scale = ValueScale(ScaleKind::Decades, 1e-4, 1, 0),
            .suffix = [](const Experiment& experiment) -> QString {
                const double factor = scaledLearningRate(experiment) / experiment.training.learningRate;
                if (factor > 0.999 && factor < 1.001) return {};
                return QStringLiteral(" × ") + QString::fromStdString(formatNumber(factor));
            }};
}

SettingChoice::Entries datasetEntries(const Catalogue& catalogue) {
    SettingChoice::Entries entries;
    for (const DatasetSpec& dataset : catalogue.datasets)
        entries.emplace_back(QString::fromStdString(dataset.key), shortName(dataset.name));
    return entries;
}

}  // namespace

Section* ControlsPanel::trainingSection() {
    auto* section = new Section(m_theme, tr("Training"), Section::Kind::Fixed);
    const auto choice = [&](const char* key) {
        const QString name = QLatin1String(key);
        section->add(new SettingChoice(m_theme, m_store, name, availableChoices(name)));
    };
    section->add(new SettingChoice(m_theme, m_store, QStringLiteral("workload.model"),
                                   modelEntries(m_store.catalogue()),
                                   [this](const QString& key) { chooseModel(m_store, key); }));
    section->add(watched(new SettingSlider(m_theme, m_store,
                                           {.key = QStringLiteral("training.batch_per_worker"),
                                            .scale = ValueScale(ScaleKind::PowersOfTwo, 1, 4096, 1)})));
    section->add(watched(new SettingSlider(m_theme, m_store, resolutionBinding(m_store.catalogue()))));
    choice("training.synchronization");
    section->add(watched(new SettingSlider(
        m_theme, m_store,
        {.key = QStringLiteral("training.staleness_bound"), .scale = ValueScale(ScaleKind::Linear, 0, 32, 1)})));
    section->add(watched(new SettingSlider(
        m_theme, m_store,
        {.key = QStringLiteral("training.local_steps"), .scale = ValueScale(ScaleKind::PowersOfTwo, 1, 1024, 1)})));
    section->add(watched(new SettingSlider(m_theme, m_store, learningRateBinding())));
    choice("training.learning_rate_scaling");
    return section;
}

Section* ControlsPanel::dataSection() {
    auto* section = new Section(m_theme, tr("Data and the real run"), Section::Kind::Collapsible);
    section->add(
        new SettingChoice(m_theme, m_store, QStringLiteral("workload.dataset"), datasetEntries(m_store.catalogue())));
    const QString images = QStringLiteral("training.dataset"), model = QStringLiteral("training.model");
    SettingChoice::Entries sets;
    for (const char* value : {"fashion-mnist", "shapes"})
        sets.emplace_back(QLatin1String(value), choiceText(images, QLatin1String(value)));
    section->add(new SettingChoice(m_theme, m_store, images, sets));
    section->add(new SettingChoice(m_theme, m_store, model, availableChoices(model)));
    for (const char* key : {"training.partition", "training.initialization", "training.gradient"}) {
        const QString name = QLatin1String(key);
        section->add(new SettingChoice(m_theme, m_store, name, availableChoices(name)));
    }
    section->add(new SettingCheck(m_theme, m_store, QStringLiteral("training.augmentation")));
    section->add(watched(new SettingSlider(
        m_theme, m_store,
        {.key = QStringLiteral("training.epochs"), .scale = ValueScale(ScaleKind::Linear, 1, 30, 1)})));
    return section;
}

Section* ControlsPanel::moreSection() {
    auto* section = new Section(m_theme, tr("More"), Section::Kind::Collapsible);
    const auto choice = [&](const char* key) {
        const QString name = QLatin1String(key);
        section->add(new SettingChoice(m_theme, m_store, name, availableChoices(name)));
    };
    const auto slider = [&](const char* key, const ValueScale& scale) {
        section->add(watched(new SettingSlider(m_theme, m_store, {.key = QLatin1String(key), .scale = scale})));
    };
    choice("cluster.server_placement");
    choice("workload.precision");
    choice("training.compression");
    slider("training.top_k_fraction", {ScaleKind::Decades, 1e-4, 1, 0});
    choice("training.optimizer");
    slider("training.momentum", {ScaleKind::Linear, 0, 0.99, 0.01});
    slider("training.weight_decay", {ScaleKind::Linear, 0, 0.01, 0.0001});
    slider("training.gradient_clip_norm", {ScaleKind::Linear, 0, 10, 0.1});
    slider("training.accumulation_steps", {ScaleKind::PowersOfTwo, 1, 64, 1});
    choice("training.schedule");
    slider("training.warmup_steps", {ScaleKind::Linear, 0, 500, 10});
    slider("training.seed", {ScaleKind::Linear, 1, 100, 1});
    return section;
}

}  // namespace lockstep::ui
