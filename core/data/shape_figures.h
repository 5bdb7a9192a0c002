#pragma once

#include <algorithm>
#include <cmath>

namespace lockstep::figures {

/// Figures as signed distances (about: exact near edges) in their own coordinates, negative inside, within a circle of
/// radius 1 about the origin. Only exactly rounded operations occur, so every platform gets the same bits.
struct Point {
    double x, y;
};

inline double circle(Point p, double radius) { return std::sqrt(p.x * p.x + p.y * p.y) - radius; }
inline double box(Point p, double halfWidth, double halfHeight) {
    return std::max(std::abs(p.x) - halfWidth, std::abs(p.y) - halfHeight);
}

/// Distance to stripes of equal width and gap, `period` apart.
inline double stripesAlong(double x, double period) {
    const double phase = x / period - std::floor(x / period);
    return (std::abs(phase - 0.5) - 0.25) * period;
}

inline double disc(Point p, double) { return circle(p, 0.9); }
inline double ring(Point p, double variation) { return std::max(circle(p, 0.9), -circle(p, 0.35 + 0.15 * variation)); }
inline double square(Point p, double) { return box(p, 0.78, 0.78); }
inline double frame(Point p, double variation) {
    const double hole = 0.3 + 0.15 * variation;
    return std::max(box(p, 0.78, 0.78), -box(p, hole, hole));
}
inline double triangle(Point p, double) {
    constexpr double kHalfRoot3 = 0.86602540378443865, kInner = 0.5;
    return std::max(p.y, std::max(kHalfRoot3 * p.x, -kHalfRoot3 * p.x) - 0.5 * p.y) - kInner;
}
inline double star(Point p, double) { return std::min(triangle(p, 0), triangle({p.x, -p.y}, 0)); }
inline double cross(Point p, double variation) {
    const double half = 0.22 + 0.12 * variation;
    return std::min(box(p, 0.95, half), box(p, half, 0.95));
}
inline double crescent(Point p, double variation) {
    return std::max(circle(p, 0.95), -circle({p.x - 0.55 - 0.15 * variation, p.y}, 0.8));
}
inline double stripes(Point p, double variation) {
    return std::max(circle(p, 0.95), stripesAlong(p.x, 0.42 + 0.1 * variation));
}
inline double checks(Point p, double variation) {
    const double period = 0.5 + 0.1 * variation;
    const double a = stripesAlong(p.x, period), b = stripesAlong(p.y, period);
    return std::max(circle(p, 0.95), std::max(std::min(a, b), -std::max(a, b)));
}

}  // namespace lockstep::figures
