#include "train/checkpoint.h"

#include <cstring>

namespace lockstep {

double Checkpoint::bytes() const {
    const std::size_t floats = model.size() + firstState.size() + secondState.size();
    return static_cast<double>(state.size() + floats * sizeof(float));
}

/// They are what the state begins with.
void Checkpoint::readReplica(std::size_t replica, std::span<float> parameters) const {
    std::memcpy(parameters.data(), state.data() + replica * parameters.size_bytes(), parameters.size_bytes());
}

void CheckpointStore::add(std::shared_ptr<const Checkpoint> checkpoint) {
    // A restart makes the same steps again.
    while (!m_checkpoints.empty() && m_checkpoints.back()->step >= checkpoint->step) m_checkpoints.pop_back();
    m_checkpoints.push_back(std::move(checkpoint));
    const auto total = [&] {
        double bytes = 0;
        for (const auto& one : m_checkpoints) bytes += one->bytes();
        return bytes;
    };
    while (m_checkpoints.size() > 1 && total() > m_mostBytes) {
        std::vector<std::shared_ptr<const Checkpoint>> kept;
        for (std::size_t fromNewest = 0; fromNewest < m_checkpoints.size(); fromNewest += 2)
            kept.insert(kept.begin(), m_checkpoints[m_checkpoints.size() - 1 - fromNewest]);
        m_checkpoints = std::move(kept);
        m_every *= 2;
    }
}

std::shared_ptr<const Checkpoint> CheckpointStore::newest() const {
    return m_checkpoints.empty() ? nullptr : m_checkpoints.back();
}

}  // namespace lockstep
