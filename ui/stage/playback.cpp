#include "stage/playback.h"

#include <QEvent>
#include <QWidget>
#include <algorithm>
#include <cmath>

#include "experiment_store.h"
#include "theme/theme.h"

namespace lockstep::ui {
namespace {

constexpr int kTickMs = 16;
constexpr double kComfortable_s = 8;  ///< wall seconds for one iteration
constexpr double kDwell_s = 1.2;      ///< per phase, with reduced motion

/// The busiest server span that covers a moment in which the worker does nothing.
TimelineSpan::Kind serverKindAt(const Timeline& timeline, double time_s) {
    for (const TimelineSpan& span : timeline.spans)
        if (timeline.lanes[static_cast<size_t>(span.lane)].server && span.kind != TimelineSpan::Kind::Wait &&
            span.start_s <= time_s && time_s < span.end_s)
            return span.kind;
    return TimelineSpan::Kind::Wait;
}

}  // namespace

std::vector<Phase> phasesOf(const Timeline& timeline) {
    std::vector<Phase> phases;
    const double least = timeline.duration_s * 1e-9;
    double at = 0;
    const auto add = [&](TimelineSpan::Kind kind, double start, double end) {
        if (end - start <= least) return;
        if (kind == TimelineSpan::Kind::Wait) kind = serverKindAt(timeline, (start + end) / 2);
        if (!phases.empty() && phases.back().kind == kind && start - phases.back().end_s <= least)
            phases.back().end_s = end;
        else
            phases.push_back({kind, start, end});
    };
    for (const TimelineSpan& span : timeline.spans) {
        if (span.lane != 0) continue;
        add(TimelineSpan::Kind::Wait, at, span.start_s);
        add(span.kind, std::max(at, span.start_s), span.end_s);
        at = std::max(at, span.end_s);
    }
    if (!timeline.lanes.empty()) add(TimelineSpan::Kind::Wait, at, timeline.duration_s);
    return phases;
}

Playback::Playback(Theme& theme, ExperimentStore& store, QObject* parent)
    : QObject(parent), m_theme(theme), m_store(store) {
    m_timer.setTimerType(Qt::PreciseTimer);
    m_timer.setInterval(kTickMs);
    connect(&m_timer, &QTimer::timeout, this, [this] { advance(static_cast<double>(m_elapsed.restart()) * 1e-3); });
    connect(&store, &ExperimentStore::experimentChanged, this, &Playback::follow);
    follow();
}

/// The cursor keeps its phase and its share of it where the new iteration has such a phase, so that a slider drag does
/// not throw the picture about.
void Playback::follow() {
    const int before = currentPhase();
    const double share = m_duration_s > 0 ? m_position_s / m_duration_s : 0;
    double inPhase = 0;
    TimelineSpan::Kind kind = TimelineSpan::Kind::Wait;
    if (before >= 0) {
        const Phase& phase = m_phases[static_cast<size_t>(before)];
        kind = phase.kind;
        inPhase = (m_position_s - phase.start_s) / (phase.end_s - phase.start_s);
    }
    m_duration_s = m_store.timeline().duration_s;
    m_phases = phasesOf(m_store.timeline());
    m_position_s = share * m_duration_s;
    const auto same =
        std::find_if(m_phases.begin(), m_phases.end(), [kind](const Phase& phase) { return phase.kind == kind; });
    if (before >= 0 && same != m_phases.end()) m_position_s = same->start_s + inPhase * (same->end_s - same->start_s);
    if (m_automatic) setAutomaticSlowMotion();
    updateTimer();
    emit phasesChanged();
    emit positionChanged(m_position_s);
}

double Playback::comfortableSlowMotion() const {
    if (!(m_duration_s > 0)) return 1;
    const double wanted = kComfortable_s / m_duration_s;
    const double power = std::pow(10.0, std::floor(std::log10(wanted)));
    double best = power;
    for (const double factor : {1.0, 2.0, 5.0, 10.0})
        if (std::abs(std::log(factor * power / wanted)) < std::abs(std::log(best / wanted))) best = factor * power;
    return best;
}

int Playback::currentPhase() const {
    for (size_t i = 0; i < m_phases.size(); ++i)
        if (m_position_s < m_phases[i].end_s || i + 1 == m_phases.size()) return static_cast<int>(i);
    return -1;
}

void Playback::play() {
    if (m_playing) return;
    m_playing = true, m_dwell_s = 0;
    updateTimer();
    emit playingChanged(true);
}

void Playback::pause() {
    if (!m_playing) return;
    m_playing = false;
    updateTimer();
    emit playingChanged(false);
}

void Playback::stepPhase(int direction) {
    pause();
    if (m_phases.empty()) return;
    const int count = static_cast<int>(m_phases.size());
    goTo(((currentPhase() + (direction < 0 ? -1 : 1)) % count + count) % count);
}

void Playback::goTo(int phase) {
    const Phase& target = m_phases[static_cast<size_t>(phase)];
    setPosition((target.start_s + target.end_s) / 2);
}

void Playback::setPosition(double position_s) {
    position_s = std::clamp(std::isfinite(position_s) ? position_s : 0, 0.0, m_duration_s);
    if (position_s == m_position_s) return;
    m_position_s = position_s;
    emit positionChanged(m_position_s);
}

void Playback::setSlowMotion(double factor) {
    m_automatic = false;
    factor = std::max(factor, 0.001);
    if (factor == m_slowMotion) return;
    m_slowMotion = factor;
    emit slowMotionChanged(factor);
}

void Playback::setAutomaticSlowMotion() {
    m_automatic = true;
    const double factor = comfortableSlowMotion();
    if (factor == m_slowMotion) return;
    m_slowMotion = factor;
    emit slowMotionChanged(factor);
}

void Playback::watch(QWidget* widget) {
    m_watched.push_back(widget);
    widget->installEventFilter(this);
    connect(widget, &QObject::destroyed, this, [this, widget] { std::erase(m_watched, widget); });
    updateTimer();
}

bool Playback::eventFilter(QObject* watched, QEvent* event) {
    // Show and Hide arrive before the visibility that they announce is settled for all of the widget's parents.
    if (event->type() == QEvent::Show || event->type() == QEvent::Hide)
        QMetaObject::invokeMethod(this, &Playback::updateTimer, Qt::QueuedConnection);
    return QObject::eventFilter(watched, event);
}

void Playback::updateTimer() {
    const bool seen = m_watched.empty() || std::any_of(m_watched.begin(), m_watched.end(), [](const QWidget* widget) {
                          return widget->isVisible() && !widget->window()->isMinimized();
                      });
    const bool wanted = m_playing && seen && m_duration_s > 0;
    if (wanted && !m_timer.isActive()) m_elapsed.start(), m_timer.start();
    if (!wanted && m_timer.isActive()) m_timer.stop();
}

void Playback::advance(double wall_s) {
    if (!(m_duration_s > 0) || m_phases.empty()) return;
    if (m_theme.reducedMotion()) {
        m_dwell_s += wall_s;
        if (m_dwell_s < kDwell_s) return;
        m_dwell_s = 0;
        goTo((currentPhase() + 1) % static_cast<int>(m_phases.size()));
        return;
    }
    // After a stall (a suspended computer) the cursor goes on from where it was instead of leaping.
    const double moved = m_position_s + std::min(wall_s, 0.25) / m_slowMotion;
    m_position_s = std::fmod(moved, m_duration_s);
    emit positionChanged(m_position_s);
}

}  // namespace lockstep::ui
