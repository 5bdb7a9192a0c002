#pragma once

#include <QString>

namespace lockstep::ui {

/// Numbers as people read them: three significant digits, in the user's locale.

/// 412, 0.0621, 1,240 (whole numbers from 1,000 on keep all their digits up to a million).
[[nodiscard]] QString numberText(double value);
/// What is known to three digits only, a rate or a time: 31,024.7 is 31,000.
[[nodiscard]] QString roundedText(double value);
/// With an SI prefix: siText(2.5e9, "bit/s") is "2.50 Gbit/s"; trailing zeros go: "2.5 Gbit/s". Empty unit: "2.5 G".
[[nodiscard]] QString siText(double value, const QString& unit);
/// "327 ms", "1.2 s", "4.1 µs", "3.2 min", "5.4 h".
[[nodiscard]] QString durationText(double seconds);
/// For an axis: as short as `step` allows ("0.25", "4k", "1.5M").
[[nodiscard]] QString tickText(double value, double step);
/// 0.862 -> "86.2 %".
[[nodiscard]] QString percentText(double fraction);

}  // namespace lockstep::ui
