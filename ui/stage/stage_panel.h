#pragma once

#include <QWidget>

class QStackedLayout;
class QTabBar;

namespace lockstep::ui {

class ClusterView;
class ExperimentStore;
class Playback;
class PlaybackBar;
class ReplicaView;
class RunController;
class Theme;

/// The stage: a tab row ("Cluster", "Replicas") above the picture of what is going on.
class StagePanel : public QWidget {
    Q_OBJECT
public:
    StagePanel(Theme& theme, ExperimentStore& store, RunController& run, Playback& playback, QWidget* parent = nullptr);

    /// 0: cluster, 1: replicas.
    void setCurrentTab(int index);
    [[nodiscard]] int currentTab() const;
    [[nodiscard]] ClusterView* clusterView() const { return m_cluster; }
    [[nodiscard]] ReplicaView* replicaView() const { return m_replicas; }

private:
    void restyle();

    Theme& m_theme;
    QTabBar* m_tabs;
    QStackedLayout* m_pages;
    PlaybackBar* m_bar;
    ClusterView* m_cluster;
    ReplicaView* m_replicas;
};

}  // namespace lockstep::ui
