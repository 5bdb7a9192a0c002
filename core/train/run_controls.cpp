#include "train/run_controls.h"

#include <algorithm>

namespace lockstep {

template <class Change>
void RunControls::change(Change apply) {
    {
        const std::scoped_lock lock(m_mutex);
        apply();
        ++m_version;
    }
    m_wake.notify_all();
}

void RunControls::pause() {
    change([&] { m_paused = true; });
}

void RunControls::resume() {
    change([&] {
        m_paused = false;
        m_singleSteps = 0;
    });
}

void RunControls::stepOnce() {
    change([&] {
        m_paused = true;
        ++m_singleSteps;
    });
}

void RunControls::tune(const LiveSettings& settings) {
    change([&] { m_settings = settings; });
}

void RunControls::inject(const Fault& fault) {
    change([&] { m_faults.push_back(fault); });
}

void RunControls::keepCheckpoint() {
    change([&] { m_checkpointWished = true; });
}

std::vector<Fault> RunControls::takeFaults() {
    const std::scoped_lock lock(m_mutex);
    return std::exchange(m_faults, {});
}

bool RunControls::takeCheckpointWish() {
    const std::scoped_lock lock(m_mutex);
    return std::exchange(m_checkpointWished, false);
}

void RunControls::awaitChange(std::stop_token stop) {
    std::unique_lock lock(m_mutex);
    if (!m_faults.empty()) return;
    const long long version = m_version;
    m_wake.wait(lock, stop, [&] { return m_version != version; });
}

LiveSettings RunControls::settings() const {
    const std::scoped_lock lock(m_mutex);
    return m_settings;
}

RunControls::Clock::time_point RunControls::dueTime() const {
    constexpr double kSlowest = 1e-3;  // steps per second; keeps the time representable
    if (!(m_settings.maxStepsPerSecond > 0)) return {};
    const std::chrono::duration<double> interval(1 / std::max(m_settings.maxStepsPerSecond, kSlowest));
    return m_lastStep + std::chrono::duration_cast<Clock::duration>(interval);
}

}  // namespace lockstep
