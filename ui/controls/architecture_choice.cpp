#include "controls/architecture_choice.h"

#include <QVBoxLayout>

#include "controls/key_text.h"
#include "experiment/enum_names.h"
#include "experiment_store.h"
#include "widgets/segmented_control.h"

namespace lockstep::ui {

ArchitectureChoice::ArchitectureChoice(Theme& theme, ExperimentStore& store, QWidget* parent)
    : QWidget(parent),
      m_store(store),
      m_control(new SegmentedControl(theme, tr("Architecture"),
                                     {tr("Single node"), tr("Param. server"), tr("All-reduce")}, this)) {
    setObjectName(QStringLiteral("cluster.architecture"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_control);
    connect(m_control, &SegmentedControl::chosen, this, &ArchitectureChoice::choose);
    connect(&store, &ExperimentStore::experimentChanged, this, &ArchitectureChoice::refresh);
    refresh();
}

void ArchitectureChoice::choose(int index) {
    const auto architecture = static_cast<Architecture>(index);
    std::vector<std::pair<QString, nlohmann::json>> values = {{objectName(), nameOf(architecture)}};
    if (architecture == Architecture::ParameterServer && m_store.experiment().cluster.servers < 1)
        values.emplace_back(QStringLiteral("cluster.servers"), 1);
    const SynchronizationKind kind = m_store.experiment().training.synchronization;
    if (architecture != Architecture::ParameterServer &&
        (kind == SynchronizationKind::StaleSynchronous || kind == SynchronizationKind::Asynchronous))
        values.emplace_back(QStringLiteral("training.synchronization"), nameOf(SynchronizationKind::BulkSynchronous));
    // What the new architecture cannot have goes with the old one.
    const Experiment& now = m_store.experiment();
    if (architecture == Architecture::SingleNode && now.cluster.stragglerCount > 1)
        values.emplace_back(QStringLiteral("cluster.straggler_count"), 1);
    if (architecture == Architecture::SingleNode && now.training.backupWorkers > 0)
        values.emplace_back(QStringLiteral("training.backup_workers"), 0);
    m_store.editTogether(values, choiceText(objectName(), QString::fromStdString(std::string(nameOf(architecture)))));
    refresh();
}

void ArchitectureChoice::refresh() {
    m_control->showCurrent(static_cast<int>(m_store.experiment().cluster.architecture));
}

}  // namespace lockstep::ui
