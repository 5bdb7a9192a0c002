#pragma once

#include <QElapsedTimer>
#include <QEvent>
#include <QObject>
#include <QPointer>
#include <QTimer>
#include <memory>
#include <vector>

#include "train/run.h"

class QWidget;

namespace lockstep::ui {

class ValueSlider;

/// What a scripted drag measured: milliseconds from a move of the mouse until everything it changed was painted.
struct DragReport {
    std::vector<double> frames_ms;  ///< one per move, in order
    int threads = 0;                ///< that trained meanwhile
    double stepsTrained = 0;        ///< by them, so that one sees they were busy

    /// 0..1; the largest at 1.
    [[nodiscard]] double quantile_ms(double share) const;
    /// One line for a person.
    [[nodiscard]] QString text() const;
};

/// Drags the workers slider of a shown window from one end to the other and back with real mouse events, one move at a
/// time, while a training run of its own keeps every core busy.
class DragBench : public QObject {
    Q_OBJECT
public:
    /// `window` must be shown and contain the workers slider.
    DragBench(QWidget& window, std::shared_ptr<const TrainTest> data, QObject* parent = nullptr);

    void start();

signals:
    void finished(const lockstep::ui::DragReport& report);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    bool event(QEvent* event) override;

private:
    void tick();
    void move(QEvent::Type type, double share);
    void finish();

    QWidget& m_window;
    QPointer<ValueSlider> m_slider;
    std::unique_ptr<Run> m_load;
    QTimer m_ticks;
    QElapsedTimer m_clock;
    DragReport m_report;
    int m_step = 0;
    qint64 m_moved_ns = 0, m_painted_ns = 0;
    bool m_waiting = false;
};

}  // namespace lockstep::ui
