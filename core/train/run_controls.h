#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <utility>
#include <vector>

#include "train/run.h"

namespace lockstep {

/// The levers of a run: any thread sets them, the run's thread looks at them before each step.
class RunControls {
public:
    /// Look: there are faults or a wish for a checkpoint to take.
    enum class Turn { Go, GoOnce, Look, Stop };

    RunControls(bool paused, const LiveSettings& settings) : m_paused(paused), m_settings(settings) {}

    void pause();
    void resume();
    void stepOnce();
    void tune(const LiveSettings& settings);
    void inject(const Fault& fault);
    void keepCheckpoint();
    [[nodiscard]] std::vector<Fault> takeFaults();
    [[nodiscard]] bool takeCheckpointWish();
    /// Called by the run's thread: waits for any of the above, or stop.
    void awaitChange(std::stop_token stop);
    [[nodiscard]] LiveSettings settings() const;

    /// Called by the run's thread: returns when the next step may begin, or at once when stop is requested. Waits while
    /// paused (`onPaused` is called first, once) and as long as maxStepsPerSecond asks.
    template <class OnPaused>
    Turn awaitTurn(std::stop_token stop, OnPaused onPaused) {
        std::unique_lock lock(m_mutex);
        bool told = false;
        while (!stop.stop_requested()) {
            if (!m_faults.empty() || m_checkpointWished) return Turn::Look;
            const long long version = m_version;
            const auto changed = [&] { return m_version != version; };
            if (m_paused && m_singleSteps == 0) {
                if (!std::exchange(told, true)) onPaused();
                m_wake.wait(lock, stop, changed);
            } else if (const auto due = dueTime(); !m_paused && due > Clock::now()) {
                m_wake.wait_until(lock, stop, due, changed);
            } else {
                m_lastStep = Clock::now();
                if (!m_paused) return Turn::Go;
                --m_singleSteps;
                return Turn::GoOnce;
            }
        }
        return Turn::Stop;
    }

private:
    using Clock = std::chrono::steady_clock;

    [[nodiscard]] Clock::time_point dueTime() const;
    template <class Change>
    void change(Change apply);

    mutable std::mutex m_mutex;
    std::condition_variable_any m_wake;
    long long m_version = 0;  ///< of the controls; waiting ends when it changes
    bool m_paused;
    int m_singleSteps = 0;
    std::vector<Fault> m_faults;
    bool m_checkpointWished = false;
    LiveSettings m_settings;
    Clock::time_point m_lastStep{};
};

}  // namespace lockstep
