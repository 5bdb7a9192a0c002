#include "catalogue/layer_op_reader.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/json_text.h"

namespace lockstep {

namespace {

using Json = nlohmann::json;

constexpr int kMostUnits = 1 << 20;
constexpr int kMostRows = 1 << 30;

constexpr std::array<std::pair<std::string_view, LayerOpKind>, 25> kKinds = {{
    {"conv", LayerOpKind::Convolution},
    {"dense", LayerOpKind::Dense},
    {"max-pool", LayerOpKind::MaxPool},
    {"avg-pool", LayerOpKind::AveragePool},
    {"adaptive-avg-pool", LayerOpKind::AdaptiveAveragePool},
    {"batch-norm", LayerOpKind::BatchNorm},
    {"layer-norm", LayerOpKind::LayerNorm},
    {"relu", LayerOpKind::Relu},
    {"gelu", LayerOpKind::Gelu},
    {"tanh", LayerOpKind::Tanh},
    {"dropout", LayerOpKind::Dropout},
    {"flatten", LayerOpKind::Flatten},
    {"embedding", LayerOpKind::Embedding},
    {"first-token", LayerOpKind::FirstToken},
    {"position-embedding", LayerOpKind::PositionEmbedding},
    {"self-attention", LayerOpKind::SelfAttention},
    {"relative-attention", LayerOpKind::RelativeAttention},
    {"additive-attention", LayerOpKind::AdditiveAttention},
    {"lstm", LayerOpKind::Lstm},
    {"local-response-norm", LayerOpKind::LocalResponseNorm},
    {"subsample", LayerOpKind::Subsample},
    {"to-tokens", LayerOpKind::ToTokens},
    {"class-token", LayerOpKind::ClassToken},
    {"context", LayerOpKind::Context},
    {"second-input", LayerOpKind::SecondInput},
}};
constexpr std::string_view kTable = "table", kCrossAttention = "cross-attention";

LayerOpKind kindOf(std::string_view op) {
    if (op == kTable) return LayerOpKind::Table;
    if (op == kCrossAttention) return LayerOpKind::SelfAttention;
    for (const auto& [name, kind] : kKinds) {
        if (name == op) return kind;
    }
    return LayerOpKind::Flatten;
}

void readKernel(EntryReader& reader, LayerOp& op) {
    constexpr int kLargest = 1024;
    if (!reader.has("kernel") || reader.raw("kernel").is_number()) {
        op.kernelHeight = op.kernelWidth = reader.integer("kernel", 1, kLargest);
        return;
    }
    const Json& sides = reader.list("kernel");
    const auto isSide = [](const Json& side) { return side.is_number_integer() && side >= 1 && side <= kLargest; };
    if (sides.size() != 2 || !isSide(sides[0]) || !isSide(sides[1])) {
        reader.fault("kernel", shownJson(sides), "a side, or [height, width], each a whole number in 1..1024");
        return;
    }
    op.kernelHeight = sides[0].get<int>();
    op.kernelWidth = sides[1].get<int>();
}

void readConvolution(EntryReader& reader, LayerOp& op) {
    op.outputs = reader.integer("channels", 1, kMostUnits);
    readKernel(reader, op);
    op.stride = reader.integer("stride", 1, 1024, 1);
    op.groups = reader.integer("groups", 1, kMostUnits, 1);
    op.bias = reader.boolean("bias", true);
    if (op.outputs % op.groups != 0) {
        reader.fault("groups", std::to_string(op.groups), fmt::format("a divisor of {} channels", op.outputs));
    }
    if (reader.has("padding") && reader.raw("padding").is_string()) {
        (void)reader.choice("padding", {"same"});
        op.paddingHeight = (op.kernelHeight - 1) / 2;
        op.paddingWidth = (op.kernelWidth - 1) / 2;
    } else {
        op.paddingHeight = op.paddingWidth = reader.integer("padding", 0, 1024, 0);
    }
}

void readPooling(EntryReader& reader, LayerOp& op) {
    readKernel(reader, op);
    op.stride = reader.integer("stride", 1, 1024, op.kernelHeight);
    op.paddingHeight = op.paddingWidth = reader.integer("padding", 0, 1024, 0);
    op.roundUp = reader.boolean("round_up", false);
}

void readAttention(EntryReader& reader, LayerOp& op) {
    op.heads = reader.integer("heads", 1, 4096);
    op.dropout = reader.boolean("dropout", false);
    if (op.kind == LayerOpKind::RelativeAttention) op.memory = reader.integer("memory", 0, 65536, 0);
}

void readTable(EntryReader& reader, LayerOp& op) {
    op.rows = reader.integer("rows", 1, kMostRows);
    if (op.kind != LayerOpKind::PositionEmbedding) op.outputs = reader.integer("width", 1, kMostUnits);
    if (op.kind == LayerOpKind::Embedding) op.shared = reader.boolean("shared", false);
}

/// Layers whose width is all or most of what they have.
void readWidth(EntryReader& reader, LayerOp& op) {
    switch (op.kind) {
        case LayerOpKind::Dense:
            op.outputs = reader.integer("units", 1, kMostUnits);
            op.bias = reader.boolean("bias", true);
            op.shared = reader.boolean("shared", false);
            break;
        case LayerOpKind::Lstm:
            op.outputs = reader.integer("units", 1, kMostUnits);
            op.bidirectional = reader.boolean("bidirectional", false);
            break;
        case LayerOpKind::AdaptiveAveragePool:
            op.outputs = reader.integer("size", 1, 1024);
            break;
        case LayerOpKind::Subsample:
            op.outputs = reader.integer("channels", 1, kMostUnits);
            op.stride = reader.integer("stride", 1, 1024);
            break;
        case LayerOpKind::Context:
            op.outputs = reader.integer("width", 1, kMostUnits);
            break;
        default:
            break;
    }
}

}  // namespace

const std::vector<std::string_view>& layerOpNames() {
    static const std::vector<std::string_view> names = [] {
        std::vector<std::string_view> all;
        all.reserve(std::size(kKinds) + 6);
        for (const auto& [name, kind] : kKinds) all.push_back(name);
        all.insert(all.end(), {kTable, kCrossAttention, "residual", "branches", "repeat", "block"});
        return all;
    }();
    return names;
}

LayerOp readLayerOp(std::string_view op, EntryReader& reader) {
    LayerOp read;
    read.kind = kindOf(op);
    switch (read.kind) {
        case LayerOpKind::Convolution:
            readConvolution(reader, read);
            break;
        case LayerOpKind::MaxPool:
        case LayerOpKind::AveragePool:
            readPooling(reader, read);
            break;
        case LayerOpKind::SelfAttention:
        case LayerOpKind::RelativeAttention:
            readAttention(reader, read);
            break;
        case LayerOpKind::Embedding:
        case LayerOpKind::PositionEmbedding:
        case LayerOpKind::Table:
            readTable(reader, read);
            break;
        default:
            readWidth(reader, read);
            break;
    }
    return read;
}

}  // namespace lockstep
