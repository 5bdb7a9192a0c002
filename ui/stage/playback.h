#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <vector>

#include "cluster/prediction.h"

class QWidget;

namespace lockstep::ui {

class ExperimentStore;
class Theme;

/// A phase of the modelled iteration: what the first worker does from `start_s` to `end_s`.
struct Phase {
    TimelineSpan::Kind kind = TimelineSpan::Kind::Wait;
    double start_s = 0, end_s = 0;
};

/// The phases that playback steps through: the first worker's spans, and the stretches between them in which only
/// servers are busy. Sorted, without empty ones.
[[nodiscard]] std::vector<Phase> phasesOf(const Timeline& timeline);

/// The time cursor of one modelled iteration, shared by the cluster diagram and the timeline. Follows the store: when
/// the iteration changes, the cursor keeps its share of it. Plays in a loop, slowed down by `slowMotion`; stands still
/// while none of the watched widgets can be seen. With reduced motion it goes from phase to phase instead of gliding.
class Playback : public QObject {
    Q_OBJECT
public:
    Playback(Theme& theme, ExperimentStore& store, QObject* parent = nullptr);

    [[nodiscard]] bool isPlaying() const { return m_playing; }
    [[nodiscard]] double position_s() const { return m_position_s; }
    [[nodiscard]] double duration_s() const { return m_duration_s; }
    /// Wall seconds per modelled second; 20 is "1/20".
    [[nodiscard]] double slowMotion() const { return m_slowMotion; }
    /// The factor (1, 2, 5, 10, ...) at which an iteration takes about eight seconds.
    [[nodiscard]] double comfortableSlowMotion() const;
    [[nodiscard]] const std::vector<Phase>& phases() const { return m_phases; }
    /// Index into phases() of the one under the cursor; -1 where there is none.
    [[nodiscard]] int currentPhase() const;

    void play();
    void pause();
    void toggle() { m_playing ? pause() : play(); }
    /// Pauses, and goes to the middle of the next (+1) or previous (-1) phase, where its packets are on their way.
    void stepPhase(int direction);
    /// Scrubs. Clamped to the iteration.
    void setPosition(double position_s);
    /// At least 0.001. An explicit factor stays; otherwise the comfortable one is kept.
    void setSlowMotion(double factor);
    void setAutomaticSlowMotion();

    /// Playback runs only while at least one watched widget is visible (or none is watched).
    void watch(QWidget* widget);
    /// Moves on by `wall_s` seconds of wall time; what the timer does, for tests.
    void advance(double wall_s);

signals:
    void positionChanged(double position_s);
    void playingChanged(bool playing);
    void slowMotionChanged(double factor);
    void phasesChanged();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void follow();
    void goTo(int phase);
    void updateTimer();

    Theme& m_theme;
    ExperimentStore& m_store;
    QTimer m_timer;
    QElapsedTimer m_elapsed;
    std::vector<QWidget*> m_watched;
    std::vector<Phase> m_phases;
    double m_position_s = 0, m_duration_s = 0, m_slowMotion = 1, m_dwell_s = 0;
    bool m_playing = false, m_automatic = true;
};

}  // namespace lockstep::ui
