#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_text.h"
#include "base/result.h"

namespace lockstep {

/// Reads the keys of one JSON object of a quiz file. The first fault is kept and all after it reads as empty, so that a
/// caller reads all keys in a row and asks once, with finish().
class StrictObject {
public:
    /// `where` names file and entry in messages; `value` must outlive this.
    StrictObject(const nlohmann::json& value, std::string where);

    /// Text without control characters, of minimum..maximum code points.
    std::string text(const char* key, std::size_t minimum, std::size_t maximum);
    /// An id: 1 to 64 of a-z, 0-9 and '-'.
    std::string id(const char* key);
    long long integer(const char* key, long long minimum, long long maximum);
    /// Between 0 and 2^64 - 1.
    std::uint64_t seed(const char* key);
    bool boolean(const char* key);
    /// A list of minimum..maximum entries; an empty one after a fault.
    const nlohmann::json& list(const char* key, std::size_t minimum, std::size_t maximum);
    std::vector<std::string> texts(const char* key, std::size_t count, std::size_t maximumLength);
    /// Different ids, at most `maximum`.
    std::vector<std::string> ids(const char* key, std::size_t minimum, std::size_t maximum);
    /// Different integers within minimum..maximum, ascending.
    std::vector<std::size_t> indices(const char* key, std::size_t maximum);
    [[nodiscard]] bool has(const char* key) const;

    void fault(std::string_view key, std::string_view found, std::string_view allowed);
    [[nodiscard]] bool failed() const { return !m_fault.empty(); }
    [[nodiscard]] const std::string& where() const { return m_where; }
    /// The first fault, or one about a key that nobody asked for.
    [[nodiscard]] Result<void> finish();

private:
    const nlohmann::json* find(const char* key, std::string_view allowed);
    /// Empty, and a fault, when `value` is not such a text.
    std::string checkedText(std::string_view key, const nlohmann::json& value, std::size_t minimum,
                            std::size_t maximum);
    std::string checkedId(std::string_view key, const nlohmann::json& value);

    const nlohmann::json& m_object;
    std::string m_where;
    std::string m_fault;
    std::set<std::string, std::less<>> m_known;
};

}  // namespace lockstep
