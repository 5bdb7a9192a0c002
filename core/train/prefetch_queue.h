#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <span>
#include <stop_token>
#include <thread>
#include <vector>

#include "train/batch_source.h"

namespace lockstep {

/// Threads that make the workers' next pieces ahead of their use. Each rank has a queue of its own; the emptiest is
/// filled first. Pieces wait as bytes, a quarter of what floats take, and become floats when they are taken. What a
/// piece holds does not depend on who makes it or when.
class PrefetchQueue {
public:
    struct Settings {
        int ranks = 1;
        int threads = 1;
        std::size_t depth = 2;  ///< pieces a rank, at least 1
    };

    /// The source outlives it and is its own alone.
    PrefetchQueue(BatchSource& source, const Settings& settings);

    /// Bytes of all queues, full.
    [[nodiscard]] static double bytes(const Settings& settings, double samplesPerPiece, double valuesPerImage);

    /// Takes the rank's next piece, waiting for it if need be; false when stopped before it was there. A place other
    /// than the one after the last lets the queue begin anew from there. One thread at a time for each rank.
    bool take(const PiecePlace& place, std::span<float> values, std::span<std::uint8_t> labels,
              const std::stop_token& stop);

    /// Work since the last call: samples made, and the threads' time for it, added up.
    struct Work {
        double samples = 0, seconds = 0;
    };
    [[nodiscard]] Work takeWork();

private:
    struct Slot {
        std::vector<std::uint8_t> pixels, labels;
    };
    /// Slots in a ring, `made` of them from `first` on waiting to be taken.
    struct Lane {
        PiecePlace front, next;  ///< to be taken; to be made
        std::vector<Slot> ring;
        std::size_t first = 0, made = 0;
        bool busy = false;  ///< a thread makes `next`
    };

    void threadMain(const std::stop_token& stop);
    [[nodiscard]] Lane* emptiest();
    void make(Lane& lane, std::unique_lock<std::mutex>& lock);
    void restart(Lane& lane, const PiecePlace& place, std::unique_lock<std::mutex>& lock);

    BatchSource& m_source;
    std::mutex m_mutex;
    std::condition_variable_any m_room, m_ready;
    std::vector<Lane> m_lanes;
    Work m_work;
    std::exception_ptr m_error;           ///< what ended a thread (memory); whoever takes next gets it
    std::vector<std::jthread> m_threads;  ///< last: they use the rest
};

}  // namespace lockstep
