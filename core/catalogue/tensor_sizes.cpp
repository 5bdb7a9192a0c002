#include "catalogue/tensor_sizes.h"

#include <cmath>

namespace lockstep {

namespace {

void addAttention(const LayerOp& op, double parameters, std::vector<double>& sizes) {
    if (op.kind == LayerOpKind::RelativeAttention) {
        // Queries, keys and values are one tensor of 3 h^2; positions and output have h^2 each.
        const double square = parameters / 5;
        sizes.insert(sizes.end(), {3 * square, square, square});
        return;
    }
    if (op.kind == LayerOpKind::AdditiveAttention) {
        // 2 h^2 + 2 h + 1 = ((2 h + 1)^2 + 1) / 2.
        const double width = std::round((std::sqrt(2 * parameters - 1) - 1) / 2);
        sizes.insert(sizes.end(), {width * width, width * width, width, width, 1});
        return;
    }
    // Four projections of h^2 + h make (2 h + 1)^2 - 1.
    const double width = std::round((std::sqrt(parameters + 1) - 1) / 2);
    for (int projection = 0; projection < 4; ++projection) sizes.insert(sizes.end(), {width * width, width});
}

void addLstm(const LayerOp& op, double parameters, std::vector<double>& sizes) {
    const int directions = op.bidirectional ? 2 : 1;
    const double gates = 4.0 * op.outputs;
    const double recurrent = gates * op.outputs;
    const double input = parameters / directions - recurrent - 2 * gates;
    for (int direction = 0; direction < directions; ++direction) {
        sizes.insert(sizes.end(), {input, recurrent, gates, gates});
    }
}

}  // namespace

void addTensorSizes(const LayerOp& op, const LayerCost& layer, std::vector<double>& sizes) {
    if (layer.parameters <= 0) return;
    switch (layer.kind) {
        case LayerKind::Convolution:
        case LayerKind::Dense: {
            const double bias = op.bias ? op.outputs : 0;
            if (layer.parameters > bias) sizes.push_back(layer.parameters - bias);
            if (bias > 0) sizes.push_back(bias);
            break;
        }
        case LayerKind::Normalization:
            sizes.insert(sizes.end(), 2, layer.parameters / 2);
            break;
        case LayerKind::Attention:
            addAttention(op, layer.parameters, sizes);
            break;
        case LayerKind::Recurrent:
            addLstm(op, layer.parameters, sizes);
            break;
        default:
            sizes.push_back(layer.parameters);
            break;
    }
}

}  // namespace lockstep
