#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "base/format.h"

namespace lockstep {
namespace {

std::string withoutSpaces(std::string_view text) {
    std::string kept;
    for (const char c : text)
        if (c != ' ' && c != '\t' && c != '_') kept += c;
    return kept;
}

std::string_view exampleFor(std::string_view unit) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kExamples = {{{"bit/s", "10 Gbit/s"},
                                                                                         {"B", "25 MB or 25 MiB"},
                                                                                         {"B/s", "3 GB/s"},
                                                                                         {"s", "5 µs"},
                                                                                         {"%", "41 %"},
                                                                                         {"px", "224 px"}}};
    for (const auto& [name, example] : kExamples)
        if (name == unit) return example;
    return "12 or 1e-3";
}

std::optional<double> prefixFactor(std::string_view prefix) {
    constexpr std::array<std::pair<std::string_view, double>, 18> kPrefixes = {{{"", 1},
                                                                                {"k", 1e3},
                                                                                {"K", 1e3},
                                                                                {"M", 1e6},
                                                                                {"G", 1e9},
                                                                                {"T", 1e12},
                                                                                {"P", 1e15},
                                                                                {"m", 1e-3},
                                                                                {"u", 1e-6},
                                                                                {"µ", 1e-6},
                                                                                {"μ", 1e-6},
                                                                                {"n", 1e-9},
                                                                                {"Ki", 1024.0},
                                                                                {"Mi", 1048576.0},
                                                                                {"Gi", 1073741824.0},
                                                                                {"Ti", 1099511627776.0},
                                                                                {"g", 1e9},
                                                                                {"t", 1e12}}};
    for (const auto& [name, factor] : kPrefixes)
        if (name == prefix) return factor;
    return std::nullopt;
}

std::optional<double> timeFactor(std::string_view name) {
    constexpr std::array<std::pair<std::string_view, double>, 6> kTimes = {
        {{"min", 60}, {"h", 3600}, {"d", 86400}, {"day", 86400}, {"days", 86400}, {"years", 365.25 * 86400}}};
    for (const auto& [known, factor] : kTimes)
        if (known == name) return factor;
    return std::nullopt;
}

/// What `suffix` multiplies a number of `unit` by; empty when it is not one of the unit's spellings.
std::optional<double> suffixFactor(std::string_view suffix, std::string_view unit) {
    if (unit == "%") return suffix == "%" ? 0.01 : suffix.empty() ? std::optional(1.0) : std::nullopt;
    if (unit == "s")
        if (const auto factor = timeFactor(suffix)) return factor;
    if (unit == "bit/s" && (suffix.ends_with("bps") || suffix.ends_with("b/s")))
        return prefixFactor(suffix.substr(0, suffix.size() - 3));
    if (!unit.empty() && suffix.ends_with(unit)) suffix.remove_suffix(unit.size());
    return prefixFactor(suffix);
}

}  // namespace

Result<double> parseQuantity(std::string_view text, std::string_view unit) {
    std::string compact = withoutSpaces(text);
    std::erase(compact, ',');
    double number = 0;
    const char* const end = compact.data() + compact.size();
    const auto read = std::from_chars(compact.data() + (compact.starts_with('+') ? 1 : 0), end, number);
    const std::string_view suffix(read.ptr, static_cast<size_t>(end - read.ptr));
    const auto factor = read.ec == std::errc{} ? suffixFactor(suffix, unit) : std::nullopt;
    if (!factor || !std::isfinite(number))
        return fail(fmt::format("'{}' is not understood; write a number with its unit, for example {}", text,
                                exampleFor(unit)));
    return number * *factor;
}

}  // namespace lockstep
