#include "stage/stage_panel.h"

#include <QHBoxLayout>
#include <QMenu>
#include <QStackedLayout>
#include <QTabBar>
#include <QVBoxLayout>

#include "run_controller.h"
#include "stage/cluster_view.h"
#include "stage/fault_menu.h"
#include "stage/playback.h"
#include "stage/playback_bar.h"
#include "stage/replica_view.h"
#include "theme/theme.h"
#include "widgets/panel.h"

namespace lockstep::ui {

StagePanel::StagePanel(Theme& theme, ExperimentStore& store, RunController& run, Playback& playback, QWidget* parent)
    : QWidget(parent),
      m_theme(theme),
      m_tabs(new QTabBar),
      m_pages(new QStackedLayout),
      m_bar(new PlaybackBar(theme, playback)),
      m_cluster(new ClusterView(theme, store, playback)),
      m_replicas(new ReplicaView(theme, run)) {
    auto* panel = new Panel(theme, QString(), NumberSource::Modelled, this);
    panel->setAccessibleName(tr("Stage"));
    m_tabs->addTab(tr("Cluster"));
    m_tabs->addTab(tr("Replicas"));
    m_tabs->setExpanding(false);
    m_tabs->setDrawBase(false);
    m_tabs->setAccessibleName(tr("What the stage shows"));
    // The tabs take the place of the panel's title; its tag stays at the right.
    panel->titleRow()->insertWidget(0, m_tabs);
    panel->titleRow()->insertWidget(panel->titleRow()->count() - 1, m_bar);
    m_pages->addWidget(m_cluster);
    m_pages->addWidget(m_replicas);
    panel->body()->addLayout(m_pages, 1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(panel);

    const auto showTag = [this, panel, &run] {
        if (m_tabs->currentIndex() == 0)
            panel->setSource(NumberSource::Modelled);
        else
            panel->setSource(NumberSource::Measured, run.runTitle());
    };
    connect(m_tabs, &QTabBar::currentChanged, this, [this, showTag](int index) {
        m_pages->setCurrentIndex(index);
        m_bar->setVisible(index == 0);
        showTag();
    });
    connect(&run, &RunController::stateChanged, this, showTag);
    const auto showHealth = [this, &run] {
        m_cluster->setHealth(run.latest() ? run.latest()->health : ClusterHealth{});
    };
    connect(&run, &RunController::snapshotChanged, m_cluster, showHealth);
    connect(&run, &RunController::stateChanged, m_cluster, showHealth);
    connect(m_cluster, &ClusterView::machineMenuAsked, this, [this, &run](bool server, int index, const QPoint& at) {
        auto* menu = new QMenu(this);
        menu->setObjectName(QStringLiteral("fault-menu"));
        menu->setAttribute(Qt::WA_DeleteOnClose);
        fillFaultMenu(*menu, run, server, index);
        menu->popup(at);
    });
    connect(&theme, &Theme::themeChanged, this, &StagePanel::restyle);
    restyle();
}

void StagePanel::restyle() { m_tabs->setFont(m_theme.metrics().strong); }

void StagePanel::setCurrentTab(int index) { m_tabs->setCurrentIndex(index); }

int StagePanel::currentTab() const { return m_tabs->currentIndex(); }

}  // namespace lockstep::ui
