#include "catalogue/layer_reader.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "catalogue/entry_reader.h"

namespace lockstep {

namespace {

using Json = nlohmann::json;

constexpr int kMostExpandedLayers = 20000;
constexpr int kMostNesting = 32;
constexpr int kMostUnits = 1 << 20;

const std::vector<std::string_view> kOps = {"conv",
                                            "dense",
                                            "max-pool",
                                            "avg-pool",
                                            "adaptive-avg-pool",
                                            "batch-norm",
                                            "layer-norm",
                                            "relu",
                                            "gelu",
                                            "tanh",
                                            "dropout",
                                            "flatten",
                                            "embedding",
                                            "first-token",
                                            "residual",
                                            "branches",
                                            "position-embedding",
                                            "self-attention",
                                            "repeat",
                                            "block"};

/// `value` with every "$word" replaced by the argument of that name; the missing word in `missing`.
Json substituted(const Json& value, const Json& arguments, std::string& missing) {
    if (value.is_string()) {
        const auto& text = value.get_ref<const std::string&>();
        if (text.size() < 2 || text[0] != '$') return value;
        const auto found = arguments.find(text.substr(1));
        if (found != arguments.end()) return *found;
        missing = text.substr(1);
        return value;
    }
    if (!value.is_structured()) return value;
    Json copy = value;
    for (Json& element : copy) element = substituted(element, arguments, missing);
    return copy;
}

class Expander {
public:
    Expander(const Json& blocks, LayerList& list) : m_blocks(blocks), m_list(list) {}

    Result<void> layers(const Json& layers, const std::string& where, const std::string& prefix, int depth) {
        if (depth > kMostNesting) return fail(where + ": layers nest deeper than " + std::to_string(kMostNesting));
        if (!layers.is_array()) return fail(where + ": allowed: a list of layers");
        for (std::size_t i = 0; i < layers.size(); ++i) {
            const std::string place = fmt::format("{}[{}]", where, i);
            if (Result<void> done = layer(layers[i], place, prefix, depth); !done) return done;
            if (m_list.ops.size() > kMostExpandedLayers) {
                return fail(fmt::format("{}: more than {} layers", place, kMostExpandedLayers));
            }
        }
        return {};
    }

private:
    Result<void> layer(const Json& entry, const std::string& where, const std::string& prefix, int depth) {
        EntryReader reader(entry, where);
        const std::string op = reader.choice("op", kOps);
        std::string name = reader.text("name", "");
        if (reader.failed()) return reader.finish();
        const std::string full = name.empty() ? prefix : (prefix.empty() ? name : prefix + "." + name);
        if (op == "repeat") return repeat(entry, reader, full, depth);
        if (op == "block") return block(entry, reader, full, depth);
        if (op == "residual") return residual(reader, full, depth);
        if (op == "branches") return branches(reader, full, depth);
        const LayerOp read = plainLayer(op, reader);
        if (Result<void> done = reader.finish(); !done) return done;
        add(read, name.empty() ? fmt::format("{}{}{}-{}", full, full.empty() ? "" : ".", op, m_list.ops.size()) : full);
        return {};
    }

    Result<void> repeat(const Json& entry, EntryReader& reader, const std::string& prefix, int depth) {
        const int times = reader.integer("times", 1, 1024);
        reader.list("layers");
        if (Result<void> done = reader.finish(); !done) return done;
        for (int i = 0; i < times; ++i) {
            const std::string name = fmt::format("{}{}{}", prefix, prefix.empty() ? "" : ".", i + 1);
            if (Result<void> done = layers(entry["layers"], reader.where() + ".layers", name, depth + 1); !done) {
                return done;
            }
        }
        return {};
    }

    Result<void> block(const Json& entry, EntryReader& reader, const std::string& prefix, int depth) {
        const std::string use = reader.text("use");
        const auto found = m_blocks.find(use);
        if (!reader.failed() && found == m_blocks.end()) {
            std::vector<std::string> names;
            for (const auto& [key, value] : m_blocks.items()) names.push_back(key);
            reader.fault("use", use, fmt::format("one of {}", fmt::join(names, ", ")));
        }
        if (reader.failed()) return reader.finish();
        std::string missing;
        const Json expanded = substituted(*found, entry, missing);
        if (!missing.empty()) reader.fault(missing, "missing", "a value, which block " + use + " asks for");
        if (reader.failed()) return reader.finish();
        return layers(expanded, reader.where() + "." + use, prefix, depth + 1);
    }

    Result<void> residual(EntryReader& reader, const std::string& prefix, int depth) {
        const Json& body = reader.list("body");
        static const Json kIdentity = Json::array();
        const Json& shortcut = reader.has("shortcut") ? reader.list("shortcut") : kIdentity;
        if (Result<void> done = reader.finish(); !done) return done;
        const std::string own = prefix.empty() ? fmt::format("residual-{}", m_list.ops.size()) : prefix;
        addStructure(LayerOpKind::ResidualBegin, own);
        if (Result<void> done = layers(body, reader.where() + ".body", prefix, depth + 1); !done) return done;
        addStructure(LayerOpKind::ShortcutBegin, own);
        const std::string name = own + ".shortcut";
        if (Result<void> done = layers(shortcut, reader.where() + ".shortcut", name, depth + 1); !done) return done;
        addStructure(LayerOpKind::ResidualEnd, own + ".add");
        return {};
    }

