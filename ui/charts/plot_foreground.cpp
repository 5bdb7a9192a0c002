// The part of PlotView that paints over Qt Charts: axis texts, direct labels, markers, readout.
#include <QFontMetricsF>
#include <QLineSeries>
#include <QPainter>
#include <QValueAxis>
#include <algorithm>
#include <cmath>

#include "charts/number_text.h"
#include "charts/plot_labels.h"
#include "charts/plot_view.h"
#include "theme/contrast.h"
#include "theme/theme.h"

namespace lockstep::ui {
namespace {

/// Curves to compare with; their labels step back.
bool muted(const Curve& curve) { return curve.look == CurveLook::Ghost || curve.look == CurveLook::ModelledDashed; }

}  // namespace

void PlotView::addText(const QRectF& rect, const QString& text, const QColor& colour, Qt::Alignment alignment) {
    m_texts.push_back({rect, text});
    m_textStyles.emplace_back(colour, alignment);
}

std::vector<double> PlotView::xTicks() const {
    const QFontMetricsF metrics(m_theme.metrics().small);
    const double room = metrics.horizontalAdvance(tickText(fromAxisX(m_xHigh), 1)) + m_theme.metrics().px(22);
    const int most = std::clamp(static_cast<int>(m_plotArea.width() / room), 2, 12);
    if (!m_data.logarithmicX) return ticksWithin(m_xLow, m_xHigh, most);
    std::vector<double> ticks;
    const int low = static_cast<int>(std::ceil(m_xLow - 1e-9)), high = static_cast<int>(std::floor(m_xHigh + 1e-9));
    int stride = 1;
    while ((high - low) / stride + 1 > most) ++stride;
    for (int exponent = low; exponent <= high; exponent += stride) ticks.push_back(exponent);
    return ticks;
}

void PlotView::placeAxisTexts() {
    const Metrics& m = m_theme.metrics();
    const QFontMetricsF metrics(m.small);
    const double line = metrics.height();
    const QColor colour = m_theme.colours().axisText;
    const auto yTexts = [&](const TickRange& range, const AxisData& axis, bool right) {
        for (double v = range.minimum; v <= range.maximum + range.step / 2; v += range.step) {
            const double y = toPixel({m_xLow, v}, right).y();
            const double x = right ? m_plotArea.right() + m.px(6) : 0;
            const double w = right ? width() - x : m_plotArea.left() - m.px(6);
            addText({x, y - line / 2, w, line}, axisText(v, range.step, axis), colour,
                    right ? Qt::AlignLeft : Qt::AlignRight);
        }
    };
    yTexts(m_y, m_data.y, false);
    if (m_data.yRight) yTexts(m_yRight, *m_data.yRight, true);

    // Titles of the y axes stand above their ends, that of the x axis below the right end.
    const double titleTop = m_plotArea.top() - line - m.px(3);
    const double room = m_data.yRight ? m_plotArea.width() / 2 - m.px(4) : m_plotArea.width();
    const auto elided = [&](const QString& text, double w) { return metrics.elidedText(text, Qt::ElideRight, w); };
    addText({m_plotArea.left() + m.px(2), titleTop, room, line}, elided(m_data.y.title, room), colour, Qt::AlignLeft);
    if (m_data.yRight)
        addText({m_plotArea.right() - room - m.px(2), titleTop, room, line}, elided(m_data.yRight->title, room), colour,
                Qt::AlignRight);

    const double tickTop = m_plotArea.bottom() + m.px(3);
    const bool ownRow = tickTop + 2 * line <= height() + 0.5;
    const double titleWidth = std::min(metrics.horizontalAdvance(m_data.x.title) + 2, m_plotArea.width());
    const double titleRight = m_plotArea.right() + (m_data.yRight ? 0.0 : m.px(10));
    const QRectF title(titleRight - titleWidth, ownRow ? tickTop + line : tickTop, titleWidth, line);
    const double step =
        m_data.logarithmicX ? 1 : stepWithin(m_xLow, m_xHigh, std::max(1, static_cast<int>(xTicks().size())));
    for (const double tick : xTicks()) {
        const QString text = m_data.logarithmicX ? numberText(fromAxisX(tick)) : tickText(tick, step);
        const double w = metrics.horizontalAdvance(text) + 2;
        QRectF rect(toPixel({tick, m_y.minimum}, false).x() - w / 2, tickTop, w, line);
        rect.moveLeft(std::clamp(rect.left(), 0.0, std::max(0.0, width() - w)));
        if (!ownRow && rect.adjusted(-m.px(6), 0, m.px(6), 0).intersects(title)) continue;
        addText(rect, text, colour, Qt::AlignCenter);
    }
    addText(title, elided(m_data.x.title, titleWidth), colour, Qt::AlignRight);
}

void PlotView::placeCurveLabels() {
    const QFontMetricsF metrics(m_theme.metrics().small);
    std::vector<LabelRequest> requests;
    std::vector<const Curve*> owners;
    std::vector<const std::vector<QPointF>*> curves;
    std::vector<QRectF> taken;
    for (const ShownCurve& shown : m_shown) curves.push_back(&shown.pixels);
    const double ring = m_theme.metrics().px(7);
    if (m_data.present) {
        const QPointF at = toPixel({toAxisX(m_data.present->x()), m_data.present->y()}, false);
        taken.emplace_back(at.x() - ring, at.y() - ring, 2 * ring, 2 * ring);
    }
    // The most important curve comes last in the data and chooses first.
    for (auto shown = m_shown.rbegin(); shown != m_shown.rend(); ++shown) {
        const QString& text = shown->curve->label.isEmpty() ? shown->curve->name : shown->curve->label;
        if (!shown->curve->labelled || text.isEmpty()) continue;
        requests.push_back(
            {{std::ceil(metrics.horizontalAdvance(text)) + 2, metrics.height()}, &shown->pixels, muted(*shown->curve)});
        owners.push_back(shown->curve);
    }
    const std::vector<QRectF> places = placeLabels(requests, curves, m_plotArea, taken);
    for (size_t i = 0; i < places.size(); ++i) {
        if (places[i].isNull()) continue;
        const Curve& curve = *owners[i];
        const Colours& colours = m_theme.colours();
        const double ratio = m_theme.presenting() ? 7.0 : 4.5;
        const QColor colour = muted(curve) ? colours.mutedText : withContrast(colourOf(curve), colours.surface, ratio);
        addText(places[i], curve.label.isEmpty() ? curve.name : curve.label, colour, Qt::AlignCenter);
    }
}

void PlotView::rebuildTexts() {
    m_texts.clear();
    m_textStyles.clear();
    placeAxisTexts();
    m_axisTexts = m_texts.size();
    placeCurveLabels();
    m_textsStale = false;
}

void PlotView::paintMarkers(QPainter& painter) {
    const Colours& colours = m_theme.colours();
    const double scale = m_theme.metrics().scale;
    for (const ShownCurve& shown : m_shown) {
        if (shown.curve->look != CurveLook::MeasuredPoints) continue;
        painter.setPen(Qt::NoPen);
        painter.setBrush(colourOf(*shown.curve));
        if (static_cast<double>(shown.pixels.size()) * 8 > m_plotArea.width()) continue;
        for (const QPointF& p : shown.pixels)
            if (std::isfinite(p.y())) painter.drawEllipse(p, 2.5 * scale, 2.5 * scale);
    }
    if (!m_data.present) return;
    const QPointF at = toPixel({toAxisX(m_data.present->x()), m_data.present->y()}, false);
    if (!m_plotArea.adjusted(-2, -2, 2, 2).contains(at)) return;
    painter.setPen(QPen(colours.seriesColour(m_data.presentColour), 2 * scale));
    painter.setBrush(colours.surface);
    painter.drawEllipse(at, 4.5 * scale, 4.5 * scale);
}

void PlotView::paintReadout(QPainter& painter, double axisX, bool pinned) {
    const Colours& colours = m_theme.colours();
    const Metrics& m = m_theme.metrics();
    const QFontMetricsF metrics(m.small);
    std::vector<std::pair<QString, QColor>> rows;
    std::optional<double> snapped;
    double snappedDistance = INFINITY;
    for (auto shown = m_shown.rbegin(); shown != m_shown.rend(); ++shown) {
        const Curve& curve = *shown->curve;
        const auto point = nearest(curve, fromAxisX(axisX));
        if (!point) continue;
        const double distance = std::abs(toAxisX(point->x()) - axisX);
        if (distance < snappedDistance) snapped = toAxisX(point->x()), snappedDistance = distance;
        const AxisData& axis = curve.onRightAxis ? *m_data.yRight : m_data.y;
        rows.emplace_back(tr("%1: %2").arg(curve.name, valueText(point->y(), axis)), colourOf(curve));
    }
    if (!snapped) return;
    rows.insert(rows.begin(),
                {tr("%1 %2").arg(numberText(std::round(fromAxisX(*snapped) * 1000) / 1000), m_data.x.title), QColor()});

    const double x = toPixel({*snapped, m_y.minimum}, false).x();
    painter.setPen(QPen(pinned ? colours.accent : colours.mutedText, 1));
    painter.drawLine(QPointF(x, m_plotArea.top()), QPointF(x, m_plotArea.bottom()));
    double textWidth = 0;
    for (const auto& row : rows) textWidth = std::max(textWidth, metrics.horizontalAdvance(row.first));
    const double swatch = m.px(12), pad = m.px(6), line = metrics.height();
    const size_t shownRows = std::min(rows.size(), static_cast<size_t>(std::max(1.0, (height() - 2 * pad) / line)));
    QRectF box(x + m.px(8), m_plotArea.top(), textWidth + swatch + 2 * pad,
               static_cast<double>(shownRows) * line + 2 * pad);
    if (box.right() > width()) box.moveRight(x - m.px(8));
    box.moveLeft(std::clamp(box.left(), 0.0, std::max(0.0, width() - box.width())));
    box.moveTop(std::clamp(box.top(), 0.0, std::max(0.0, height() - box.height() - 1)));
    painter.setPen(QPen(pinned ? colours.accent : colours.hairline, 1));
    painter.setBrush(colours.raised);
    painter.drawRoundedRect(box, m.px(4), m.px(4));
    for (size_t i = 0; i < shownRows; ++i) {
        const double top = box.top() + pad + static_cast<double>(i) * line;
        if (rows[i].second.isValid())
            painter.fillRect(QRectF(box.left() + pad, top + line / 2 - m.px(3), m.px(7), m.px(7)), rows[i].second);
        painter.setPen(i == 0 ? colours.mutedText : colours.text);
        painter.drawText(QRectF(box.left() + pad + (i == 0 ? 0 : swatch), top, textWidth + swatch, line),
                         Qt::AlignLeft | Qt::AlignVCenter, rows[i].first);
    }
}

void PlotView::paintNotice(QPainter& painter) {
    const QRectF room = m_plotArea.adjusted(8, 4, -8, -4);
    painter.setPen(m_theme.colours().mutedText);
    painter.setFont(m_theme.metrics().body);
    const QRectF needed = painter.boundingRect(room, Qt::AlignCenter | Qt::TextWordWrap, m_data.notice);
    painter.fillRect(needed.adjusted(-6, -3, 6, 3), m_theme.colours().surface);
    painter.drawText(room, Qt::AlignCenter | Qt::TextWordWrap, m_data.notice);
}

void PlotView::drawForeground(QPainter* painter, const QRectF&) {
    if (m_textsStale) rebuildTexts();
    painter->setFont(m_theme.metrics().small);
    for (size_t i = 0; i < m_texts.size(); ++i) {
        // A label that has to cross a curve stands on a plate of its own.
        if (i >= m_axisTexts) painter->fillRect(m_texts[i].rect.adjusted(-1, 1, 1, -1), m_theme.colours().surface);
        painter->setPen(m_textStyles[i].first);
        painter->drawText(m_texts[i].rect, m_textStyles[i].second | Qt::AlignVCenter | Qt::TextSingleLine,
                          m_texts[i].text);
    }
    if (!m_data.notice.isEmpty()) paintNotice(*painter);
    paintMarkers(*painter);
    painter->setFont(m_theme.metrics().small);
    if (m_pinnedX) paintReadout(*painter, *m_pinnedX, true);
    if (m_hoverX && !m_dragging) paintReadout(*painter, *m_hoverX, false);
}

}  // namespace lockstep::ui
