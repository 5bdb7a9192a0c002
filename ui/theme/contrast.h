#pragma once

#include <QColor>

namespace lockstep::ui {

/// Relative luminance of an sRGB colour, 0 (black) to 1 (white). WCAG 2.1, "relative luminance".
[[nodiscard]] double relativeLuminance(const QColor& colour);

/// WCAG 2.1 contrast ratio, 1 (equal) to 21 (black on white); the order of the two does not matter.
[[nodiscard]] double contrastRatio(const QColor& one, const QColor& other);

/// `colour`, moved towards black or white (whichever is farther from `background`) only as far as it takes to reach
/// `ratio` on `background`. Hue is kept as well as that allows.
[[nodiscard]] QColor withContrast(const QColor& colour, const QColor& background, double ratio);

}  // namespace lockstep::ui
