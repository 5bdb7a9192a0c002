#include "catalogue/entry_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/json_text.h"

namespace lockstep {

namespace {

const nlohmann::json kEmptyObject = nlohmann::json::object();
const nlohmann::json kEmptyList = nlohmann::json::array();

constexpr std::size_t kLongestText = 2000;
constexpr std::size_t kLongestLabel = 64;

bool isControl(char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; }

/// A key that nobody knows: as written where it is plain, quoted and shortened otherwise.
std::string shownKey(const std::string& key) {
    const bool isPlain = key.size() <= kLongestLabel && std::none_of(key.begin(), key.end(), isControl);
    return isPlain ? key : shownJson(nlohmann::json(key));
}

bool isOfIdentifier(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
}

std::string range(double minimum, double maximum) { return fmt::format("a number in {:g}..{:g}", minimum, maximum); }
std::string range(int minimum, int maximum) { return fmt::format("a whole number in {}..{}", minimum, maximum); }

}  // namespace

EntryReader::EntryReader(const nlohmann::json& object, std::string where)
    : m_object(object.is_object() ? object : kEmptyObject), m_where(std::move(where)) {
    if (!object.is_object()) m_fault = fmt::format("{}: {}; allowed: an object", m_where, shownJson(object));
}

bool EntryReader::has(const char* key) const { return m_object.contains(key); }

const nlohmann::json* EntryReader::find(const char* key, bool required, std::string_view allowed) {
    m_known.insert(key);
    const auto found = m_object.find(key);
    if (found != m_object.end()) return &*found;
    if (required) fault(key, "missing", allowed);
    return nullptr;
}

void EntryReader::fault(std::string_view key, std::string_view value, std::string_view allowed) {
    if (m_fault.empty()) m_fault = fmt::format("{}: {}: {}; allowed: {}", m_where, key, value, allowed);
}

std::string EntryReader::shortText(const char* key, std::size_t longest) {
    const nlohmann::json* value = find(key, true, "a text");
    if (value == nullptr) return {};
    if (value->is_string()) {
        const auto& read = value->get_ref<const std::string&>();
        const bool isOneLine = std::none_of(read.begin(), read.end(), isControl);
        if (!read.empty() && read.size() <= longest && isOneLine) return read;
    }
    fault(key, shownJson(*value), fmt::format("a text on one line that is not empty, of at most {} bytes", longest));
    return {};
}

std::string EntryReader::text(const char* key) { return shortText(key, kLongestText); }

std::string EntryReader::label(const char* key) { return shortText(key, kLongestLabel); }

std::string EntryReader::identifier(const char* key) {
    std::string read = shortText(key, kLongestLabel);
    if (std::all_of(read.begin(), read.end(), isOfIdentifier)) return read;
    fault(key, shownJson(*find(key, true, "")), "lower-case letters, digits, '-', '.' and '_'");
    return {};
}

std::string EntryReader::text(const char* key, std::string fallback) {
    if (find(key, false, "") == nullptr) return fallback;
    return text(key);
}

double EntryReader::number(const char* key, double minimum, double maximum) {
    const nlohmann::json* value = find(key, true, range(minimum, maximum));
    if (value == nullptr) return minimum;
    if (value->is_number()) {
        const double read = value->get<double>();
        if (std::isfinite(read) && read >= minimum && read <= maximum) return read;
    }
    fault(key, shownJson(*value), range(minimum, maximum));
    return minimum;
}

double EntryReader::number(const char* key, double minimum, double maximum, double fallback) {
    if (find(key, false, "") == nullptr) return fallback;
    return number(key, minimum, maximum);
}

int EntryReader::integer(const char* key, int minimum, int maximum) {
    const nlohmann::json* value = find(key, true, range(minimum, maximum));
    if (value == nullptr) return minimum;
    if (value->is_number_integer()) {
        const auto read = value->get<double>();
        if (read >= minimum && read <= maximum) return value->get<int>();
    }
    fault(key, shownJson(*value), range(minimum, maximum));
    return minimum;
}

int EntryReader::integer(const char* key, int minimum, int maximum, int fallback) {
    if (find(key, false, "") == nullptr) return fallback;
    return integer(key, minimum, maximum);
}

bool EntryReader::boolean(const char* key, bool fallback) {
    const nlohmann::json* value = find(key, false, "");
    if (value == nullptr) return fallback;
    if (value->is_boolean()) return value->get<bool>();
    fault(key, shownJson(*value), "true or false");
    return fallback;
}

std::string EntryReader::choice(const char* key, const std::vector<std::string_view>& choices) {
    const std::string allowed = fmt::format("one of {}", fmt::join(choices, ", "));
    const nlohmann::json* value = find(key, true, allowed);
    if (value == nullptr) return {};
    if (value->is_string()) {
        const auto& read = value->get_ref<const std::string&>();
        if (std::find(choices.begin(), choices.end(), read) != choices.end()) return read;
    }
    fault(key, shownJson(*value), allowed);
    return {};
}

const nlohmann::json& EntryReader::list(const char* key) {
    const nlohmann::json* value = find(key, true, "a list");
    if (value == nullptr) return kEmptyList;
    if (value->is_array()) return *value;
    fault(key, shownJson(*value), "a list");
    return kEmptyList;
}

const nlohmann::json& EntryReader::object(const char* key) {
    const nlohmann::json* value = find(key, true, "an object");
    if (value == nullptr) return kEmptyObject;
    if (value->is_object()) return *value;
    fault(key, shownJson(*value), "an object");
    return kEmptyObject;
}

std::vector<Source> EntryReader::sources() {
    std::vector<Source> read;
    for (const nlohmann::json& entry : list("sources")) {
        EntryReader source(entry, m_where + ": sources");
        read.push_back({source.text("text"), source.text("url", "")});
        if (Result<void> done = source.finish(); !done && m_fault.empty()) m_fault = done.error().message;
    }
    if (read.empty()) fault("sources", "empty", "at least one {\"text\": ..., \"url\": ...}");
    return read;
}

Result<void> EntryReader::finish() {
    for (const auto& [key, value] : m_object.items()) {
        if (m_known.count(key) == 0) fault(shownKey(key), "unknown key", fmt::format("{}", fmt::join(m_known, ", ")));
    }
    if (failed()) return fail(m_fault);
    return {};
}

}  // namespace lockstep
