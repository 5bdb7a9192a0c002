#pragma once

#include <vector>

#include "nn/kernels/kernels.h"
#include "nn/network_layout.h"

namespace lockstep {

/// What lies between two operations, one for each sample: an image (a dense layer's units are channels of 1 x 1 pixels)
/// in a border of zeros as wide as its reader wants.
struct StagedTensor {
    ImageShape shape;
    int border = 0;
    int gradientBorder = 0;      ///< of its gradient, which a convolution reads when it goes backward
    bool hasGradient = true;     ///< the images have none
    bool gradientLocal = false;  ///< comes and goes within one phase, so that a slice needs one sample's

    [[nodiscard]] static std::size_t elements(const ImageShape& shape, int border);
    [[nodiscard]] static int rowStride(const ImageShape& shape, int border) {
        return (shape.widthPx + 2 * border) * shape.channels;
    }
    [[nodiscard]] std::size_t elements() const { return elements(shape, border); }
    [[nodiscard]] std::size_t gradientElements() const { return elements(shape, gradientBorder); }
};

enum class OperationType {
    Convolution,
    Normalization,  ///< batch normalization, then (+ addend), then (ReLU)
    Activation,     ///< (+ addend), then (ReLU)
    MaxPool,
    AveragePool,
    Dense,
};

/// One operation, with what is fused into it. Phases are counted from the first of each direction; an operation
/// belongs to the earliest in which all that it reads is there.
struct Operation {
    OperationType type = OperationType::Activation;
    int input = 0, output = 0;
    int addend = -1;  ///< a second input of Normalization and Activation, or -1
    bool relu = false;
    bool hasBias = true;
    kernels::Convolution convolution = {};
    kernels::Pooling pooling = {};
    std::size_t weights = 0, bias = 0;   ///< offsets; of a normalization: scale and shift
    std::size_t mean = 0, variance = 0;  ///< offsets of a normalization's statistics
    std::size_t parameters = 0;          ///< trained, from `weights` on
    std::size_t sliceGradient = 0;       ///< where the slices sum up their gradient; unused by Dense

    int measurePhase = 0;   ///< when a normalization measures its input
    int forwardPhase = 0;   ///< when it writes its output
    int backwardPhase = 0;  ///< when its output's gradient is complete; a normalization goes on in the next phase
    bool addsToInput = false, addsToAddend = false;  ///< another operation's share of the gradient is there already

    [[nodiscard]] bool normalizes() const { return type == OperationType::Normalization; }
    [[nodiscard]] int inputGradientPhase() const { return backwardPhase + (normalizes() ? 1 : 0); }
};

/// The convolution that leads a stride-1 convolution's gradient back to its input: weights turned by half a turn.
[[nodiscard]] kernels::Convolution turned(const kernels::Convolution& forward);

/// One thing to do in a phase.
struct StagedAction {
    int operation = 0;
    /// Only measures: a normalization's input forward, its output's gradient backward.
    bool measures = false;
};

/// What a network with batch normalization, residual blocks, strides or global pooling compiles to: operations in an
/// order in which each follows what it reads.
class StagedPlan : public NetworkLayout {
public:
    std::vector<StagedTensor> tensors;  ///< the first are the images
    std::vector<Operation> operations;
    std::vector<std::vector<StagedAction>> forward, backward;  ///< per phase, in order
    std::size_t sliceGradientCount = 0;                        ///< parameters of all operations but Dense

    /// Whether the specification needs this plan.
    [[nodiscard]] static bool isFor(const NetworkSpec& spec);
    [[nodiscard]] static Result<StagedPlan> compile(NetworkSpec spec);

    [[nodiscard]] const StagedTensor& in(const Operation& o) const {
        return tensors[static_cast<std::size_t>(o.input)];
    }
    [[nodiscard]] const StagedTensor& out(const Operation& o) const {
        return tensors[static_cast<std::size_t>(o.output)];
    }
};

}  // namespace lockstep
