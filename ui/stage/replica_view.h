#pragma once

#include <QWidget>

#include "stage/replica_trails.h"

namespace lockstep::ui {

class RunController;
class Theme;

/// The replicas of the real run as points around their average, with trails, and how well each does. Measured.
class ReplicaView : public QWidget {
    Q_OBJECT
public:
    ReplicaView(Theme& theme, RunController& run, QWidget* parent = nullptr);

    [[nodiscard]] const ReplicaTrails& trails() const { return m_trails; }
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void follow();
    void describe();
    void paintHint(QPainter& painter);
    void paintPlane(QPainter& painter, const QRectF& area);
    void paintList(QPainter& painter, const QRectF& area);
    void paintTrails(QPainter& painter, const QRectF& square, double scale);
    void paintSummary(QPainter& painter, const QRectF& area);
    [[nodiscard]] QString summary() const;

    Theme& m_theme;
    RunController& m_run;
    ReplicaTrails m_trails;
};

}  // namespace lockstep::ui
