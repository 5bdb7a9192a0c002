#include "nn/staged_plan.h"

#include <algorithm>
#include <utility>

#include "nn/staged_compiler.h"

namespace lockstep {
namespace {

/// A dense layer's weights are read once more to go backward; the images need no gradient.
void countFlop(StagedPlan& plan) {
    for (const Operation& o : plan.operations) {
        const double passes = plan.in(o).hasGradient ? 3 : 2;
        double flop = 0;
        if (o.type == OperationType::Dense) flop = 2.0 * plan.in(o).shape.elements() * plan.out(o).shape.elements();
        if (o.type == OperationType::Convolution) flop = 2.0 * o.convolution.taps() * o.convolution.outputElements();
        plan.denseFlop += flop * passes;
    }
    plan.executedFlop = plan.denseFlop;
}

}  // namespace

std::size_t StagedTensor::elements(const ImageShape& shape, int border) {
    return static_cast<std::size_t>(shape.heightPx + 2 * border) * static_cast<std::size_t>(rowStride(shape, border));
}

kernels::Convolution turned(const kernels::Convolution& forward) {
    return {.height = forward.height,
            .width = forward.width,
            .inChannels = forward.outChannels,
            .outChannels = forward.inChannels,
            .kernel = forward.kernel};
}

bool StagedPlan::isFor(const NetworkSpec& spec) {
    return std::ranges::any_of(spec.layers, [](const LayerSpec& layer) {
        return layer.type == LayerType::BatchNorm || layer.type == LayerType::Residual ||
               layer.type == LayerType::GlobalAveragePool || layer.stride != 1;
    });
}

Result<StagedPlan> StagedPlan::compile(NetworkSpec spec) {
    StagedPlan plan;
    Result<void> done = plan.begin(std::move(spec));
    if (done) done = StagedCompiler(plan).run();
    if (!done) return tl::unexpected(done.error());
    scheduleStages(plan);
    countFlop(plan);
    return plan;
}

}  // namespace lockstep
