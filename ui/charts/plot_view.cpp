#include "charts/plot_view.h"

#include <QChart>
#include <QGraphicsLayout>
#include <QLineSeries>
#include <QMouseEvent>
#include <QPainter>
#include <QValueAxis>
#include <algorithm>
#include <cmath>

#include "charts/chart_export.h"
#include "charts/decimate.h"
#include "charts/number_text.h"
#include "theme/theme.h"

namespace lockstep::ui {
namespace {

QPen penFor(const Curve& curve, const QColor& colour, double scale) {
    QPen pen(colour,
             curve.look == CurveLook::Measured || curve.look == CurveLook::MeasuredPoints ? 2 * scale : 1.25 * scale);
    if (curve.look == CurveLook::ModelledDashed) pen.setDashPattern({4, 3});
    pen.setJoinStyle(Qt::BevelJoin);
    pen.setCosmetic(true);
    return pen;
}

}  // namespace

PlotView::PlotView(Theme& theme, Plot* plot)
    : QChartView(plot),
      m_theme(theme),
      m_plot(plot),
      m_xAxis(new QValueAxis),
      m_yAxis(new QValueAxis),
      m_yRightAxis(new QValueAxis) {
    setFrameShape(QFrame::NoFrame);
    setViewportUpdateMode(QGraphicsView::FullViewportUpdate);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setRenderHint(QPainter::Antialiasing);
    setMouseTracking(true);
    viewport()->setMouseTracking(true);
    setFocusPolicy(Qt::NoFocus);
    chart()->setAnimationOptions(QChart::NoAnimation);
    chart()->legend()->hide();
    chart()->setBackgroundVisible(false);
    chart()->setMargins({});
    chart()->layout()->setContentsMargins(0, 0, 0, 0);
    for (QValueAxis* axis : {m_xAxis, m_yAxis, m_yRightAxis}) {
        axis->setLabelsVisible(false);
        axis->setLineVisible(false);
        axis->setTickType(QValueAxis::TicksDynamic);
        axis->setTickAnchor(0);
        axis->setGridLineVisible(false);
    }
    chart()->addAxis(m_xAxis, Qt::AlignBottom);
    chart()->addAxis(m_yAxis, Qt::AlignLeft);
    chart()->addAxis(m_yRightAxis, Qt::AlignRight);
    restyle();
}

void PlotView::restyle() {
    setBackgroundBrush(m_theme.colours().surface);
    refresh();
}

void PlotView::setData(const ChartData& data) {
    m_data = data;
    refresh();
}

void PlotView::resetView() {
    m_zoom.reset();
    m_pinnedX.reset();
    refresh();
}

double PlotView::toAxisX(double x) const { return m_data.logarithmicX ? std::log2(std::max(x, 1e-12)) : x; }
double PlotView::fromAxisX(double axisX) const { return m_data.logarithmicX ? std::exp2(axisX) : axisX; }

double PlotView::axisXAt(double pixelX) const {
    return m_xLow + (pixelX - m_plotArea.left()) / std::max(1.0, m_plotArea.width()) * (m_xHigh - m_xLow);
}

QPointF PlotView::toPixel(const QPointF& point, bool rightAxis) const {
    const TickRange& y = rightAxis ? m_yRight : m_y;
    return {m_plotArea.left() + (point.x() - m_xLow) / (m_xHigh - m_xLow) * m_plotArea.width(),
            m_plotArea.bottom() - (point.y() - y.minimum) / (y.maximum - y.minimum) * m_plotArea.height()};
}

QColor PlotView::colourOf(const Curve& curve) const {
    const Colours& colours = m_theme.colours();
    const auto index = static_cast<size_t>(curve.colour) % colours.series.size();
    return curve.look == CurveLook::Ghost ? colours.ghosts[index] : colours.series[index];
}

QString PlotView::valueText(double value, const AxisData& axis) const {
    return axis.kind == ValueKind::Percent ? percentText(value) : numberText(value);
}

QString PlotView::axisText(double value, double step, const AxisData& axis) const {
    return axis.kind == ValueKind::Percent ? tr("%1 %").arg(tickText(value * 100, step * 100)) : tickText(value, step);
}

/// Everything that follows from data, size or theme. Ranges move in round steps, so that most calls leave the axes
/// alone.
void PlotView::refresh() {
    layOut();
    fillSeries();
    m_textsStale = true;
    viewport()->update();
}

void PlotView::layOut() {
    const Metrics& m = m_theme.metrics();
    const QFontMetrics metrics(m.small);
    const int line = metrics.height();
    const double top = line + m.px(3), bottom = height() >= line * 9 ? 2 * line + m.px(4) : line + m.px(4);
    const int yTicks = std::clamp(static_cast<int>((height() - top - bottom) / (line * 1.35)) + 1, 2, 6);
    m_y = roundRange(m_data.y.low, m_data.y.high, yTicks);
    if (m_data.yRight) m_yRight = roundRange(m_data.yRight->low, m_data.yRight->high, yTicks);
    const auto widest = [&](const TickRange& range, const AxisData& axis) {
        double width = 0;
        for (double v = range.minimum; v <= range.maximum + range.step / 2; v += range.step)
            width = std::max<double>(width, metrics.horizontalAdvance(axisText(v, range.step, axis)));
        return width;
    };
    const double left = widest(m_y, m_data.y) + m.px(8);
    const double right = m_data.yRight ? widest(m_yRight, *m_data.yRight) + m.px(8) : m.px(14);
    m_plotArea = QRectF(left, top, std::max(10.0, width() - left - right), std::max(10.0, height() - top - bottom));
    if (chart()->plotArea() != m_plotArea) chart()->setPlotArea(m_plotArea);

    m_xLow = toAxisX(m_data.x.low), m_xHigh = toAxisX(m_data.x.high);
    if (!m_data.logarithmicX) {
        const TickRange x = roundRange(m_data.x.low, m_data.x.high, 6);
        // A whole round step beyond the last point would leave a fifth of the chart empty.
        m_xLow = x.minimum, m_xHigh = std::max(m_data.x.high, x.maximum - x.step * 0.5);
    }
    if (m_zoom) m_xLow = m_zoom->first, m_xHigh = m_zoom->second;
    const auto setRange = [](QValueAxis* axis, double low, double high) {
        if (axis->tickInterval() != high - low) axis->setTickInterval(high - low);
        if (axis->min() != low || axis->max() != high) axis->setRange(low, high);
    };
    setRange(m_xAxis, m_xLow, m_xHigh);
    setRange(m_yAxis, m_y.minimum, m_y.maximum);
    if (m_data.yRight) setRange(m_yRightAxis, m_yRight.minimum, m_yRight.maximum);
}

void PlotView::fillSeries() {
    m_shown.clear();
    size_t leftUsed = 0, rightUsed = 0;
    const int columns = std::max(16, static_cast<int>(m_plotArea.width()) / (m_data.curves.size() > 4 ? 5 : 2));
    for (const Curve& curve : m_data.curves) {
        std::vector<QPointF> points = curve.points;
        for (QPointF& p : points) p.setX(toAxisX(p.x()));
        const TickRange& y = curve.onRightAxis ? m_yRight : m_y;
        points = clipToHeight(decimate(points, m_xLow, m_xHigh, columns), y.minimum, y.maximum);

        auto& pool = curve.onRightAxis ? m_right : m_left;
        size_t& used = curve.onRightAxis ? rightUsed : leftUsed;
        if (used == pool.size()) {
            auto* series = new QLineSeries;
            chart()->addSeries(series);
            series->attachAxis(m_xAxis);
            series->attachAxis(curve.onRightAxis ? m_yRightAxis : m_yAxis);
            pool.push_back(series);
        }
        QLineSeries* series = pool[used++];
        const QPen pen = penFor(curve, colourOf(curve), m_theme.metrics().scale);
        if (series->pen() != pen) series->setPen(pen);
        series->replace(QList<QPointF>(points.begin(), points.end()));
        if (!series->isVisible()) series->setVisible(true);
        for (QPointF& p : points) p = toPixel(p, curve.onRightAxis);
        m_shown.push_back({&curve, std::move(points)});
    }
    for (size_t i = leftUsed; i < m_left.size(); ++i) m_left[i]->setVisible(false);
    for (size_t i = rightUsed; i < m_right.size(); ++i) m_right[i]->setVisible(false);
}

/// The grid is painted here: Qt Charts keeps that of the old size when plot area and fonts change together.
void PlotView::drawBackground(QPainter* painter, const QRectF& area) {
    QChartView::drawBackground(painter, area);
    painter->setRenderHint(QPainter::Antialiasing, false);
    painter->setPen(QPen(m_theme.colours().gridLine, 1));
    for (double y = m_y.minimum; y <= m_y.maximum + m_y.step / 2; y += m_y.step) {
        const double pixelY = std::round(toPixel({m_xLow, y}, false).y());
        painter->drawLine(QPointF(m_plotArea.left(), pixelY), QPointF(m_plotArea.right(), pixelY));
    }
    painter->setRenderHint(QPainter::Antialiasing, true);
}

void PlotView::resizeEvent(QResizeEvent* event) {
    QChartView::resizeEvent(event);
    refresh();
}

std::optional<QPointF> PlotView::nearest(const Curve& curve, double x) const {
    const auto& points = curve.points;
    auto after =
        std::lower_bound(points.begin(), points.end(), x, [](const QPointF& p, double v) { return p.x() < v; });
    std::optional<QPointF> best;
    const auto consider = [&](const QPointF& p) {
        if (!std::isfinite(p.y())) return;
        if (!best || std::abs(toAxisX(p.x()) - toAxisX(x)) < std::abs(toAxisX(best->x()) - toAxisX(x))) best = p;
    };
    if (after != points.end()) consider(*after);
    if (after != points.begin()) consider(*(after - 1));
    return best;
}

// QChartView's own handlers dereference null where no item lies under the cursor (fixed upstream in 6.6.1), and the
// chart has no items to click: the base class is left out on purpose.
void PlotView::mousePressEvent(QMouseEvent* event) {
    m_pressedAt = event->pos();
    m_dragging = false;
    event->accept();
}

void PlotView::mouseMoveEvent(QMouseEvent* event) {
    if (event->buttons() & Qt::LeftButton) {
        if (!m_dragging && (event->pos() - m_pressedAt).manhattanLength() < 6) return;
        if (m_zoom) {
            const double shift = axisXAt(m_pressedAt.x()) - axisXAt(event->pos().x());
            m_zoom = {m_zoom->first + shift, m_zoom->second + shift};
            m_pressedAt = event->pos();
            refresh();
        }
        m_dragging = true;
    }
    const bool inside = m_plotArea.adjusted(-4, -4, 4, 4).contains(event->position());
    m_hoverX = inside ? std::optional(axisXAt(event->position().x())) : std::nullopt;
    viewport()->update();
}

void PlotView::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || m_dragging) return;
    if (m_pinnedX)
        m_pinnedX.reset();
    else if (m_plotArea.contains(event->position()))
        m_pinnedX = axisXAt(event->position().x());
    viewport()->update();
}

void PlotView::mouseDoubleClickEvent(QMouseEvent*) {
    m_dragging = true;  // the release that follows pins nothing
    resetView();
}

void PlotView::leaveEvent(QEvent*) {
    m_hoverX.reset();
    viewport()->update();
}

void PlotView::wheelEvent(QWheelEvent* event) {
    if (m_data.curves.empty()) return;
    const double at = axisXAt(event->position().x());
    const double factor = std::pow(0.8, event->angleDelta().y() / 120.0);
    const double fullLow = toAxisX(m_data.x.low), fullHigh = toAxisX(m_data.x.high);
    const double low = at - (at - m_xLow) * factor, high = at + (m_xHigh - at) * factor;
    if (high - low >= (fullHigh - fullLow) * 0.999)
        m_zoom.reset();
    else if (high - low > (fullHigh - fullLow) * 1e-3)
        m_zoom = {low, high};
    refresh();
    event->accept();
}

void PlotView::contextMenuEvent(QContextMenuEvent* event) {
    showExportMenu({m_plot, m_plot->subject(), chartCsv(m_data)}, m_theme, event->globalPos());
}

}  // namespace lockstep::ui
