#include "base/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace lockstep {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxShown = 60;

/// Nesting of the text's brackets outside its strings; for broken text no less than what a parser would reach.
bool isTooDeep(std::string_view text) {
    int depth = 0;
    bool inString = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (inString) {
            if (c == '\\') ++i;
            if (c == '"') inString = false;
        } else if (c == '"') {
            inString = true;
        } else if (c == '[' || c == '{') {
            if (++depth > kMaxJsonDepth) return true;
        } else if (c == ']' || c == '}') {
            --depth;
        }
    }
    return false;
}

/// Notes the first key that an object holds twice: which of the two was meant nobody can know.
class DuplicateKeys {
public:
    bool operator()(int depth, json::parse_event_t event, json& parsed) {
        if (event == json::parse_event_t::object_start) m_keys.resize(static_cast<std::size_t>(depth) + 1);
        if (event == json::parse_event_t::object_start) m_keys.back().clear();
        if (event == json::parse_event_t::key) {
            m_keys.resize(static_cast<std::size_t>(depth));
            const bool isNew = m_keys.back().insert(parsed.get<std::string>()).second;
            if (!isNew && m_first.empty()) m_first = parsed.get<std::string>();
        }
        return true;
    }
    [[nodiscard]] const std::string& first() const { return m_first; }

private:
    std::vector<std::set<std::string>> m_keys;  ///< of the objects around the present place
    std::string m_first;
};

}  // namespace

Result<json> parseJson(std::string_view text, std::string_view where) {
    if (isTooDeep(text)) return fail(fmt::format("{}: nested deeper than the {} levels allowed", where, kMaxJsonDepth));
    try {
        DuplicateKeys duplicates;
        json parsed = json::parse(text, std::ref(duplicates));
        if (!duplicates.first().empty())
            return fail(fmt::format("{}: the key \"{}\" is there twice", where, duplicates.first()));
        return parsed;
    } catch (const json::exception& exception) {
        std::string reason = exception.what();
        if (const std::size_t bracket = reason.find("] "); bracket != std::string::npos)
            reason = reason.substr(bracket + 2);
        std::replace_if(
            reason.begin(), reason.end(), [](unsigned char c) { return c < ' ' || c >= 0x7f; }, ' ');
        return fail(fmt::format("{}: not JSON: {}", where, reason));
    }
}

std::string shownJson(const json& value) {
    std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
    if (text.size() <= kMaxShown) return text;
    std::size_t end = kMaxShown;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    return text.substr(0, end) + "...";
}

}  // namespace lockstep
