#pragma once

#include <QChartView>
#include <optional>
#include <vector>

#include "charts/chart_data.h"
#include "charts/plot.h"
#include "charts/ticks.h"

class QLineSeries;
class QValueAxis;

namespace lockstep::ui {

class Theme;

/// What Plot draws with: Qt Charts for axes, grid and lines; texts, markers and the readout are painted over it,
/// because Qt Charts cuts long axis labels off and has no direct labels.
class PlotView : public QChartView {
    Q_OBJECT
public:
    PlotView(Theme& theme, Plot* plot);

    void setData(const ChartData& data);
    [[nodiscard]] const ChartData& data() const { return m_data; }
    void resetView();
    void restyle();
    [[nodiscard]] const std::vector<Plot::PlacedText>& placedTexts() const { return m_texts; }

protected:
    void drawForeground(QPainter* painter, const QRectF& rect) override;
    void resizeEvent(QResizeEvent* event) override;
    void drawBackground(QPainter* painter, const QRectF& area) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    struct ShownCurve {
        const Curve* curve;
        std::vector<QPointF> pixels;
    };

    void refresh();
    void layOut();
    void fillSeries();
    void rebuildTexts();
    void placeAxisTexts();
    void placeCurveLabels();
    void addText(const QRectF& rect, const QString& text, const QColor& colour, Qt::Alignment alignment);
    void paintMarkers(QPainter& painter);
    void paintReadout(QPainter& painter, double axisX, bool pinned);
    void paintNotice(QPainter& painter);

    [[nodiscard]] double toAxisX(double x) const;
    [[nodiscard]] double fromAxisX(double axisX) const;
    [[nodiscard]] QPointF toPixel(const QPointF& point, bool rightAxis) const;
    [[nodiscard]] double axisXAt(double pixelX) const;
    [[nodiscard]] QColor colourOf(const Curve& curve) const;
    [[nodiscard]] QString valueText(double value, const AxisData& axis) const;
    [[nodiscard]] QString axisText(double value, double step, const AxisData& axis) const;
    [[nodiscard]] std::optional<QPointF> nearest(const Curve& curve, double x) const;
    [[nodiscard]] std::vector<double> xTicks() const;

    Theme& m_theme;
    Plot* m_plot;
    ChartData m_data;
    QValueAxis *m_xAxis, *m_yAxis, *m_yRightAxis;
    std::vector<QLineSeries*> m_left, m_right;  ///< pools that grow
    TickRange m_y, m_yRight;
    double m_xLow = 0, m_xHigh = 1;  ///< shown, in axis units (log2 when logarithmic)
    QRectF m_plotArea;
    std::vector<ShownCurve> m_shown;
    std::vector<Plot::PlacedText> m_texts;
    std::vector<std::pair<QColor, Qt::Alignment>> m_textStyles;
    size_t m_axisTexts = 0;  ///< the first so many of m_texts
    std::optional<std::pair<double, double>> m_zoom;
    std::optional<double> m_hoverX, m_pinnedX;
    QPoint m_pressedAt;
    bool m_dragging = false, m_textsStale = true;
};

}  // namespace lockstep::ui
