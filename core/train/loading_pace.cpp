#include "train/loading_pace.h"

#include <algorithm>

namespace lockstep {

void LoadingPace::setRate(double samplesPerS) {
    {
        const std::scoped_lock lock(m_mutex);
        if (samplesPerS == m_rate) return;
        const Clock::time_point now = Clock::now();
        m_samples = clockAt(now);
        m_since = now;
        // Without a limit nothing is due; with one again, loading begins.
        if (!(m_rate > 0) || !(samplesPerS > 0)) std::ranges::fill(m_due, m_samples);
        m_rate = samplesPerS;
        ++m_changes;
    }
    m_changed.notify_all();
}

double LoadingPace::rate() const {
    const std::scoped_lock lock(m_mutex);
    return m_rate;
}

double LoadingPace::clockAt(Clock::time_point now) const {
    return m_samples + std::max(0.0, m_rate) * std::chrono::duration<double>(now - m_since).count();
}

/// At most a while from now, as a low rate would otherwise ask for more than a time can hold.
LoadingPace::Clock::time_point LoadingPace::timeOf(double samples, Clock::time_point now) const {
    constexpr double kLongest_s = 60;
    const double wait_s = std::clamp((samples - clockAt(now)) / m_rate, 0.0, kLongest_s);
    // Rounded up: what is delivered a nanosecond early is above the rate.
    return now + std::chrono::ceil<Clock::duration>(std::chrono::duration<double>(wait_s));
}

bool LoadingPace::await(const Delivery& delivery, const std::stop_token& stop) {
    std::unique_lock lock(m_mutex);
    if (!(m_rate > 0)) return true;
    const auto node = static_cast<std::size_t>(delivery.node);
    Clock::time_point now = Clock::now();
    if (m_due.size() <= node) m_due.resize(node + 1, clockAt(now));
    const double due = std::max(m_due[node], clockAt(now) - delivery.queueSamples) + delivery.samples;
    m_due[node] = due;
    while (m_rate > 0 && clockAt(now) < due) {
        if (stop.stop_requested()) return false;
        const long long changes = m_changes;
        m_changed.wait_until(lock, stop, timeOf(due, now), [&] { return m_changes != changes; });
        now = Clock::now();
    }
    return true;
}

}  // namespace lockstep
