#include "catalogue/sequence_arithmetic.h"

#include "catalogue/layer_arithmetic.h"

namespace lockstep {

namespace {

void selfAttention(const LayerOp& op, const LayerShape& input, LayerResult& result) {
    result.cost.kind = LayerKind::Attention;
    const auto width = static_cast<double>(input.channels);
    const auto tokens = static_cast<double>(input.height);
    const double vectors = tokens * width;
    const double scores = op.heads * tokens * tokens;
    result.cost.parameters = 4 * (width * width + width);
    result.cost.macs = 4 * vectors * width + 2 * tokens * vectors;
    result.cost.outputs = 5 * vectors + 2 * scores;
    result.cost.storedElements = 4 * vectors + (op.dropout ? 2 : 1) * scores;
    result.cost.storedBytes = op.dropout ? scores : 0;
}

void relativeAttention(const LayerOp& op, const LayerShape& input, LayerResult& result) {
    result.cost.kind = LayerKind::Attention;
    const auto width = static_cast<double>(input.channels);
    const auto tokens = static_cast<double>(input.height);
    const double seen = tokens + op.memory;
    const double scores = op.heads * tokens * seen;
    result.cost.parameters = 5 * width * width;
    result.cost.macs = (2 * tokens + 2 * seen) * width * width + 3 * tokens * seen * width;
    result.cost.outputs = (4 * tokens + 2 * seen) * width + 3 * scores;
    result.cost.storedElements = (3 * seen + 3 * tokens) * width + (op.dropout ? 2 : 1) * scores;
    result.cost.storedBytes = op.dropout ? scores : 0;
}

void additiveAttention(const LayerShape& input, LayerResult& result) {
    result.cost.kind = LayerKind::Attention;
    const auto width = static_cast<double>(input.channels);
    const auto tokens = static_cast<double>(input.height);
    const double pairs = tokens * tokens;
    result.cost.parameters = 2 * width * width + 2 * width + 1;
    result.cost.macs = 2 * tokens * width * width + 2 * pairs * width;
    result.cost.outputs = 3 * tokens * width + pairs * width + pairs;
    result.cost.storedElements = pairs * width + pairs;
}

void lstm(const LayerOp& op, const LayerShape& input, LayerResult& result) {
    constexpr int kGates = 4, kBiases = 2;
    result.cost.kind = LayerKind::Recurrent;
    const int directions = op.bidirectional ? 2 : 1;
    const double units = op.outputs;
    const double weights = directions * kGates * units * (static_cast<double>(input.channels) + units);
    const double positions = static_cast<double>(input.height) * static_cast<double>(input.width);
    result.output.channels = static_cast<long long>(op.outputs) * directions;
    result.cost.parameters = weights + directions * kGates * kBiases * units;
    result.cost.macs = positions * weights;
    result.cost.outputs = positions * directions * (kGates + 2) * units;
    result.cost.storedElements = result.cost.outputs;
}

}  // namespace

bool sequenceResult(const LayerOp& op, const LayerShape& input, LayerResult& result) {
    switch (op.kind) {
        case LayerOpKind::SelfAttention:
            if (input.channels % op.heads != 0) return false;
            selfAttention(op, input, result);
            return true;
        case LayerOpKind::RelativeAttention:
            if (input.channels % op.heads != 0) return false;
            relativeAttention(op, input, result);
            return true;
        case LayerOpKind::AdditiveAttention:
            additiveAttention(input, result);
            return true;
        case LayerOpKind::Lstm:
            lstm(op, input, result);
            return true;
        default:
            return false;
    }
}

}  // namespace lockstep
