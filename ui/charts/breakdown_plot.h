#pragma once

#include <QWidget>
#include <optional>

#include "charts/chart_data.h"

namespace lockstep::ui {

class Theme;

/// Stacked horizontal bars of where an iteration's time goes, with the phases' colours and hatchings. Hover reads a
/// part; the context menu saves and copies.
class BreakdownPlot : public QWidget {
    Q_OBJECT
public:
    explicit BreakdownPlot(Theme& theme, QWidget* parent = nullptr);

    void setData(BreakdownData data);
    [[nodiscard]] const BreakdownData& data() const { return m_data; }
    void setSubject(const QString& subject);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    struct Geometry {
        double left = 0, top = 0, barHeight = 0, pitch = 0, perSecond = 0, legendTop = 0;
    };
    [[nodiscard]] Geometry geometry() const;
    [[nodiscard]] QRectF barRect(const Geometry& g, size_t bar) const;
    void paintBar(class QPainter& painter, const Geometry& g, size_t index) const;
    void paintLegend(class QPainter& painter, const Geometry& g) const;
    [[nodiscard]] QString readAt(const QPointF& position) const;

    Theme& m_theme;
    BreakdownData m_data;
    QString m_subject;
};

}  // namespace lockstep::ui
