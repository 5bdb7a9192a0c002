#pragma once

#include <QPixmap>
#include <QWidget>

#include "stage/cluster_layout.h"
#include "stage/packets.h"
#include "train/cluster_health.h"

namespace lockstep::ui {

class ExperimentStore;
class Playback;
class Theme;

/// The cluster diagram: who holds what, who talks to whom, and what is on its way at the playback's position. What
/// stands still is kept in a pixmap; a tick paints that, the packets and the states.
class ClusterView : public QWidget {
    Q_OBJECT
public:
    ClusterView(Theme& theme, ExperimentStore& store, Playback& playback, QWidget* parent = nullptr);

    [[nodiscard]] const ClusterLayout& clusterLayout() const { return m_layout; }
    [[nodiscard]] int packetCount() const { return m_packetCount; }
    /// Opens the group at a node, as a click does; nothing happens for other nodes.
    void openGroup(int node);
    void closeGroups();
    /// How the machines of the real run are; marks those that are not as they should be.
    void setHealth(const ClusterHealth& health);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

signals:
    /// A menu is wanted for this machine, counted from 0.
    void machineMenuAsked(bool server, int index, const QPoint& globalPosition);

protected:
    void contextMenuEvent(QContextMenuEvent* event) override;
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void follow();
    void restyle();
    void layOut();
    void renderStatic();
    void renderSprites();
    void paintNotes(QPainter& painter);
    void paintLegend(QPainter& painter);
    void paintPhase(QPainter& painter);
    void paintPackets(QPainter& painter);
    void paintStates(QPainter& painter);
    void paintHealth(QPainter& painter);
    [[nodiscard]] QString stateOfHealth(const LaidNode& node) const;
    void paintMisfit(QPainter& painter);
    void describe();
    [[nodiscard]] QRectF legendRect() const;

    Theme& m_theme;
    ExperimentStore& m_store;
    Playback& m_playback;
    ClusterLayout m_layout;
    ClusterPage m_page;
    Traffic m_traffic;
    ClusterHealth m_health;
    QPixmap m_static, m_sprites;
    QRectF m_titleRect;
    double m_titleRoom = 0;  ///< what the notes leave of the top line
    int m_hovered = -1, m_packetCount = 0;
    bool m_layoutStale = true, m_staticStale = true, m_spritesStale = true;
};

}  // namespace lockstep::ui
