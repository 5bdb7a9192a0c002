#include "base/format.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdlib>

namespace lockstep {
namespace {

constexpr std::array<const char*, 7> kLargePrefixes = {"", "k", "M", "G", "T", "P", "E"};

double roundedTo(double value, int digits) {
    return value == 0 || !std::isfinite(value)
               ? value
               : std::strtod(fmt::format("{:.{}e}", value, digits - 1).c_str(), nullptr);
}

std::string withSeparators(std::string digits) {
    for (auto at = static_cast<long>(digits.size()) - 3; at > 0; at -= 3) digits.insert(static_cast<size_t>(at), ",");
    return digits;
}

/// `joined`: the prefix belongs to the unit ("Gbit/s"); otherwise it stands apart ("1.23 M images/s").
std::string withLargePrefix(double value, std::string_view unit, bool joined) {
    const double from = joined ? 1000 : 1e6;
    double rounded = roundedTo(value, 3);
    size_t prefix = 0;
    if (std::fabs(rounded) >= from)
        while (std::fabs(rounded) >= 1000 && prefix + 1 < kLargePrefixes.size()) rounded /= 1000, ++prefix;
    return fmt::format("{} {}{}{}", formatNumber(rounded), kLargePrefixes[prefix], joined || prefix == 0 ? "" : " ",
                       unit);
}

std::string formatTime(double seconds) {
    struct Scale {
        double from, unit;
        const char* name;
    };
    constexpr std::array<Scale, 8> kScales = {{{2 * 365.25 * 86400, 365.25 * 86400, "years"},
                                               {2 * 86400.0, 86400, "d"},
                                               {2 * 3600.0, 3600, "h"},
                                               {120, 60, "min"},
                                               {1, 1, "s"},
                                               {1e-3, 1e-3, "ms"},
                                               {1e-6, 1e-6, "µs"},
                                               {0, 1e-9, "ns"}}};
    if (seconds == 0) return "0 s";
    const double rounded = roundedTo(seconds, 3);
    for (const Scale& scale : kScales)
        if (std::fabs(rounded) >= scale.from) return formatNumber(rounded / scale.unit) + " " + scale.name;
    return formatNumber(seconds) + " s";
}

bool takesDecimalPrefix(std::string_view unit) {
    return unit == "bit/s" || unit == "B" || unit == "B/s" || unit == "FLOP/s" || unit == "FLOP" || unit == "Hz";
}

}  // namespace

std::string formatNumber(double value, int digits) {
    if (std::isnan(value)) return "–";
    if (std::isinf(value)) return value < 0 ? "-∞" : "∞";
    if (value < 0) return "-" + formatNumber(-value, digits);
    const double rounded = roundedTo(value, digits);
    if (rounded == 0) return "0";
    if (rounded >= 1e15 || rounded < 1e-6) return fmt::format("{:.{}g}", rounded, digits);
    if (rounded >= 1000) return withSeparators(fmt::format("{:.0f}", rounded));
    const int magnitude = static_cast<int>(std::floor(std::log10(rounded) + 1e-12));
    std::string text = fmt::format("{:.{}f}", rounded, std::max(0, digits - 1 - magnitude));
    if (text.find('.') != std::string::npos) {
        text.erase(text.find_last_not_of('0') + 1);
        if (text.back() == '.') text.pop_back();
    }
    return text;
}

std::string formatQuantity(double value, std::string_view unit) {
    if (!std::isfinite(value)) return formatNumber(value);
    if (unit == "s") return formatTime(value);
    if (unit == "%") return formatNumber(value * 100) + " %";
    if (unit.empty()) return formatNumber(value);
    return withLargePrefix(value, unit, takesDecimalPrefix(unit));
}

}  // namespace lockstep
