#include "controls/fixed_cluster.h"

#include <QCheckBox>
#include <QSignalBlocker>

#include "controls/availability.h"
#include "controls/check_row.h"
#include "experiment/resolved.h"
#include "experiment_store.h"
#include "widgets/check_box.h"

namespace lockstep::ui {

FixedCluster::FixedCluster(Theme& theme, ExperimentStore& store, QWidget* parent)
    : QWidget(parent), m_store(store), m_box(new CheckBox(theme, this)) {
    layOutCheckRow(*this, theme, *m_box, QStringLiteral("cluster.fixed_nodes"));
    connect(m_box, &QCheckBox::toggled, this, [this](bool fixed) {
        const Experiment& experiment = m_store.experiment();
        const int workers = clusterWorkers(experiment), servers = experiment.cluster.servers;
        if (fixed)
            m_store.edit(objectName(), workers + servers);
        else  // keep the split that was found
            m_store.editTogether({{objectName(), 0}, {QStringLiteral("cluster.workers"), workers}}, tr("Free cluster"));
        refresh();
    });
    connect(&store, &ExperimentStore::experimentChanged, this, &FixedCluster::refresh);
    refresh();
}

void FixedCluster::refresh() {
    const Experiment& experiment = m_store.experiment();
    const QSignalBlocker blocker(m_box);
    const int fixed = experiment.cluster.fixedNodes;
    m_box->setChecked(fixed > 0);
    m_box->setText(
        tr("Workers + servers = %1").arg(fixed > 0 ? fixed : experiment.cluster.workers + experiment.cluster.servers));
    m_box->setAccessibleName(tr("Fixed cluster: %1").arg(m_box->text()));
    setVisible(availabilityOf(objectName(), experiment, m_store.catalogue()).shown);
}

}  // namespace lockstep::ui
