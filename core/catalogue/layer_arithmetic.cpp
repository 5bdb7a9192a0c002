#include "catalogue/layer_arithmetic.h"

#include <array>

#include "catalogue/sequence_arithmetic.h"

namespace lockstep {

namespace {

long long windows(long long size, int kernel, int stride, int padding, bool roundUp) {
    const long long room = size + 2LL * padding - kernel;
    if (room < 0) return 0;
    long long count = (roundUp ? (room + stride - 1) / stride : room / stride) + 1;
    // A window that would start in the padding behind the input is left out, as frameworks do.
    if (roundUp && (count - 1) * stride >= size + padding) --count;
    return count;
}

LayerShape slide(const LayerOp& op, const LayerShape& input, long long channels) {
    return {channels, windows(input.height, op.kernelHeight, op.stride, op.paddingHeight, op.roundUp),
            windows(input.width, op.kernelWidth, op.stride, op.paddingWidth, op.roundUp)};
}

void convolution(const LayerOp& op, const LayerShape& input, LayerResult& result) {
    result.cost.kind = LayerKind::Convolution;
    result.output = slide(op, input, op.outputs);
    const auto inputsOfGroup = input.channels / op.groups;  // divides evenly
    const double window = static_cast<double>(inputsOfGroup) * op.kernelHeight * op.kernelWidth;
    result.cost.parameters = op.outputs * window + (op.bias ? op.outputs : 0);
    result.cost.macs = result.output.elements() * window;
}

void dense(const LayerOp& op, const LayerShape& input, LayerResult& result) {
    result.cost.kind = LayerKind::Dense;
    result.output = {op.outputs, input.height, input.width};
    const auto inputs = static_cast<double>(input.channels);
    result.cost.parameters = (op.shared ? 0 : inputs * op.outputs) + (op.bias ? op.outputs : 0);
    result.cost.macs = inputs * result.output.elements();
}

void pooling(const LayerOp& op, const LayerShape& input, LayerResult& result) {
    result.cost.kind = LayerKind::Pooling;
    if (op.kind == LayerOpKind::AdaptiveAveragePool) {
        result.output = {input.channels, op.outputs, op.outputs};
        return;
    }
    result.output = slide(op, input, input.channels);
    if (op.kind == LayerOpKind::MaxPool) result.cost.storedElements = result.output.elements();
}

bool needsInput(LayerOpKind kind) {
    switch (kind) {
        case LayerOpKind::Convolution:
        case LayerOpKind::Dense:
        case LayerOpKind::BatchNorm:
        case LayerOpKind::LayerNorm:
        case LayerOpKind::Relu:  // its output, which is the same tensor
        case LayerOpKind::Gelu:
        case LayerOpKind::SelfAttention:
        case LayerOpKind::AdditiveAttention:
        case LayerOpKind::Lstm:
        case LayerOpKind::LocalResponseNorm:
            return true;
        default:
            return false;
    }
}

bool passesTensorOn(LayerOpKind kind) {
    return kind == LayerOpKind::Relu || kind == LayerOpKind::Flatten || kind == LayerOpKind::ToTokens ||
           kind == LayerOpKind::Table;
}

constexpr double kMostElements = 1e15;
constexpr long long kLargestSide = 1 << 20;

bool isWithinBounds(const LayerShape& shape) {
    return shape.height >= 1 && shape.width >= 1 && shape.height <= kLargestSide && shape.width <= kLargestSide &&
           shape.elements() <= kMostElements;
}

/// Steps that move, widen or store what flows without computing. False where `op` is none of them.
bool rearrangement(const LayerOp& op, const LayerShape& input, LayerResult& result) {
    LayerShape& output = result.output;
    LayerCost& cost = result.cost;
    switch (op.kind) {
        case LayerOpKind::Flatten:
            output = {input.channels * input.height * input.width, 1, 1};
            return true;
        case LayerOpKind::ToTokens:
            output = {input.channels, input.height * input.width, 1};
            return true;
        case LayerOpKind::FirstToken:
            output.height = 1;
            return true;
        case LayerOpKind::Context:
            output.channels += op.outputs;
            return true;
        case LayerOpKind::Subsample:
            output = slide(op, input, op.outputs);
            return true;
        case LayerOpKind::Dropout:
            cost.storedBytes = input.elements();
            return true;
        default:
            return false;
    }
}

/// Tables of learned vectors. False where `op` is none of them.
bool lookup(const LayerOp& op, const LayerShape& input, LayerResult& result) {
    result.cost.kind = LayerKind::Embedding;
    switch (op.kind) {
        case LayerOpKind::Embedding:
            result.output.channels = op.outputs;
            result.cost.parameters = op.shared ? 0 : static_cast<double>(op.rows) * op.outputs;
            return true;
        case LayerOpKind::PositionEmbedding:
            result.cost.parameters = static_cast<double>(op.rows) * static_cast<double>(input.channels);
            return true;
        case LayerOpKind::Table:
            result.cost.parameters = static_cast<double>(op.rows) * op.outputs;
            return true;
        case LayerOpKind::ClassToken:
            ++result.output.height;
            result.cost.parameters = static_cast<double>(input.channels);
            return true;
        default:
            result.cost.kind = LayerKind::Other;
            return false;
    }
}

}  // namespace

std::optional<LayerResult> layerResult(const LayerOp& op, const LayerShape& input) {
    LayerResult result;
    result.output = input;
    LayerCost& cost = result.cost;
    switch (op.kind) {
        case LayerOpKind::Convolution:
            if (input.channels % op.groups != 0) return std::nullopt;
            convolution(op, input, result);
            break;
        case LayerOpKind::Dense:
            dense(op, input, result);
            break;
        case LayerOpKind::MaxPool:
        case LayerOpKind::AveragePool:
        case LayerOpKind::AdaptiveAveragePool:
            pooling(op, input, result);
            break;
        case LayerOpKind::BatchNorm:
        case LayerOpKind::LayerNorm:
            cost.kind = LayerKind::Normalization;
            cost.parameters = 2.0 * static_cast<double>(input.channels);
            break;
        case LayerOpKind::LocalResponseNorm:
            cost.kind = LayerKind::Normalization;
            cost.storedElements = input.elements();  // the divisors
            break;
        case LayerOpKind::Relu:
        case LayerOpKind::Gelu:
            cost.kind = LayerKind::Activation;
            break;
        case LayerOpKind::Tanh:
            cost.kind = LayerKind::Activation;
            cost.storedElements = input.elements();
            break;
        case LayerOpKind::SelfAttention:
        case LayerOpKind::RelativeAttention:
        case LayerOpKind::AdditiveAttention:
        case LayerOpKind::Lstm:
            if (!sequenceResult(op, input, result)) return std::nullopt;
            break;
        default:
            if (op.kind == LayerOpKind::Subsample && op.outputs < input.channels) return std::nullopt;
            if (!rearrangement(op, input, result) && !lookup(op, input, result)) return std::nullopt;
            break;
    }
    if (!isWithinBounds(result.output)) return std::nullopt;
    if (cost.outputs <= 0 && op.kind != LayerOpKind::Table) cost.outputs = result.output.elements();
    if (op.keepsInput) cost.storedElements += input.elements();
    return result;
}

namespace detail {

bool isStructure(LayerOpKind kind) { return kind >= LayerOpKind::ResidualBegin; }

bool applyStructure(const LayerOp& op, LayerShape& shape, OpenPart* open, int& depth) {
    switch (op.kind) {
        case LayerOpKind::ResidualBegin:
        case LayerOpKind::BranchesBegin:
            if (depth == kMostNestedLayers) return false;
            open[depth++] = {shape, {}};
            return true;
        case LayerOpKind::ShortcutBegin:
            if (depth == 0) return false;
            open[depth - 1].sum = shape;
            shape = open[depth - 1].input;
            return true;
        case LayerOpKind::ResidualEnd: {
            if (depth == 0) return false;
            const LayerShape body = open[--depth].sum;
            return body.channels == shape.channels && body.height == shape.height && body.width == shape.width;
        }
        case LayerOpKind::BranchEnd: {
            if (depth == 0) return false;
            LayerShape& sum = open[depth - 1].sum;
            if (sum.channels != 0 && (sum.height != shape.height || sum.width != shape.width)) return false;
            sum = {sum.channels + shape.channels, shape.height, shape.width};
            if (!isWithinBounds(sum)) return false;
            shape = open[depth - 1].input;
            return true;
        }
        case LayerOpKind::BranchesEnd:
            if (depth == 0) return false;
            shape = open[--depth].sum;
            return true;
        default:
            return false;
    }
}

}  // namespace detail

int markStoredTensors(std::span<LayerOp> ops) {
    std::vector<bool> kept{false};  // by tensor
    std::size_t current = 0;
    std::array<std::size_t, kMostNestedLayers> open{};
    std::size_t depth = 0;
    const auto makeTensor = [&] {
        kept.push_back(false);
        current = kept.size() - 1;
    };
    for (std::size_t i = 0; i < ops.size(); ++i) {
        LayerOp& op = ops[i];
        if (op.kind == LayerOpKind::ResidualBegin || op.kind == LayerOpKind::BranchesBegin) {
            if (depth == open.size()) return static_cast<int>(i);
            open[depth++] = current;
        } else if (op.kind == LayerOpKind::ShortcutBegin || op.kind == LayerOpKind::BranchEnd) {
            if (depth == 0) return static_cast<int>(i);
            current = open[depth - 1];
        } else if (op.kind == LayerOpKind::ResidualEnd || op.kind == LayerOpKind::BranchesEnd) {
            if (depth == 0) return static_cast<int>(i);
            --depth;
            makeTensor();
        } else if (op.kind == LayerOpKind::SecondInput) {
            op.keepsInput = !kept[current];
            kept[current] = true;
            makeTensor();
        } else {
            op.keepsInput = needsInput(op.kind) && !kept[current];
            if (op.keepsInput) kept[current] = true;
            if (!passesTensorOn(op.kind)) makeTensor();
            if (op.kind == LayerOpKind::Lstm) kept[current] = true;  // its own count holds what it puts out
        }
    }
    return -1;
}

}  // namespace lockstep
