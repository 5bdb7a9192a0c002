#include "catalogue/layer_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "catalogue/entry_reader.h"
#include "catalogue/layer_op_reader.h"

namespace lockstep {

namespace {

using Json = nlohmann::json;

constexpr int kMostExpandedLayers = 20000;
constexpr int kMostNesting = 32;
/// Steps of expansion: entries read, and what blocks copy, so that no file keeps the reader busy.
constexpr long long kMostWork = 2'000'000;

bool isWord(std::string_view text) {
    constexpr std::size_t kLongest = 65;
    if (text.size() < 2 || text.size() > kLongest || text[0] != '$') return false;
    return std::all_of(text.begin() + 1, text.end(), [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
}

/// Copies a block with every "$word" replaced by the argument of that name.
struct Substitution {
    const Json& arguments;
    std::string missing;  ///< a word without an argument
    std::string wrong;    ///< a word whose argument is neither a number nor true or false
    long long& work;      ///< what copying cost so far, in pieces of 16 bytes; stops at kMostWork

    Json of(const Json& value) {
        if (++work > kMostWork) return {};
        if (value.is_string()) return ofText(value);
        if (!value.is_structured()) return value;
        Json copy = value.is_array() ? Json::array() : Json::object();
        for (const auto& [key, element] : value.items()) {
            work += static_cast<long long>(key.size() / 16);
            if (work > kMostWork) return {};
            if (value.is_array())
                copy.push_back(of(element));
            else
                copy[key] = of(element);
        }
        return copy;
    }

private:
    Json ofText(const Json& value) {
        const auto& text = value.get_ref<const std::string&>();
        work += static_cast<long long>(text.size() / 16);
        if (!isWord(text)) return value;
        const auto found = arguments.find(text.substr(1));
        if (found == arguments.end()) {
            missing = text.substr(1);
            return value;
        }
        if (found->is_number() || found->is_boolean()) return *found;
        wrong = text.substr(1);
        return value;
    }
};

class Expander {
public:
    Expander(const Json& blocks, LayerList& list) : m_blocks(blocks), m_list(list) {}

    Result<void> layers(const Json& layers, const std::string& where, const std::string& prefix, int depth) {
        if (depth > kMostNesting) return fail(where + ": layers nest deeper than " + std::to_string(kMostNesting));
        if (!layers.is_array()) return fail(where + ": allowed: a list of layers");
        for (std::size_t i = 0; i < layers.size(); ++i) {
            const std::string place = fmt::format("{}[{}]", where, i);
            if (++m_work > kMostWork) return tooMuch(place);
            if (Result<void> done = layer(layers[i], place, prefix, depth); !done) return done;
            if (m_list.ops.size() > kMostExpandedLayers) {
                return fail(fmt::format("{}: more than {} layers", place, kMostExpandedLayers));
            }
        }
        return {};
    }

private:
    static Result<void> tooMuch(const std::string& place) {
        return fail(place + ": blocks and repeats grow too large; allowed: " + std::to_string(kMostWork) + " steps");
    }

    Result<void> layer(const Json& entry, const std::string& where, const std::string& prefix, int depth) {
        EntryReader reader(entry, where);
        const std::string op = reader.choice("op", layerOpNames());
        std::string name = reader.has("name") ? reader.label("name") : "";
        if (reader.failed()) return reader.finish();
        const std::string full = name.empty() ? prefix : (prefix.empty() ? name : prefix + "." + name);
        if (op == "repeat") return repeat(entry, reader, full, depth);
        if (op == "block") return block(entry, reader, full, depth);
        if (op == "residual") return residual(reader, full, depth);
        if (op == "branches") return branches(reader, full, depth);
        const LayerOp read = readLayerOp(op, reader);
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
        const std::string use = reader.label("use");
        const auto found = m_blocks.find(use);
        if (!reader.failed() && found == m_blocks.end()) {
            std::vector<std::string> names;
            for (const auto& [key, value] : m_blocks.items()) names.push_back(key);
            reader.fault("use", use, fmt::format("one of {}", fmt::join(names, ", ")));
        }
        if (reader.failed()) return reader.finish();
        Substitution substitution{.arguments = entry, .missing = {}, .wrong = {}, .work = m_work};
        const Json expanded = substitution.of(*found);
        if (m_work > kMostWork) return tooMuch(reader.where());
        const std::string asks = ", which block " + use + " asks for";
        if (!substitution.missing.empty()) reader.fault(substitution.missing, "missing", "a value" + asks);
        const std::string& wrong = substitution.wrong;
        if (!wrong.empty()) reader.fault(wrong, shownJson(entry[wrong]), "a number, true or false" + asks);
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
    long long m_work = 0;
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
