#include "bench/drag_bench.h"

#include <QCoreApplication>
#include <QMouseEvent>
#include <QWidget>
#include <algorithm>
#include <thread>

#include "controls/setting_slider.h"

namespace lockstep::ui {
namespace {

constexpr int kMoves = 200;  // each way
constexpr int kTick_ms = 16;
constexpr int kPatience_ms = 500;  // a move that changes nothing paints nothing
const auto kPainted = static_cast<QEvent::Type>(QEvent::User + 1);

/// The load: eight replicas of the CNN, endlessly.
Experiment loadExperiment() {
    Experiment experiment;
    experiment.cluster.architecture = Architecture::AllReduce;
    experiment.cluster.workers = 8;
    experiment.training.epochs = 1e6;
    return experiment;
}

}  // namespace

double DragReport::quantile_ms(double share) const {
    if (frames_ms.empty()) return 0;
    std::vector<double> sorted = frames_ms;
    std::sort(sorted.begin(), sorted.end());
    return sorted[static_cast<size_t>(share * static_cast<double>(sorted.size() - 1) + 0.5)];
}

QString DragReport::text() const {
    return QStringLiteral(
               "drag of the workers slider, %1 moves, %2 threads training (%3 steps meanwhile): "
               "median %4 ms, 95th percentile %5 ms, 99th %6 ms, longest %7 ms")
        .arg(frames_ms.size())
        .arg(threads)
        .arg(stepsTrained)
        .arg(quantile_ms(0.5), 0, 'f', 1)
        .arg(quantile_ms(0.95), 0, 'f', 1)
        .arg(quantile_ms(0.99), 0, 'f', 1)
        .arg(quantile_ms(1), 0, 'f', 1);
}

DragBench::DragBench(QWidget& window, std::shared_ptr<const TrainTest> data, QObject* parent)
    : QObject(parent), m_window(window) {
    if (auto* setting = window.findChild<SettingSlider*>(QStringLiteral("cluster.workers")))
        m_slider = setting->slider();
    m_report.threads = static_cast<int>(std::thread::hardware_concurrency());
    m_load = std::make_unique<Run>(loadExperiment(), std::move(data), RunOptions{});
    m_ticks.setInterval(kTick_ms);
    m_ticks.setTimerType(Qt::PreciseTimer);
    connect(&m_ticks, &QTimer::timeout, this, &DragBench::tick);
}

void DragBench::start() {
    m_window.installEventFilter(this);
    m_clock.start();
    if (!m_slider) return finish();
    move(QEvent::MouseButtonPress, 0);
    m_ticks.start();
}

bool DragBench::eventFilter(QObject* watched, QEvent* event) {
    // The window paints all its dirty widgets within this event; what is posted now with low priority comes after.
    if (event->type() == QEvent::UpdateRequest)
        QCoreApplication::postEvent(this, new QEvent(kPainted), Qt::LowEventPriority);
    return QObject::eventFilter(watched, event);
}

bool DragBench::event(QEvent* event) {
    if (event->type() != kPainted) return QObject::event(event);
    m_painted_ns = m_clock.nsecsElapsed();
    return true;
}

void DragBench::tick() {
    const bool painted = m_painted_ns > m_moved_ns;
    if (m_waiting && !painted && m_clock.nsecsElapsed() - m_moved_ns < kPatience_ms * 1'000'000LL) return;
    if (m_waiting && painted) m_report.frames_ms.push_back(static_cast<double>(m_painted_ns - m_moved_ns) / 1e6);
    if (++m_step > 2 * kMoves) return finish();
    const double way = static_cast<double>(m_step) / kMoves;
    if (!m_slider) return finish();
    const double before = m_slider->shownValue();
    move(QEvent::MouseMove, way <= 1 ? way : 2 - way);
    // Round values hold the handle: a move that changes nothing paints nothing.
    m_waiting = m_slider->shownValue() != before;
}

void DragBench::move(QEvent::Type type, double share) {
    const QPointF place(share * (m_slider->width() - 1), m_slider->height() / 2.0);
    m_moved_ns = m_clock.nsecsElapsed();
    QMouseEvent event(type, place, m_slider->mapToGlobal(place), Qt::LeftButton, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(m_slider, &event);
}

void DragBench::finish() {
    m_ticks.stop();
    m_window.removeEventFilter(this);
    if (const auto latest = m_load->latest()) m_report.stepsTrained = static_cast<double>(latest->step);
    m_load.reset();
    emit finished(m_report);
}

}  // namespace lockstep::ui
