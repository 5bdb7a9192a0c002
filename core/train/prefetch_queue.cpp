#include "train/prefetch_queue.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <utility>

#include "base/stopwatch.h"
#include "base/thread_pool.h"

namespace lockstep {

PrefetchQueue::PrefetchQueue(BatchSource& source, const Settings& settings)
    : m_source(source), m_lanes(static_cast<std::size_t>(settings.ranks)) {
    assert(settings.depth > 0 && settings.threads > 0);
    for (int rank = 0; rank < settings.ranks; ++rank) {
        Lane& lane = m_lanes[static_cast<std::size_t>(rank)];
        lane.front = lane.next = {.rank = rank};
        lane.ring.resize(settings.depth);
    }
    for (int i = 0; i < settings.threads; ++i)
        m_threads.emplace_back([this](const std::stop_token& stop) { threadMain(stop); });
}

double PrefetchQueue::bytes(const Settings& settings, double samplesPerPiece, double valuesPerImage) {
    return static_cast<double>(settings.ranks) * static_cast<double>(settings.depth) * samplesPerPiece *
           (valuesPerImage + 1);
}

void PrefetchQueue::threadMain(const std::stop_token& stop) {
    lowerThisThreadsPriority();
    try {
        std::unique_lock lock(m_mutex);
        while (m_room.wait(lock, stop, [&] { return emptiest() != nullptr; }) && !stop.stop_requested())
            make(*emptiest(), lock);
    } catch (...) {
        const std::scoped_lock lock(m_mutex);
        m_error = std::current_exception();
        m_ready.notify_all();
    }
}

PrefetchQueue::Lane* PrefetchQueue::emptiest() {
    Lane* found = nullptr;
    for (Lane& lane : m_lanes)
        if (!lane.busy && lane.made < lane.ring.size() && (!found || lane.made < found->made)) found = &lane;
    return found;
}

void PrefetchQueue::make(Lane& lane, std::unique_lock<std::mutex>& lock) {
    lane.busy = true;
    const PiecePlace place = lane.next;
    Slot& slot = lane.ring[(lane.first + lane.made) % lane.ring.size()];
    lock.unlock();
    const SteadyClock::time_point begin = SteadyClock::now();
    const std::size_t samples = m_source.pieceSamples(place);
    slot.pixels.resize(samples * m_source.valuesPerImage());
    slot.labels.resize(samples);
    m_source.fill(place, std::span(slot.pixels), std::span(slot.labels));
    const double seconds = secondsSince(begin);
    lock.lock();
    m_work.samples += static_cast<double>(samples);
    m_work.seconds += seconds;
    lane.next = m_source.after(place);
    ++lane.made;
    lane.busy = false;
    m_ready.notify_all();
}

void PrefetchQueue::restart(Lane& lane, const PiecePlace& place, std::unique_lock<std::mutex>& lock) {
    m_ready.wait(lock, [&] { return !lane.busy || m_error; });
    lane.front = lane.next = place;
    lane.made = 0;
    m_room.notify_one();
}

bool PrefetchQueue::take(const PiecePlace& place, std::span<float> values, std::span<std::uint8_t> labels,
                         const std::stop_token& stop) {
    Lane& lane = m_lanes[static_cast<std::size_t>(place.rank)];
    std::unique_lock lock(m_mutex);
    if (lane.front != place) restart(lane, place, lock);
    if (!m_ready.wait(lock, stop, [&] { return lane.made > 0 || m_error; })) return false;
    if (m_error) std::rethrow_exception(m_error);
    const Slot& slot = lane.ring[lane.first];
    lock.unlock();
    toFloats(slot.pixels, values.data());
    std::ranges::copy(slot.labels, labels.begin());
    lock.lock();
    lane.front = m_source.after(place);
    lane.first = (lane.first + 1) % lane.ring.size();
    --lane.made;
    m_room.notify_one();
    return true;
}

PrefetchQueue::Work PrefetchQueue::takeWork() {
    const std::scoped_lock lock(m_mutex);
    return std::exchange(m_work, {});
}

}  // namespace lockstep
