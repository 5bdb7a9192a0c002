#include "stage/timeline_view.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "charts/number_text.h"
#include "experiment_store.h"
#include "stage/phase_style.h"
#include "stage/playback.h"
#include "theme/theme.h"

namespace lockstep::ui {

TimelineView::TimelineView(Theme& theme, ExperimentStore& store, Playback& playback, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_store(store), m_playback(playback) {
    setMouseTracking(true);
    setFocusPolicy(Qt::TabFocus);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(tr("Timeline of one iteration (modelled)"));
    connect(&store, &ExperimentStore::experimentChanged, this, &TimelineView::follow);
    connect(&theme, &Theme::themeChanged, this, [this] { updateGeometry(), stale(); });
    connect(&playback, &Playback::positionChanged, this, qOverload<>(&QWidget::update));
    playback.watch(this);
    follow();
}

/// A zoomed view keeps its share of the iteration when the iteration's length changes.
void TimelineView::follow() {
    const double duration = m_store.timeline().duration_s;
    if (m_duration_s > 0 && duration > 0)
        m_window = {m_window.start_s * duration / m_duration_s, m_window.end_s * duration / m_duration_s};
    else
        m_window = {0, duration};
    m_duration_s = duration;
    QStringList parts;
    for (const Phase& phase : phasesOf(m_store.timeline()))
        parts << tr("%1 %2").arg(phaseName(phase.kind), durationText(phase.end_s - phase.start_s));
    setAccessibleDescription(duration > 0
                                 ? tr("%1 in all: %2").arg(durationText(duration), parts.join(QStringLiteral(", ")))
                                 : tr("The batch does not fit in memory."));
    stale();
}

void TimelineView::stale() {
    m_stale = true;
    update();
}

QSize TimelineView::sizeHint() const {
    const Metrics& m = m_theme.metrics();
    return {m.px(740), m.px(118)};
}

QSize TimelineView::minimumSizeHint() const {
    const int line = QFontMetrics(m_theme.metrics().small).height();
    return {line * 14, line * 4};
}

double TimelineView::xOf(double time_s) const {
    return m_left + (time_s - m_window.start_s) / m_window.length() * (m_right - m_left);
}
double TimelineView::timeAt(double x) const {
    return m_window.start_s + (x - m_left) / std::max(1.0, m_right - m_left) * m_window.length();
}

void TimelineView::layOut() {
    const Metrics& m = m_theme.metrics();
    const QFontMetricsF small(m.small);
    const Timeline& timeline = m_store.timeline();
    m_top = m.px(8);
    const double room = height() - m_top - small.height() - m.px(4);
    const double least = std::max(small.height() * 0.98, m.px(12) * 1.0);
    m_lanes = shownLanes(timeline, std::max(1, static_cast<int>(room / least)));
    m_pitch = m_lanes.empty() ? room : std::min(room / static_cast<double>(m_lanes.size()), m.px(30) * 1.0);
    m_laneHeight = std::max(3.0, std::floor(m_pitch - m.px(2)));
    double widest = 0;
    for (size_t row = 0; row < m_lanes.size(); ++row) widest = std::max(widest, small.horizontalAdvance(rowName(row)));
    m_left = std::min(widest + m.px(12), width() * 0.3);
    m_right = width() - m.px(18);
}

/// The lane's name; dots say that others of its kind, before or after it, found no room.
QString TimelineView::rowName(size_t row) const {
    const Timeline& timeline = m_store.timeline();
    const int lane = m_lanes[row], count = static_cast<int>(timeline.lanes.size());
    const auto alike = [&](int other) {
        return other >= 0 && other < count &&
               timeline.lanes[static_cast<size_t>(other)].server == timeline.lanes[static_cast<size_t>(lane)].server;
    };
    const auto shown = [&](int other) { return std::find(m_lanes.begin(), m_lanes.end(), other) != m_lanes.end(); };
    const bool lastOfKind = row + 1 == m_lanes.size() || !alike(m_lanes[row + 1]);
    QString name = laneName(timeline, lane, true);
    if (alike(lane - 1) && !shown(lane - 1)) name.prepend(QStringLiteral("… "));
    if (lastOfKind && alike(lane + 1)) name.append(QStringLiteral(" …"));
    return name;
}

void TimelineView::paintSpanText(QPainter& painter, const QRectF& rect, const TimelineSpan& span, const QRectF& clip) {
    const QFontMetricsF metrics(m_theme.metrics().small);
    const QRectF visible = rect.intersected(clip);
    const double pad = m_theme.metrics().px(8);
    const QString time = durationText(span.end_s - span.start_s);
    const QString choices[] = {tr("%1 %2").arg(phaseName(span.kind), time), phaseName(span.kind),
                               phaseShortName(span.kind)};
    for (const QString& text : choices) {
        if (metrics.horizontalAdvance(text) + pad > visible.width() ||
            metrics.height() > visible.height() + m_theme.metrics().px(4))
            continue;
        const bool wait = span.kind == TimelineSpan::Kind::Wait;
        painter.setPen(wait ? m_theme.colours().mutedText
                            : Colours::readableOn(phaseColour(m_theme.colours(), span.kind)));
        painter.drawText(visible, Qt::AlignCenter, text);
        return;
    }
}

void TimelineView::paintLane(QPainter& painter, size_t row) {
    const Timeline& timeline = m_store.timeline();
    const Colours& colours = m_theme.colours();
    const Metrics& m = m_theme.metrics();
    const int lane = m_lanes[row];
    const double top = std::round(m_top + m_pitch * static_cast<double>(row) + (m_pitch - m_laneHeight) / 2);
    const QFontMetricsF small(m.small);
    painter.setPen(colours.mutedText);
    painter.drawText(QRectF(0, top, m_left - m.px(6), m_laneHeight), Qt::AlignLeft | Qt::AlignVCenter,
                     small.elidedText(rowName(row), Qt::ElideRight, m_left - m.px(6)));
    const QRectF clip(m_left, top, m_right - m_left, m_laneHeight);
    painter.setClipRect(clip);
    // Text on every lane would say the same ten times: the first of each kind speaks, and those that differ from it.
    const bool speaks = row == 0 || timeline.lanes[static_cast<size_t>(lane)].server !=
                                        timeline.lanes[static_cast<size_t>(m_lanes[row - 1])].server;
    const SpanRange range = visibleSpans(timeline, lane, m_window);
    double paintedTo = -1;
    for (size_t i = range.first; i < range.last; ++i) {
        const TimelineSpan& span = timeline.spans[i];
        const double left = xOf(span.start_s), right = xOf(span.end_s);
        if (right <= paintedTo + 0.25) continue;  // under what is already painted
        const QRectF rect(left, top, std::max(right - left, 0.75), m_laneHeight);
        if (span.kind == TimelineSpan::Kind::Wait)
            painter.fillRect(rect.adjusted(0, m_laneHeight * 0.42, 0, -m_laneHeight * 0.42), colours.wait);
        else
            paintPhase(painter, rect, span.kind, colours);
        paintedTo = right;
        if (speaks && rect.width() > 12) {
            if (span.kind == TimelineSpan::Kind::Wait) {
                const QRectF gap(rect.center().x() - small.horizontalAdvance(phaseShortName(span.kind)) / 2 - 4, top,
                                 small.horizontalAdvance(phaseShortName(span.kind)) + 8, m_laneHeight);
                if (gap.width() < rect.width()) painter.fillRect(gap, colours.surface);
            }
            paintSpanText(painter, rect, span, clip);
        }
    }
    painter.setClipping(false);
}

void TimelineView::paintAxis(QPainter& painter) {
    const Metrics& m = m_theme.metrics();
    const QFontMetricsF small(m.small);
    const double bottom = m_top + m_pitch * static_cast<double>(m_lanes.size());
    const std::vector<TimeTick> ticks =
        timeTicks(m_window, std::max(2, static_cast<int>((m_right - m_left) / m.px(84))));
    double clearFrom = 0;
    for (const TimeTick& tick : ticks) {
        const double x = xOf(tick.time_s), w = small.horizontalAdvance(tick.text) + 2;
        painter.fillRect(QRectF(std::round(x), m_top, 1, bottom - m_top), m_theme.colours().gridLine);
        // The last tick carries the unit: its number stays centred, the unit hangs over to the right.
        const double numberWidth = small.horizontalAdvance(tick.text.section(QChar(0x00A0), 0, 0));
        const double left = std::clamp(x - numberWidth / 2, 0.0, std::max(0.0, width() - w));
        if (left < clearFrom) continue;
        painter.setPen(m_theme.colours().axisText);
        painter.drawText(QRectF(left, bottom + m.px(2), w, small.height()), Qt::AlignLeft | Qt::AlignVCenter,
                         tick.text);
        clearFrom = left + w + m.px(6);
    }
}

void TimelineView::renderStatic() {
    layOut();
    const double ratio = devicePixelRatioF();
    const QSize wanted(static_cast<int>(std::ceil(width() * ratio)), static_cast<int>(std::ceil(height() * ratio)));
    if (m_static.size() != wanted) m_static = QPixmap(wanted);
    m_static.setDevicePixelRatio(ratio);
    m_static.fill(m_theme.colours().surface);
    QPainter painter(&m_static);
    painter.setFont(m_theme.metrics().small);
    if (m_duration_s > 0 && m_window.length() > 0) {
        paintAxis(painter);
        for (size_t row = 0; row < m_lanes.size(); ++row) paintLane(painter, row);
    } else {
        painter.setPen(m_theme.colours().mutedText);
        painter.drawText(rect(), Qt::AlignCenter | Qt::TextWordWrap,
                         tr("No iteration to show: the batch does not fit in the device's memory."));
    }
    m_stale = false;
}

void TimelineView::paintCursor(QPainter& painter) {
    if (!(m_duration_s > 0)) return;
    const double x = xOf(m_playback.position_s());
    if (x < m_left - 0.5 || x > m_right + 0.5) return;
    const Metrics& m = m_theme.metrics();
    const double bottom = m_top + m_pitch * static_cast<double>(m_lanes.size());
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(m_theme.colours().text, 1.5 * m.scale));
    painter.drawLine(QPointF(x, m.px(4)), QPointF(x, bottom));
    painter.setPen(QPen(m_theme.colours().surface, 1));
    painter.setBrush(m_theme.colours().text);
    painter.drawEllipse(QPointF(x, m.px(5)), m.px(4) * 1.0, m.px(4) * 1.0);
    if (hasFocus()) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(m_theme.colours().focus, 1.5 * m.scale));
        painter.drawEllipse(QPointF(x, m.px(5)), m.px(7) * 1.0, m.px(7) * 1.0);
    }
}

