#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <vector>

namespace lockstep {

/// What the input pipelines of the nodes may deliver by wall clock: so many samples per second each, and never more
/// ahead than what fits the queue. A virtual clock counts the samples that a pipeline which never pauses would have
/// delivered; each node's last sample is due at a place on it (virtual scheduling, the generic cell rate algorithm,
/// ITU-T I.371). A node that asks for m samples from a queue of q is due at
///
///     due = max(due, clock - q) + m
///
/// and waits until the clock is there. Its first request finds the clock there and the queue empty. So from then on at
/// most rate x time samples are delivered, from any later moment on at most q + rate x time: a pause fills the queue,
/// no more.
///
/// Thread-safe. A change of the rate takes effect on those who wait, too. The rate decides when samples come, never
/// which.
class LoadingPace {
public:
    using Clock = std::chrono::steady_clock;

    /// Samples per second of one node; 0: unlimited.
    explicit LoadingPace(double samplesPerS) : m_rate(samplesPerS) {}

    void setRate(double samplesPerS);
    [[nodiscard]] double rate() const;
    [[nodiscard]] bool limited() const { return rate() > 0; }

    /// One delivery.
    struct Delivery {
        int node = 0;
        double samples = 1;
        double queueSamples = 0;  ///< what may be loaded ahead; 0: loading begins when it is asked for
    };
    /// Waits until the samples are there; false when stopped before. They are then counted as delivered all the same.
    bool await(const Delivery& delivery, const std::stop_token& stop);

private:
    [[nodiscard]] double clockAt(Clock::time_point now) const;
    [[nodiscard]] Clock::time_point timeOf(double samples, Clock::time_point now) const;

    mutable std::mutex m_mutex;
    std::condition_variable_any m_changed;
    double m_rate;
    long long m_changes = 0;
    double m_samples = 0;  ///< the clock at m_since
    Clock::time_point m_since = Clock::now();
    std::vector<double> m_due;  ///< of each node's last sample
};

}  // namespace lockstep
