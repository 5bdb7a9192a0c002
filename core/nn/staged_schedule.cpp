#include <algorithm>

#include "nn/staged_compiler.h"

namespace lockstep {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

void planForward(StagedPlan& plan) {
    std::vector<int> ready(plan.tensors.size(), 0);
    const auto act = [&](int phase, StagedAction action) {
        if (plan.forward.size() <= at(phase)) plan.forward.resize(at(phase) + 1);
        plan.forward[at(phase)].push_back(action);
    };
    for (int i = 0; i < static_cast<int>(plan.operations.size()); ++i) {
        Operation& o = plan.operations[at(i)];
        o.measurePhase = ready[at(o.input)];
        o.forwardPhase = o.measurePhase + (o.normalizes() ? 1 : 0);
        if (o.addend >= 0) o.forwardPhase = std::max(o.forwardPhase, ready[at(o.addend)]);
        ready[at(o.output)] = o.forwardPhase;
        if (o.normalizes()) act(o.measurePhase, {i, true});
        act(o.forwardPhase, {i, false});
    }
}

void planBackward(StagedPlan& plan) {
    std::vector<int> ready(plan.tensors.size(), 0);
    const auto act = [&](int phase, StagedAction action) {
        if (plan.backward.size() <= at(phase)) plan.backward.resize(at(phase) + 1);
        plan.backward[at(phase)].push_back(action);
    };
    for (int i = static_cast<int>(plan.operations.size()) - 1; i >= 0; --i) {
        Operation& o = plan.operations[at(i)];
        o.backwardPhase = ready[at(o.output)];
        if (o.addend >= 0) ready[at(o.addend)] = std::max(ready[at(o.addend)], o.backwardPhase);
        ready[at(o.input)] = std::max(ready[at(o.input)], o.inputGradientPhase());
        if (o.normalizes()) act(o.backwardPhase, {i, true});
        act(o.inputGradientPhase(), {i, false});
    }
}

/// Plays the backward pass: whoever comes first to a gradient overwrites it, the others add.
void findAdditions(StagedPlan& plan) {
    std::vector<bool> written(plan.tensors.size(), false);
    const auto claim = [&](int tensor) {
        const bool adds = written[at(tensor)];
        written[at(tensor)] = true;
        return adds;
    };
    for (const std::vector<StagedAction>& phase : plan.backward)
        for (const StagedAction& action : phase) {
            Operation& o = plan.operations[at(action.operation)];
            if (o.addend >= 0 && (action.measures || !o.normalizes())) o.addsToAddend = claim(o.addend);
            if (!action.measures) o.addsToInput = claim(o.input);
        }
}

void setBorders(StagedPlan& plan) {
    for (const Operation& o : plan.operations)
        if (o.type == OperationType::Convolution) {
            StagedTensor& input = plan.tensors[at(o.input)];
            input.border = std::max(input.border, o.convolution.padding());
            if (o.convolution.stride == 1) plan.tensors[at(o.output)].gradientBorder = o.convolution.padding();
        }
    for (Operation& o : plan.operations) {
        o.convolution.extraBorder = plan.in(o).border - o.convolution.padding();
        o.convolution.outputRowStride = StagedTensor::rowStride(plan.out(o).shape, plan.out(o).border);
        o.pooling.outputRowStride = o.convolution.outputRowStride;
    }
}

/// A gradient is local when one image operation writes it, one reads it, and both do so in the same phase.
void findLocalGradients(StagedPlan& plan) {
    for (const Operation& reader : plan.operations) {
        bool local = !reader.normalizes() && reader.type != OperationType::Dense;
        int writers = 0;
        for (const Operation& writer : plan.operations) {
            if (writer.addend == reader.output) local = false;
            if (writer.input != reader.output) continue;
            ++writers;
            local = local && writer.type != OperationType::Dense && writer.inputGradientPhase() == reader.backwardPhase;
        }
        plan.tensors[at(reader.output)].gradientLocal = local && writers == 1;
    }
}

void placeSliceGradients(StagedPlan& plan) {
    for (Operation& o : plan.operations) {
        if (o.type == OperationType::Dense) continue;
        o.sliceGradient = plan.sliceGradientCount;
        plan.sliceGradientCount += o.parameters;
    }
}

}  // namespace

void scheduleStages(StagedPlan& plan) {
    planForward(plan);
    planBackward(plan);
    findAdditions(plan);
    setBorders(plan);
    findLocalGradients(plan);
    placeSliceGradients(plan);
}

}  // namespace lockstep
