#pragma once

#include <vector>

namespace lockstep::ui {

/// An axis in round steps: `minimum` and `maximum` are multiples of `step`.
struct TickRange {
    double minimum = 0, maximum = 1, step = 0.2;
    bool operator==(const TickRange&) const = default;
};

/// The smallest of 1, 2, 2.5, 5 times a power of ten that is at least `value`. `value` > 0.
[[nodiscard]] double roundStep(double value);
/// The range in round steps that holds [low, high] with at most `maxTicks` (>= 2) ticks. Takes any finite numbers:
/// equal ones get a range around them; what is not finite is 0.
[[nodiscard]] TickRange roundRange(double low, double high, int maxTicks);
/// Multiples of a round step within [low, high], at most `maxTicks`, without widening the range (a zoomed axis).
[[nodiscard]] std::vector<double> ticksWithin(double low, double high, int maxTicks);
/// The step that ticksWithin uses.
[[nodiscard]] double stepWithin(double low, double high, int maxTicks);

}  // namespace lockstep::ui
