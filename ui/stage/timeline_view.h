#pragma once

#include <QPixmap>
#include <QWidget>
#include <vector>

#include "stage/timeline_layout.h"

namespace lockstep::ui {

class ExperimentStore;
class Playback;
class Theme;

/// The modelled iteration as lanes of phases. Press or drag to move the time cursor (it drives the packets of the
/// cluster diagram), wheel to zoom, drag with Shift or the middle button to pan, double click for the whole iteration.
class TimelineView : public QWidget {
    Q_OBJECT
public:
    TimelineView(Theme& theme, ExperimentStore& store, Playback& playback, QWidget* parent = nullptr);

    [[nodiscard]] const TimeWindow& window_s() const { return m_window; }
    /// Pixel position of a time, and back.
    [[nodiscard]] double xOf(double time_s) const;
    [[nodiscard]] double timeAt(double x) const;
    /// What hovering there says; empty beside spans.
    [[nodiscard]] QString readAt(const QPointF& position) const;

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void follow();
    void layOut();
    void renderStatic();
    void paintLane(QPainter& painter, size_t row);
    [[nodiscard]] QString rowName(size_t row) const;
    void paintSpanText(QPainter& painter, const QRectF& rect, const TimelineSpan& span, const QRectF& clip);
    void paintAxis(QPainter& painter);
    void paintCursor(QPainter& painter);
    void stale();

    Theme& m_theme;
    ExperimentStore& m_store;
    Playback& m_playback;
    TimeWindow m_window;
    std::vector<int> m_lanes;
    double m_left = 0, m_right = 0, m_top = 0, m_pitch = 0, m_laneHeight = 0;
    QPixmap m_static;
    QPoint m_pressedAt;
    double m_duration_s = 0;
    bool m_scrubbing = false, m_panning = false, m_stale = true;
};

}  // namespace lockstep::ui
