#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace lockstep {

/// At most `digits` significant digits, without trailing zeros, thousands separated by commas: 412, 0.62, 12,300.
/// Not a number is "–", infinite "∞".
[[nodiscard]] std::string formatNumber(double value, int digits = 3);

/// A quantity as a person reads it, three significant digits and the fitting prefix. By unit:
///   "s"                        "0.62 s" is written "620 ms"; µs below 1 ms; min, h, d, years from two minutes on
///   "bit/s" "B" "B/s" "FLOP/s" "FLOP" decimal prefixes: "10 Gbit/s", "9.8 GB" (1 GB = 1e9 B)
///   "%"                        a fraction: 0.41 is "41 %"
///   ""                         a plain count
///   anything else              the number, from a million on with M, G, ...: "412 images/s", "1.23 M images/s"
[[nodiscard]] std::string formatQuantity(double value, std::string_view unit);

/// Reads what a person types for a quantity of `unit`: "10 Gbit/s", "10G", "5 µs", "5us", "12,300", "25 MiB", "41 %".
/// A number without a unit counts in `unit` itself. Fails with one line that shows an example.
[[nodiscard]] Result<double> parseQuantity(std::string_view text, std::string_view unit);

}  // namespace lockstep
