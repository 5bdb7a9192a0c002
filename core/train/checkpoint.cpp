#include "train/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "experiment/resolved.h"

namespace lockstep {
namespace {

/// Whether both train the same network, so that parameters of one mean something to the other.
bool sameNetwork(const Experiment& one, const Experiment& other) {
    return one.training.model == other.training.model && one.training.layers == other.training.layers &&
           one.training.dataset == other.training.dataset && trainingResolutionPx(one) == trainingResolutionPx(other);
}

}  // namespace

Result<void> checkBranch(const Experiment& from, const Experiment& next, long long step) {
    if (!sameNetwork(from, next))
        return fail(
            "going on from a checkpoint: training.model, training.layers, training.dataset and the resolution must be "
            "those of the run that made it");
    if (next.training.maxSteps > 0 && next.training.maxSteps <= step)
        return fail(fmt::format("going on from a checkpoint: training.max_steps = {} is reached at its step {} already",
                                next.training.maxSteps, step));
    return {};
}

long long stepsLeft(const Checkpoint& checkpoint, const TrainingSettings& training, const RunPlan& plan) {
    const double epochs = training.epochs - checkpoint.epoch;
    const auto left = static_cast<long long>(std::ceil(epochs * plan.stepsPerEpoch - 1e-9));
    return training.maxSteps > 0 ? std::min<long long>(left, training.maxSteps - checkpoint.step) : left;
}

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