    Result<void> branches(EntryReader& reader, const std::string& prefix, int depth) {
        const Json& branches = reader.list("branches");
        if (branches.empty()) reader.fault("branches", "empty", "at least one list of layers");
        if (Result<void> done = reader.finish(); !done) return done;
        const std::string own = prefix.empty() ? fmt::format("branches-{}", m_list.ops.size()) : prefix;
        addStructure(LayerOpKind::BranchesBegin, own);
        for (std::size_t i = 0; i < branches.size(); ++i) {
            const std::string name = fmt::format("{}.branch{}", own, i + 1);
            const std::string where = fmt::format("{}.branches[{}]", reader.where(), i);
            if (Result<void> done = layers(branches[i], where, name, depth + 1); !done) return done;
            addStructure(LayerOpKind::BranchEnd, own);
        }
        addStructure(LayerOpKind::BranchesEnd, own);
        return {};
    }

    LayerOp plainLayer(const std::string& op, EntryReader& reader) {
        if (op == "conv") return convolution(reader);
        if (op == "max-pool") return pooling(reader, LayerOpKind::MaxPool);
        if (op == "avg-pool") return pooling(reader, LayerOpKind::AveragePool);
        LayerOp read;
        if (op == "dense") {
            read.kind = LayerOpKind::Dense;
            read.outputs = reader.integer("units", 1, kMostUnits);
            read.bias = reader.boolean("bias", true);
        } else if (op == "adaptive-avg-pool") {
            read.kind = LayerOpKind::AdaptiveAveragePool;
            read.outputs = reader.integer("size", 1, 1024);
        } else if (op == "embedding") {
            read.kind = LayerOpKind::Embedding;
            read.rows = reader.integer("rows", 1, 1 << 30);
            read.outputs = reader.integer("width", 1, kMostUnits);
        } else if (op == "position-embedding") {
            read.kind = LayerOpKind::PositionEmbedding;
            read.rows = reader.integer("rows", 1, 1 << 30);
        } else if (op == "self-attention") {
            read.kind = LayerOpKind::SelfAttention;
            read.heads = reader.integer("heads", 1, 4096);
            read.dropout = reader.boolean("dropout", false);
        } else {
            read.kind = withoutSettings(op);
        }
        return read;
    }

    static LayerOpKind withoutSettings(std::string_view op) {
        if (op == "batch-norm") return LayerOpKind::BatchNorm;
        if (op == "layer-norm") return LayerOpKind::LayerNorm;
        if (op == "relu") return LayerOpKind::Relu;
        if (op == "gelu") return LayerOpKind::Gelu;
        if (op == "tanh") return LayerOpKind::Tanh;
        if (op == "dropout") return LayerOpKind::Dropout;
        if (op == "first-token") return LayerOpKind::FirstToken;
        return LayerOpKind::Flatten;
    }

    static void kernel(EntryReader& reader, LayerOp& op) {
        constexpr int kLargest = 1024;
        if (!reader.has("kernel") || reader.raw("kernel").is_number()) {
            op.kernelHeight = op.kernelWidth = reader.integer("kernel", 1, kLargest);
            return;
        }
        const Json& sides = reader.list("kernel");
        const auto isSide = [](const Json& side) { return side.is_number_integer() && side >= 1 && side <= kLargest; };
        if (sides.size() != 2 || !isSide(sides[0]) || !isSide(sides[1])) {
            reader.fault("kernel", sides.dump(), "a side, or [height, width], each a whole number in 1..1024");
            return;
        }
        op.kernelHeight = sides[0].get<int>();
        op.kernelWidth = sides[1].get<int>();
    }

    static LayerOp convolution(EntryReader& reader) {
        LayerOp op;
        op.kind = LayerOpKind::Convolution;
        op.outputs = reader.integer("channels", 1, kMostUnits);
        kernel(reader, op);
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
        return op;
    }

    static LayerOp pooling(EntryReader& reader, LayerOpKind kind) {
        LayerOp op;
        op.kind = kind;
        kernel(reader, op);
        op.stride = reader.integer("stride", 1, 1024, op.kernelHeight);
        op.paddingHeight = op.paddingWidth = reader.integer("padding", 0, 1024, 0);
        op.roundUp = reader.boolean("round_up", false);
        return op;
    }

    void addStructure(LayerOpKind kind, const std::string& name) {
        LayerOp op;
        op.kind = kind;
        add(op, name);
    }

    void add(const LayerOp& op, std::string name) {
        m_list.ops.push_back(op);
        m_list.names.push_back(std::move(name));
    }

    const Json& m_blocks;
    LayerList& m_list;
};

}  // namespace

Result<LayerList> readLayers(const Json& layers, const Json& blocks, std::string_view where) {
    LayerList list;
    Expander expander(blocks, list);
    if (Result<void> done = expander.layers(layers, fmt::format("{}: layers", where), "", 0); !done) {
        return tl::unexpected(done.error());
    }
    if (list.ops.empty()) return fail(fmt::format("{}: layers: empty; allowed: at least one layer", where));
    return list;
}

}  // namespace lockstep