void TimelineView::paintEvent(QPaintEvent*) {
    if (m_stale) renderStatic();
    QPainter painter(this);
    painter.drawPixmap(0, 0, m_static);
    paintCursor(painter);
}

void TimelineView::resizeEvent(QResizeEvent*) { m_stale = true; }

QString TimelineView::readAt(const QPointF& position) const {
    if (m_lanes.empty() || position.x() < m_left || position.x() > m_right || position.y() < m_top) return {};
    const auto row = static_cast<size_t>((position.y() - m_top) / m_pitch);
    if (row >= m_lanes.size()) return {};
    const Timeline& timeline = m_store.timeline();
    const double at = timeAt(position.x());
    const SpanRange range = visibleSpans(timeline, m_lanes[row], {at, at + m_window.length() * 1e-9});
    if (range.first == range.last) return {};
    const TimelineSpan& span = timeline.spans[range.first];
    return tr("%1: %2\n%3, from %4 to %5 (%6 of the iteration)")
        .arg(laneName(timeline, m_lanes[row], false), phaseName(span.kind), durationText(span.end_s - span.start_s),
             durationText(span.start_s), durationText(span.end_s),
             percentText((span.end_s - span.start_s) / timeline.duration_s));
}

bool TimelineView::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    auto* help = static_cast<QHelpEvent*>(event);
    QToolTip::showText(help->globalPos(), readAt(help->pos()), this);
    return true;
}

