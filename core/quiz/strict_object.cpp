#include "quiz/strict_object.h"

#include <algorithm>

namespace lockstep {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxIdLength = 64;

std::size_t codePoints(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

bool isIdCharacter(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; }

const json& emptyList() {
    static const json kEmpty = json::array();
    return kEmpty;
}

}  // namespace

StrictObject::StrictObject(const json& value, std::string where) : m_object(value), m_where(std::move(where)) {
    if (!value.is_object()) m_fault = fmt::format("{}: is {}; allowed: an object", m_where, shownJson(value));
}

bool StrictObject::has(const char* key) const { return m_object.is_object() && m_object.contains(key); }

const json* StrictObject::find(const char* key, std::string_view allowed) {
    m_known.insert(key);
    if (failed()) return nullptr;
    const auto found = m_object.find(key);
    if (found != m_object.end()) return &*found;
    fault(key, "missing", allowed);
    return nullptr;
}

void StrictObject::fault(std::string_view key, std::string_view found, std::string_view allowed) {
    if (!failed()) m_fault = fmt::format("{}: {}: {}; allowed: {}", m_where, key, found, allowed);
}

std::string StrictObject::checkedText(std::string_view key, const json& value, std::size_t minimum,
                                      std::size_t maximum) {
    const std::string allowed = fmt::format("text of {} to {} characters on one line", minimum, maximum);
    if (!value.is_string()) {
        fault(key, shownJson(value), allowed);
        return {};
    }
    const std::string& text = value.get_ref<const std::string&>();
    const std::size_t length = codePoints(text);
    const bool hasControl =
        std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; });
    const bool isBlank = minimum > 0 && text.find_first_not_of(' ') == std::string::npos;
    if (length >= minimum && length <= maximum && !hasControl && !isBlank) return text;
    fault(key, fmt::format("{} ({} characters)", shownJson(value), length), allowed);
    return {};
}

std::string StrictObject::text(const char* key, std::size_t minimum, std::size_t maximum) {
    const json* value = find(key, "text");
    return value == nullptr ? std::string() : checkedText(key, *value, minimum, maximum);
}

std::string StrictObject::checkedId(std::string_view key, const json& value) {
    if (value.is_string()) {
        const std::string& text = value.get_ref<const std::string&>();
        if (!text.empty() && text.size() <= kMaxIdLength && std::all_of(text.begin(), text.end(), isIdCharacter))
            return text;
    }
    fault(key, shownJson(value), "an id of 1 to 64 characters out of a-z, 0-9 and '-'");
    return {};
}

std::string StrictObject::id(const char* key) {
    const json* value = find(key, "an id");
    return value == nullptr ? std::string() : checkedId(key, *value);
}

long long StrictObject::integer(const char* key, long long minimum, long long maximum) {
    const std::string allowed = fmt::format("a whole number from {} to {}", minimum, maximum);
    const json* value = find(key, allowed);
    if (value == nullptr) return minimum;
    // Unsigned numbers past the signed range would turn negative below.
    const bool fits =
        value->is_number_integer() && (!value->is_number_unsigned() || value->get<std::uint64_t>() <= INT64_MAX);
    if (fits && value->get<long long>() >= minimum && value->get<long long>() <= maximum)
        return value->get<long long>();
    fault(key, shownJson(*value), allowed);
    return minimum;
}

std::uint64_t StrictObject::seed(const char* key) {
    constexpr std::string_view kAllowed = "a whole number from 0 to 18446744073709551615";
    const json* value = find(key, kAllowed);
    if (value == nullptr) return 0;
    if (value->is_number_unsigned()) return value->get<std::uint64_t>();
    fault(key, shownJson(*value), kAllowed);
    return 0;
}

bool StrictObject::boolean(const char* key) {
    const json* value = find(key, "true or false");
    if (value == nullptr) return false;
    if (!value->is_boolean()) fault(key, shownJson(*value), "true or false");
    return value->is_boolean() && value->get<bool>();
}

const json& StrictObject::list(const char* key, std::size_t minimum, std::size_t maximum) {
    const std::string allowed = minimum == maximum ? fmt::format("a list of {} entries", minimum)
                                                   : fmt::format("a list of {} to {} entries", minimum, maximum);
    const json* value = find(key, allowed);
    if (value == nullptr) return emptyList();
    if (value->is_array() && value->size() >= minimum && value->size() <= maximum) return *value;
    fault(key, value->is_array() ? fmt::format("{} entries", value->size()) : shownJson(*value), allowed);
    return emptyList();
}

std::vector<std::string> StrictObject::texts(const char* key, std::size_t count, std::size_t maximumLength) {
    std::vector<std::string> result;
    for (const json& entry : list(key, count, count)) result.push_back(checkedText(key, entry, 1, maximumLength));
    result.resize(count);
    return result;
}

std::vector<std::string> StrictObject::ids(const char* key, std::size_t minimum, std::size_t maximum) {
    std::vector<std::string> result;
    for (const json& entry : list(key, minimum, maximum)) {
        std::string one = checkedId(key, entry);
        if (std::find(result.begin(), result.end(), one) != result.end()) fault(key, shownJson(entry), "each id once");
        result.push_back(std::move(one));
    }
    result.resize(std::max(result.size(), minimum));
    return result;
}

std::vector<std::size_t> StrictObject::indices(const char* key, std::size_t maximum) {
    std::vector<std::size_t> result;
    for (const json& entry : list(key, 0, maximum + 1)) {
        const bool fits = entry.is_number_unsigned() && entry.get<std::uint64_t>() <= maximum &&
                          (result.empty() || entry.get<std::size_t>() > result.back());
        if (!fits) fault(key, shownJson(entry), fmt::format("ascending whole numbers from 0 to {}", maximum));
        if (failed()) return {};
        result.push_back(entry.get<std::size_t>());
    }
    return result;
}

Result<void> StrictObject::finish() {
    if (!failed())
        for (const auto& [key, value] : m_object.items())
            if (!m_known.contains(key)) {
                fault(shownJson(key), "unknown key", fmt::format("{}", fmt::join(m_known, ", ")));
                break;
            }
    if (failed()) return fail(m_fault);
    return {};
}

}  // namespace lockstep
