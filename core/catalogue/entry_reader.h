#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalogue/source.h"

namespace lockstep {

/// Reads the keys of one JSON object strictly: wrong types, values out of range, missing and unknown keys become one
/// line "WHERE: KEY: ... ; allowed: ...". The first fault is kept and everything after it reads as a default, so that a
/// caller reads all keys in a row and asks once, with finish().
class EntryReader {
public:
    /// `where` names the file and the entry: "catalogue/devices.json: v100".
    EntryReader(const nlohmann::json& object, std::string where);

    [[nodiscard]] bool has(const char* key) const;
    /// The value as written, which must be there; says nothing about whether it is allowed.
    [[nodiscard]] const nlohmann::json& raw(const char* key) const { return *m_object.find(key); }
    /// A text on one line of at most 2,000 bytes. Required unless a fallback is given.
    std::string text(const char* key);
    std::string text(const char* key, std::string fallback);
    /// What an entry is found by: at most 64 lower-case letters, digits, '-', '.' and '_'. Required.
    std::string identifier(const char* key);
    /// A text of at most 64 bytes. Required.
    std::string label(const char* key);
    /// A number in [minimum, maximum].
    double number(const char* key, double minimum, double maximum);
    double number(const char* key, double minimum, double maximum, double fallback);
    int integer(const char* key, int minimum, int maximum);
    int integer(const char* key, int minimum, int maximum, int fallback);
    bool boolean(const char* key, bool fallback);
    /// One of `choices`.
    std::string choice(const char* key, const std::vector<std::string_view>& choices);
    /// A JSON list; required.
    const nlohmann::json& list(const char* key);
    /// A JSON object; required.
    const nlohmann::json& object(const char* key);
    /// At least one {"text", "url"} under "sources".
    std::vector<Source> sources();
    void fault(std::string_view key, std::string_view value, std::string_view allowed);
    [[nodiscard]] const std::string& where() const { return m_where; }
    [[nodiscard]] bool failed() const { return !m_fault.empty(); }
    /// The first fault, or one about a key that nobody asked for.
    [[nodiscard]] Result<void> finish();

private:
    const nlohmann::json* find(const char* key, bool required, std::string_view allowed);
    std::string shortText(const char* key, std::size_t longest);

    const nlohmann::json& m_object;
    std::string m_where;
    std::string m_fault;
    std::set<std::string, std::less<>> m_known;
};

}  // namespace lockstep
