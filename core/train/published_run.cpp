#include "train/published_run.h"

#include <utility>

namespace lockstep {

void PublishedRun::setState(RunState state) {
    const std::scoped_lock lock(m_mutex);
    m_state = state;
}

void PublishedRun::add(std::shared_ptr<const Snapshot> snapshot) {
    const std::scoped_lock lock(m_mutex);
    m_curve.add(*snapshot);
    m_latest = std::move(snapshot);
    m_history = nullptr;
}

void PublishedRun::setCheckpoints(std::vector<std::shared_ptr<const Checkpoint>> checkpoints) {
    const std::scoped_lock lock(m_mutex);
    m_checkpoints = std::move(checkpoints);
}

void PublishedRun::end(RunResult result) {
    {
        const std::scoped_lock lock(m_mutex);
        m_state = result.outcome;
        m_result = std::make_shared<const RunResult>(std::move(result));
    }
    m_ended.notify_all();
}

bool PublishedRun::awaitEnd(std::chrono::milliseconds patience) const {
    std::unique_lock lock(m_mutex);
    return m_ended.wait_for(lock, patience, [&] { return m_result != nullptr; });
}

RunState PublishedRun::state() const {
    const std::scoped_lock lock(m_mutex);
    return m_state;
}

std::shared_ptr<const Snapshot> PublishedRun::latest() const {
    const std::scoped_lock lock(m_mutex);
    return m_latest;
}

std::shared_ptr<const std::vector<Snapshot>> PublishedRun::history() const {
    const std::scoped_lock lock(m_mutex);
    if (!m_history) m_history = std::make_shared<const std::vector<Snapshot>>(m_curve.points());
    return m_history;
}

std::vector<std::shared_ptr<const Checkpoint>> PublishedRun::checkpoints() const {
    const std::scoped_lock lock(m_mutex);
    return m_checkpoints;
}

std::shared_ptr<const RunResult> PublishedRun::result() const {
    const std::scoped_lock lock(m_mutex);
    return m_result;
}

}  // namespace lockstep
