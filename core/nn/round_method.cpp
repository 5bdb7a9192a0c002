#include "nn/round_method.h"

#include <algorithm>
#include <cassert>

#include "nn/round_pass.h"

namespace lockstep {
namespace {

RoundPass passOf(const NetworkPlan& plan, const NetworkCall& call) {
    return {plan, call.parameters, call.batch, static_cast<RoundMemory&>(call.memory), call.stop};
}

}  // namespace

std::unique_ptr<Workspace::Impl> RoundMethod::makeMemory(int maxBatch, Use) const {
    return std::make_unique<RoundMemory>(m_plan, maxBatch);
}

std::size_t RoundMethod::memoryBytes(int maxBatch, Use) const { return RoundMemory::bytes(m_plan, maxBatch); }

/// Preparation; then for each round its slices and its weights' gradients.
int RoundMethod::phaseCount(int batch) const { return 1 + 2 * Round::countFor(batch); }

int RoundMethod::partCount(int batch, int phase) const {
    if (phase == 0) return 1;
    if (phase % 2 == 0) return kWeightParts;
    return sliceCount(Round::at(batch, phase / 2).count);
}

void RoundMethod::runPart(const NetworkCall& call, int phase, int part, std::span<float> gradient) const {
    assert(std::min(call.samples(), Workspace::kRoundSamples) <= call.memory.capacity);
    const RoundPass pass = passOf(m_plan, call);
    if (phase == 0) return pass.prepare(true);
    const Round round = Round::at(call.samples(), (phase - 1) / 2);
    if (phase % 2 == 1) {
        pass.runSlice(round, part);
    } else {
        pass.gatherWeights(round, part, gradient);
    }
}

void RoundMethod::evaluate(const NetworkCall& call, std::span<std::uint8_t> predictions) const {
    const RoundPass pass = passOf(m_plan, call);
    pass.prepare(false);
    for (int r = 0; r < Round::countFor(call.samples()); ++r) {
        const Round round = Round::at(call.samples(), r);
        for (int slice = 0; slice < sliceCount(round.count); ++slice) {
            if (call.stop.stop_requested()) return;
            pass.evaluateSlice(round, slice, predictions);
        }
    }
}

}  // namespace lockstep
