#include "charts/breakdown_plot.h"

#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>

#include "charts/chart_export.h"
#include "charts/number_text.h"
#include "stage/phase_style.h"
#include "theme/theme.h"

namespace lockstep::ui {
namespace {

using Kind = TimelineSpan::Kind;
constexpr Kind kLegendOrder[] = {Kind::Load,      Kind::Pull,      Kind::Backward, Kind::Push,
                                 Kind::AllReduce, Kind::Aggregate, Kind::Update};

}  // namespace

BreakdownPlot::BreakdownPlot(Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
    setFocusPolicy(Qt::TabFocus);
    connect(&theme, &Theme::themeChanged, this, [this] { updateGeometry(), update(); });
}

void BreakdownPlot::setData(BreakdownData data) {
    m_data = std::move(data);
    QStringList parts;
    for (const BreakdownBar& bar : m_data.bars)
        parts << tr("%1: %2").arg(bar.name, bar.notice.isEmpty() ? durationText(bar.total_s) : bar.notice);
    setAccessibleDescription(parts.join(QStringLiteral("; ")));
    update();
}

void BreakdownPlot::setSubject(const QString& subject) {
    m_subject = subject;
    setAccessibleName(subject);
}

QSize BreakdownPlot::sizeHint() const {
    const Metrics& m = m_theme.metrics();
    return {m.px(340), m.px(130)};
}

QSize BreakdownPlot::minimumSizeHint() const {
    const int line = QFontMetrics(m_theme.metrics().small).height();
    return {line * 10, line * 5};
}

/// "compute" covers both directions here.
static QString partName(Kind kind) {
    return kind == Kind::Backward ? BreakdownPlot::tr("compute") : phaseShortName(kind);
}

BreakdownPlot::Geometry BreakdownPlot::geometry() const {
    const Metrics& m = m_theme.metrics();
    const QFontMetricsF metrics(m.small);
    Geometry g;
    double longest = 0, totalWidth = 0;
    for (const BreakdownBar& bar : m_data.bars) {
        g.left = std::max(g.left, metrics.horizontalAdvance(bar.name));
        longest = std::max(longest, bar.total_s);
        totalWidth = std::max(totalWidth, metrics.horizontalAdvance(durationText(bar.total_s)));
    }
    g.left = std::min(g.left, width() * 0.4) + m.px(8);
    const double rows = static_cast<double>(std::max<size_t>(1, m_data.bars.size()));
    g.legendTop = height() - metrics.height() - m.px(2);
    g.top = m.px(2);
    g.pitch = std::min((g.legendTop - m.px(4) - g.top) / rows, m.px(34) * 1.0);
    g.barHeight = std::max(4.0, std::min(g.pitch - m.px(4), m.px(20) * 1.0));
    g.top += std::max(0.0, (g.legendTop - m.px(4) - g.top - g.pitch * rows) / 2);
    g.perSecond = longest > 0 ? std::max(10.0, width() - g.left - totalWidth - m.px(12)) / longest : 0;
    return g;
}

QRectF BreakdownPlot::barRect(const Geometry& g, size_t bar) const {
    return {g.left, g.top + g.pitch * static_cast<double>(bar) + (g.pitch - g.barHeight) / 2,
            m_data.bars[bar].total_s * g.perSecond, g.barHeight};
}

void BreakdownPlot::paintBar(QPainter& painter, const Geometry& g, size_t index) const {
    const Colours& colours = m_theme.colours();
    const Metrics& m = m_theme.metrics();
    const QFontMetricsF metrics(m.small);
    const BreakdownBar& bar = m_data.bars[index];
    const QRectF rect = barRect(g, index);
    const double rowTop = g.top + g.pitch * static_cast<double>(index);
    painter.setPen(index == 0 ? colours.text : colours.mutedText);
    painter.drawText(QRectF(0, rowTop, g.left - m.px(8), g.pitch), Qt::AlignRight | Qt::AlignVCenter,
                     metrics.elidedText(bar.name, Qt::ElideRight, g.left - m.px(8)));
    double x = rect.left();
    for (const auto& [kind, seconds] : bar.parts) {
        const QRectF part(x, rect.top(), seconds * g.perSecond, rect.height());
        x += part.width();
        paintPhase(painter, part, kind, colours);
        const QString text = durationText(seconds);
        if (metrics.horizontalAdvance(text) + m.px(6) > part.width() || metrics.height() > part.height() + 2) continue;
        painter.setPen(Colours::readableOn(phaseColour(colours, kind)));
        painter.drawText(part, Qt::AlignCenter, text);
    }
    painter.setPen(bar.notice.isEmpty() ? colours.text : colours.warning);
    const QString total = bar.notice.isEmpty() ? durationText(bar.total_s) : bar.notice;
    const double left = std::max(x, rect.left()) + m.px(6);
    painter.drawText(QRectF(left, rowTop, width() - left, g.pitch), Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(total, Qt::ElideRight, width() - left));
}

void BreakdownPlot::paintLegend(QPainter& painter, const Geometry& g) const {
    const Colours& colours = m_theme.colours();
    const Metrics& m = m_theme.metrics();
    const QFontMetricsF metrics(m.small);
    const double swatch = m.px(9), line = metrics.height();
    const auto drawn = [this](Kind kind) {
        return std::any_of(m_data.bars.begin(), m_data.bars.end(), [kind](const BreakdownBar& bar) {
            return std::any_of(bar.parts.begin(), bar.parts.end(),
                               [kind](const auto& part) { return part.first == kind; });
        });
    };
    const auto entryWidth = [&](Kind kind) {
        return swatch + m.px(4) + metrics.horizontalAdvance(partName(kind)) + m.px(12);
    };
    double total = -m.px(12);
    for (const Kind kind : kLegendOrder) total += drawn(kind) ? entryWidth(kind) : 0;
    // Below the bars, or as far to the left of them as it takes.
    double x = std::max(0.0, std::min(g.left, width() - total));
    for (const Kind kind : kLegendOrder) {
        if (!drawn(kind)) continue;
        const QString name = partName(kind);
        const double w = entryWidth(kind);
        paintPhase(painter, {x, g.legendTop + (line - swatch) / 2, swatch, swatch}, kind, colours);
        painter.setPen(colours.mutedText);
        painter.drawText(QRectF(x + swatch + m.px(4), g.legendTop, w, line), Qt::AlignLeft | Qt::AlignVCenter, name);
        x += w;
    }
}

void BreakdownPlot::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.colours().surface);
    painter.setFont(m_theme.metrics().small);
    const Geometry g = geometry();
    for (size_t i = 0; i < m_data.bars.size(); ++i) paintBar(painter, g, i);
    paintLegend(painter, g);
}

QString BreakdownPlot::readAt(const QPointF& position) const {
    const Geometry g = geometry();
    for (size_t i = 0; i < m_data.bars.size(); ++i) {
        const BreakdownBar& bar = m_data.bars[i];
        double x = g.left;
        const QRectF rect = barRect(g, i);
        if (position.y() < rect.top() || position.y() > rect.bottom()) continue;
        for (const auto& [kind, seconds] : bar.parts) {
            const double w = seconds * g.perSecond;
            if (position.x() >= x && position.x() < x + w)
                return tr("%1: %2 %3 of %4 (%5)")
                    .arg(bar.name, partName(kind), durationText(seconds), durationText(bar.total_s),
                         percentText(seconds / bar.total_s));
            x += w;
        }
    }
    return {};
}

bool BreakdownPlot::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    auto* help = static_cast<QHelpEvent*>(event);
    QToolTip::showText(help->globalPos(), readAt(help->pos()), this);
    return true;
}

void BreakdownPlot::contextMenuEvent(QContextMenuEvent* event) {
    showExportMenu({this, m_subject, breakdownCsv(m_data)}, m_theme, event->globalPos());
}

}  // namespace lockstep::ui
