#include "nn/staged_method.h"

#include <algorithm>
#include <cassert>

#include "nn/staged_pass.h"

namespace lockstep {

std::unique_ptr<Workspace::Impl> StagedMethod::makeMemory(int maxBatch, Use use) const {
    return std::make_unique<StagedMemory>(m_plan, maxBatch, use);
}

std::size_t StagedMethod::memoryBytes(int maxBatch, Use use) const {
    return StagedMemory::bytes(m_plan, maxBatch, use);
}

/// Preparation; forward, the last together with the loss and the first backward; backward; gathering.
int StagedMethod::phaseCount(int) const {
    return 1 + static_cast<int>(m_plan.forward.size() + m_plan.backward.size() - 1) + 1;
}

int StagedMethod::partCount(int batch, int phase) const {
    if (phase == 0) return 1;
    return phase + 1 == phaseCount(batch) ? kGatherParts : stagedSliceCount(batch);
}

void StagedMethod::runPart(const NetworkCall& call, int phase, int part, std::span<float> gradient) const {
    assert(call.samples() <= call.memory.capacity);
    const StagedPass pass(m_plan, call);
    const int lastForward = static_cast<int>(m_plan.forward.size());
    if (phase == 0) return pass.prepare(true);
    if (phase + 1 == phaseCount(call.samples())) return pass.gather(part, gradient);
    if (phase <= lastForward) pass.forward(phase - 1, part);
    if (phase == lastForward) pass.score(part);
    if (phase >= lastForward) pass.backward(phase - lastForward, part);
}

void StagedMethod::evaluate(const NetworkCall& call, std::span<std::uint8_t> predictions) const {
    const StagedPass pass(m_plan, call);
    pass.prepare(false);
    const int most = std::min(kEvaluationSamples, call.memory.capacity);
    for (int first = 0; first < call.samples() && !call.stop.stop_requested(); first += most)
        pass.evaluate({0, std::min(most, call.samples() - first), first}, predictions);
}

}  // namespace lockstep
