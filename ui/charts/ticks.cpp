#include "charts/ticks.h"

#include <algorithm>
#include <cmath>

namespace lockstep::ui {

double roundStep(double value) {
    const double power = std::pow(10.0, std::floor(std::log10(value)));
    for (const double factor : {1.0, 2.0, 2.5, 5.0})
        if (factor * power >= value * (1 - 1e-9)) return factor * power;
    return 10 * power;
}

TickRange roundRange(double low, double high, int maxTicks) {
    if (!std::isfinite(low)) low = 0;
    if (!std::isfinite(high)) high = low;
    if (high < low) std::swap(low, high);
    if (high - low <= std::abs(high) * 1e-12) high = low + (low == 0 ? 1 : std::abs(low) * 0.1);
    TickRange range;
    range.step = roundStep((high - low) / std::max(1, maxTicks - 1));
    // Widening to multiples can add a tick at either end; then the next round step holds it.
    for (;;) {
        range.minimum = std::floor(low / range.step + 1e-9) * range.step;
        range.maximum = std::ceil(high / range.step - 1e-9) * range.step;
        if ((range.maximum - range.minimum) / range.step <= std::max(1, maxTicks - 1) + 1e-6) return range;
        range.step = roundStep(range.step * 1.01);
    }
}

double stepWithin(double low, double high, int maxTicks) {
    return high > low ? roundStep((high - low) / std::max(1, maxTicks)) : 1;
}

std::vector<double> ticksWithin(double low, double high, int maxTicks) {
    std::vector<double> ticks;
    if (!(high > low)) return ticks;
    const double step = stepWithin(low, high, maxTicks);
    const double slack = step * 1e-9;
    for (double k = std::ceil((low - slack) / step); k * step <= high + slack; ++k) ticks.push_back(k * step);
    if (static_cast<int>(ticks.size()) > maxTicks) ticks.pop_back();
    return ticks;
}

}  // namespace lockstep::ui
