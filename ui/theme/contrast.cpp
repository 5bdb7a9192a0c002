#include "theme/contrast.h"

#include <algorithm>
#include <cmath>

#include "theme/theme.h"

namespace lockstep::ui {
namespace {

double linear(float channel) {
    const double value = channel;
    return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

}  // namespace

double relativeLuminance(const QColor& colour) {
    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) + 0.0722 * linear(colour.blueF());
}

double contrastRatio(const QColor& one, const QColor& other) {
    const double a = relativeLuminance(one), b = relativeLuminance(other);
    return (std::max(a, b) + 0.05) / (std::min(a, b) + 0.05);
}

QColor withContrast(const QColor& colour, const QColor& background, double ratio) {
    const QColor pole = Colours::readableOn(background);
    for (int step = 0; step <= 50; ++step) {
        const QColor candidate = Colours::blend(pole, colour, step / 50.0);
        if (contrastRatio(candidate, background) >= ratio) return candidate;
    }
    return pole;
}

}  // namespace lockstep::ui
