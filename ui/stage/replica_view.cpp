#include "stage/replica_view.h"

#include <QLocale>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "charts/number_text.h"
#include "charts/ticks.h"
#include "run_controller.h"
#include "theme/theme.h"

namespace lockstep::ui {

ReplicaView::ReplicaView(Theme& theme, RunController& run, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_run(run) {
    setFocusPolicy(Qt::TabFocus);
    setAccessibleName(tr("Replicas (measured)"));
    connect(&theme, &Theme::themeChanged, this, [this] { updateGeometry(), update(); });
    connect(&run, &RunController::snapshotChanged, this, &ReplicaView::follow);
    connect(&run, &RunController::stateChanged, this, &ReplicaView::follow);
    follow();
}

void ReplicaView::follow() {
    if (const auto latest = m_run.latest())
        m_trails.add(*latest);
    else
        m_trails.clear();
    describe();
    update();
}

QSize ReplicaView::minimumSizeHint() const {
    const Metrics& m = m_theme.metrics();
    return {m.px(260), m.px(150)};
}

QString ReplicaView::summary() const {
    const int count = static_cast<int>(m_trails.now().size());
    if (count == 1) return tr("One replica: nothing to differ from.");
    if (m_trails.allEqual()) return tr("All %1 copies are equal, bit for bit.").arg(count);
    const Divergence& d = m_trails.divergence();
    QString text = tr("Mean distance to the average %1 (%2 of its length).")
                       .arg(numberText(d.meanDistanceToAverage), percentText(d.relative));
    if (std::isfinite(d.predictionDisagreement))
        text +=
            QLatin1Char(' ') + tr("They disagree on %1 of the test images.").arg(percentText(d.predictionDisagreement));
    return text;
}

void ReplicaView::describe() {
    setAccessibleDescription(m_trails.empty() ? tr("No run yet.")
                                              : tr("Step %1. %2").arg(m_trails.step()).arg(summary()));
}

void ReplicaView::paintHint(QPainter& painter) {
    painter.setFont(m_theme.metrics().body);
    painter.setPen(m_theme.colours().mutedText);
    painter.drawText(QRectF(rect()).adjusted(20, 0, -20, 0), Qt::AlignCenter | Qt::TextWordWrap,
                     tr("Press Run (Space) to train. Each replica then appears as a point; where they stay equal, the "
                        "points coincide."));
}

void ReplicaView::paintTrails(QPainter& painter, const QRectF& square, double scale) {
    const Colours& colours = m_theme.colours();
    const auto at = [&](const QPointF& p) { return square.center() + QPointF(p.x(), -p.y()) * scale; };
    const size_t count = m_trails.now().size();
    for (size_t i = 0; i < count; ++i) {
        const QColor trail = colours.ghosts[i % colours.ghosts.size()];
        painter.setPen(QPen(trail, 1));
        std::vector<QPointF> line;
        for (const QPointF& p : m_trails.trail(i)) line.push_back(at(p));
        painter.drawPolyline(line.data(), static_cast<int>(line.size()));
    }
    const QFontMetricsF metrics(m_theme.metrics().small);
    std::vector<QRectF> taken;
    painter.setFont(m_theme.metrics().small);
    for (size_t i = 0; i < count; ++i) {
        if (m_trails.trail(i).empty()) continue;
        const QPointF p = at(m_trails.trail(i).back());
        const double r = m_theme.metrics().scale * (count > 32 ? 3 : 5);
        painter.setPen(QPen(colours.surface, 1));
        painter.setBrush(colours.seriesColour(static_cast<int>(i)));
        painter.drawEllipse(p, r, r);
        const QString name = tr("W%1", "short for worker").arg(i + 1);
        const QRectF text(p.x() + r + 2, p.y() - metrics.height() / 2, metrics.horizontalAdvance(name) + 1,
                          metrics.height());
        const bool free =
            square.adjusted(0, 0, 20, 0).contains(text) &&
            std::none_of(taken.begin(), taken.end(), [&](const QRectF& other) { return other.intersects(text); });
        if (!free) continue;
        painter.setPen(colours.text);
        painter.drawText(text, Qt::AlignLeft | Qt::AlignVCenter, name);
        taken.push_back(text);
    }
}

void ReplicaView::paintPlane(QPainter& painter, const QRectF& area) {
    const Colours& colours = m_theme.colours();
    const Metrics& m = m_theme.metrics();
    const double side = std::min(area.width(), area.height());
    const QRectF square(area.center().x() - side / 2, area.center().y() - side / 2, side, side);
    painter.setPen(QPen(colours.gridLine, 1));
    painter.drawRect(square);
    painter.drawLine(QPointF(square.left(), square.center().y()), QPointF(square.right(), square.center().y()));
    painter.drawLine(QPointF(square.center().x(), square.top()), QPointF(square.center().x(), square.bottom()));
    painter.setFont(m.small);
    painter.setPen(colours.mutedText);
    const double line = QFontMetricsF(m.small).height();
    const double extent = m_trails.extent();
    if (extent <= 0 || m_trails.allEqual()) {
        const double r = m.px(7);
        painter.setPen(QPen(colours.surface, 1));
        painter.setBrush(colours.seriesColour(0));
        painter.drawEllipse(square.center(), r, r);
        painter.setFont(m.strong);
        painter.setPen(colours.good);
        const int count = static_cast<int>(m_trails.now().size());
        painter.drawText(QRectF(square.left(), square.center().y() + r + m.px(4), side, line * 2),
                         Qt::AlignHCenter | Qt::AlignTop,
                         count == 1 ? tr("one copy") : tr("%1 copies, all equal").arg(count));
        return;
    }
    const double half = roundStep(extent * 1.05);
    painter.drawText(square.adjusted(4, 2, -4, -2), Qt::AlignLeft | Qt::AlignBottom,
                     tr("± %1 along their two largest differences").arg(numberText(half)));
    painter.drawText(square.adjusted(4, 2, -4, -2), Qt::AlignRight | Qt::AlignTop, tr("cross: their average"));
    paintTrails(painter, square, side / 2 / half);
}

void ReplicaView::paintList(QPainter& painter, const QRectF& area) {
    const Colours& colours = m_theme.colours();
    const Metrics& m = m_theme.metrics();
    const QFontMetricsF metrics(m.small);
    const double line = metrics.height() + m.px(3);
    const auto& replicas = m_trails.now();
    painter.setFont(m.small);
    painter.setPen(colours.mutedText);
    painter.drawText(QRectF(area.topLeft(), QSizeF(area.width(), line)), Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(tr("test accuracy per replica"), Qt::ElideRight, area.width()));
    const auto rows = static_cast<size_t>(std::max(1.0, (area.height() - line) / line));
    const size_t shown = replicas.size() <= rows ? replicas.size() : rows - 1;
    const double nameWidth = metrics.horizontalAdvance(tr("W%1", "short for worker").arg(replicas.size())) + m.px(6);
    const double valueWidth = metrics.horizontalAdvance(QStringLiteral("00.0 %")) + m.px(6);
    for (size_t i = 0; i < shown; ++i) {
        const double top = area.top() + line * static_cast<double>(i + 1);
        painter.setPen(colours.text);
        painter.drawText(QRectF(area.left(), top, nameWidth, line), Qt::AlignLeft | Qt::AlignVCenter,
                         tr("W%1", "short for worker").arg(i + 1));
        const double accuracy = replicas[i].testAccuracy;
        painter.drawText(QRectF(area.right() - valueWidth, top, valueWidth, line), Qt::AlignRight | Qt::AlignVCenter,
                         std::isfinite(accuracy) ? tr("%1 %").arg(QLocale().toString(accuracy * 100, 'f', 1))
                                                 : percentText(accuracy));
        const QRectF track(area.left() + nameWidth, top + line * 0.3,
                           std::max(0.0, area.width() - nameWidth - valueWidth), line * 0.4);
        painter.fillRect(track, colours.gridLine);
        if (std::isfinite(accuracy))
            painter.fillRect(
                QRectF(track.topLeft(), QSizeF(track.width() * std::clamp(accuracy, 0.0, 1.0), track.height())),
                colours.seriesColour(static_cast<int>(i)));
    }
    if (shown == replicas.size()) return;
    painter.setPen(colours.mutedText);
    painter.drawText(QRectF(area.left(), area.top() + line * static_cast<double>(shown + 1), area.width(), line),
                     Qt::AlignLeft | Qt::AlignVCenter, tr("and %1 more").arg(replicas.size() - shown));
}

void ReplicaView::paintSummary(QPainter& painter, const QRectF& area) {
    painter.setFont(m_theme.metrics().small);
    painter.setPen(m_theme.colours().text);
    const QString text = tr("Step %1: %2").arg(numberText(static_cast<double>(m_trails.step())), summary());
    painter.drawText(area, Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(text, Qt::ElideRight, static_cast<int>(area.width())));
}

void ReplicaView::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.colours().surface);
    painter.setRenderHint(QPainter::Antialiasing);
    if (m_trails.empty()) {
        paintHint(painter);
        return;
    }
    const Metrics& m = m_theme.metrics();
    const double line = QFontMetricsF(m.small).height() + m.px(6);
    paintSummary(painter, QRectF(0, 0, width(), line));
    const QRectF body(0, line, width(), height() - line - m.px(2));
    const double listWidth = std::min(body.width() * 0.45, m.px(240) * 1.0);
    paintPlane(painter, body.adjusted(0, m.px(2), -listWidth - m.px(16), 0));
    paintList(painter, QRectF(body.right() - listWidth, body.top() + m.px(2), listWidth, body.height() - m.px(2)));
}

}  // namespace lockstep::ui
