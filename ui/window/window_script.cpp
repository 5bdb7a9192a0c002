#include "window/window_script.h"

namespace lockstep::ui {
namespace {

constexpr int kLook_ms = 25;
/// Time for everything that was changed to be laid out and painted.
constexpr int kSettle_ms = 150;

}  // namespace

WindowScript::WindowScript(QObject* parent) : QObject(parent) {
    m_timer.setInterval(kLook_ms);
    connect(&m_timer, &QTimer::timeout, this, &WindowScript::look);
}

void WindowScript::add(Step step) { m_steps.push_back(std::move(step)); }

void WindowScript::start() {
    m_position = 0;
    next();
}

void WindowScript::next() {
    if (m_position == m_steps.size()) {
        m_timer.stop();
        emit finished();
        return;
    }
    m_waiting.start();
    m_timer.start();
    m_steps[m_position].act();
}

void WindowScript::look() {
    const Step& step = m_steps[m_position];
    const qint64 waited = m_waiting.elapsed();
    if (waited < kSettle_ms) return;
    const bool holds = !step.until || step.until();
    if (!holds && waited < step.patience_ms) return;
    m_timer.stop();
    if (!holds)
        m_faults
            << QStringLiteral("after %1 s still not so: %2").arg(static_cast<double>(waited) / 1000).arg(step.what);
    if (step.then) step.then();
    ++m_position;
    next();
}

}  // namespace lockstep::ui
