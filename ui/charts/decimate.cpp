#include "charts/decimate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace lockstep::ui {
namespace {

/// What one column keeps, as indices into the points.
struct Column {
    size_t first = 0, lowest = 0, highest = 0, last = 0, gap = 0;
    bool any = false, hasGap = false;
};

void flush(const Column& column, const std::vector<QPointF>& points, std::vector<QPointF>& out) {
    std::array<size_t, 5> kept{};
    size_t count = 0;
    if (column.any) kept = {column.first, column.lowest, column.highest, column.last, 0}, count = 4;
    if (column.hasGap) kept[count++] = column.gap;
    std::sort(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(count));
    const auto end = std::unique(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(count));
    for (auto i = kept.begin(); i != end; ++i) out.push_back(points[*i]);
}

}  // namespace

std::vector<QPointF> decimate(const std::vector<QPointF>& points, double xLow, double xHigh, int columns) {
    std::vector<QPointF> out;
    if (points.empty() || columns < 1 || !(xHigh > xLow)) return out;
    const auto byX = [](const QPointF& p, double x) { return p.x() < x; };
    auto begin = std::lower_bound(points.begin(), points.end(), xLow, byX);
    auto end =
        std::upper_bound(points.begin(), points.end(), xHigh, [](double x, const QPointF& p) { return x < p.x(); });
    if (begin != points.begin()) --begin;
    if (end != points.end()) ++end;
    if (end - begin <= 2 * columns) return {begin, end};

    const double perX = columns / (xHigh - xLow);
    int current = std::numeric_limits<int>::min();
    Column column;
    for (auto p = begin; p != end; ++p) {
        const int index = static_cast<int>(std::floor((p->x() - xLow) * perX));
        const auto at = static_cast<size_t>(p - points.begin());
        if (index != current) {
            if (current != std::numeric_limits<int>::min()) flush(column, points, out);
            current = index, column = {};
        }
        if (!std::isfinite(p->y())) {
            column.gap = at, column.hasGap = true;
        } else if (!column.any) {
            column.first = column.lowest = column.highest = column.last = at, column.any = true;
        } else {
            if (p->y() < points[column.lowest].y()) column.lowest = at;
            if (p->y() > points[column.highest].y()) column.highest = at;
            column.last = at;
        }
    }
    flush(column, points, out);
    return out;
}

std::vector<QPointF> clipToHeight(const std::vector<QPointF>& points, double yLow, double yHigh) {
    std::vector<QPointF> out;
    const double gap = std::numeric_limits<double>::quiet_NaN();
    const auto inside = [&](const QPointF& p) { return p.y() >= yLow && p.y() <= yHigh; };
    const auto crossing = [](const QPointF& a, const QPointF& b, double y) {
        return QPointF(a.x() + (b.x() - a.x()) * (y - a.y()) / (b.y() - a.y()), y);
    };
    for (size_t i = 0; i < points.size(); ++i) {
        const QPointF& p = points[i];
        if (!std::isfinite(p.y())) {
            out.emplace_back(p.x(), gap);
            continue;
        }
        const bool linked = i > 0 && std::isfinite(points[i - 1].y());
        if (linked && !(inside(p) && inside(points[i - 1]))) {
            const QPointF& before = points[i - 1];
            // Where the segment enters and leaves, in the order of its course.
            double edges[2] = {yLow, yHigh};
            if (before.y() > p.y()) std::swap(edges[0], edges[1]);
            for (const double y : edges) {
                if ((before.y() - y) * (p.y() - y) >= 0) continue;
                out.push_back(crossing(before, p, y));
                const bool leaves = p.y() > before.y() ? y == yHigh : y == yLow;
                if (leaves) out.emplace_back(out.back().x(), gap);
            }
        }
        if (inside(p)) out.push_back(p);
    }
    return out;
}

}  // namespace lockstep::ui