void TimelineView::mousePressEvent(QMouseEvent* event) {
    m_pressedAt = event->pos();
    m_panning = event->button() == Qt::MiddleButton || (event->modifiers() & Qt::ShiftModifier);
    m_scrubbing = event->button() == Qt::LeftButton && !m_panning;
    if (m_scrubbing) m_playback.pause(), m_playback.setPosition(timeAt(event->position().x()));
}

void TimelineView::mouseMoveEvent(QMouseEvent* event) {
    if (m_scrubbing) m_playback.setPosition(timeAt(event->position().x()));
    if (m_panning) {
        m_window = panned(m_window, timeAt(m_pressedAt.x()) - timeAt(event->position().x()), m_duration_s);
        m_pressedAt = event->pos();
        stale();
    }
}

void TimelineView::mouseReleaseEvent(QMouseEvent*) { m_scrubbing = m_panning = false; }

void TimelineView::mouseDoubleClickEvent(QMouseEvent*) {
    m_window = {0, m_duration_s};
    stale();
}

void TimelineView::wheelEvent(QWheelEvent* event) {
    if (!(m_duration_s > 0)) return;
    const QPoint delta = event->angleDelta();
    if (std::abs(delta.x()) > std::abs(delta.y()))
        m_window = panned(m_window, -delta.x() / 1200.0 * m_window.length(), m_duration_s);
    else
        m_window = zoomed(m_window, timeAt(event->position().x()), std::pow(0.8, delta.y() / 120.0), m_duration_s);
    event->accept();
    stale();
}

void TimelineView::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Left:
            m_playback.stepPhase(-1);
            return;
        case Qt::Key_Right:
            m_playback.stepPhase(+1);
            return;
        case Qt::Key_Home:
            m_playback.setPosition(0);
            return;
        default:
            QWidget::keyPressEvent(event);
    }
}

}  // namespace lockstep::ui
