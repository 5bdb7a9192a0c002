#include "charts/plot_labels.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lockstep::ui {
namespace {

bool finite(const QPointF& p) { return std::isfinite(p.x()) && std::isfinite(p.y()); }

/// How much of a polyline runs through `rect`, in samples about 4 px apart.
double coverage(const std::vector<QPointF>& curve, const QRectF& rect) {
    double hits = 0;
    for (size_t i = 0; i + 1 < curve.size(); ++i) {
        const QPointF &a = curve[i], &b = curve[i + 1];
        if (!finite(a) || !finite(b)) continue;
        if (std::max(a.x(), b.x()) < rect.left() || std::min(a.x(), b.x()) > rect.right()) continue;
        if (std::max(a.y(), b.y()) < rect.top() || std::min(a.y(), b.y()) > rect.bottom()) continue;
        const int samples = std::clamp(static_cast<int>(std::hypot(b.x() - a.x(), b.y() - a.y()) / 4), 1, 200);
        for (int k = 0; k <= samples; ++k)
            if (rect.contains(a + (b - a) * (static_cast<double>(k) / samples))) hits += 1;
    }
    return hits;
}

std::vector<QPointF> finitePoints(const std::vector<QPointF>& curve) {
    std::vector<QPointF> points;
    std::copy_if(curve.begin(), curve.end(), std::back_inserter(points), finite);
    return points;
}

/// The point at `share` of the curve's width.
QPointF pointAt(const std::vector<QPointF>& points, double share) {
    const double x = points.front().x() + (points.back().x() - points.front().x()) * share;
    const auto after =
        std::lower_bound(points.begin(), points.end(), x, [](const QPointF& p, double v) { return p.x() < v; });
    if (after == points.begin()) return *after;
    if (after == points.end()) return points.back();
    const QPointF &b = *after, &a = *(after - 1);
    return b.x() - a.x() < 1e-9 ? b : a + (b - a) * ((x - a.x()) / (b.x() - a.x()));
}

QRectF pushedInside(QRectF rect, const QRectF& area) {
    if (rect.right() > area.right()) rect.moveRight(area.right());
    if (rect.left() < area.left()) rect.moveLeft(area.left());
    return rect;
}

}  // namespace

std::vector<QRectF> placeLabels(const std::vector<LabelRequest>& requests,
                                const std::vector<const std::vector<QPointF>*>& curves, const QRectF& area,
                                std::vector<QRectF> taken) {
    constexpr double kShares[] = {1.0, 0.85, 0.7, 0.5, 0.3, 0.1};
    constexpr double kGaps[] = {4, 14, 28};
    std::vector<QRectF> places;
    for (const LabelRequest& request : requests) {
        QRectF best;
        double bestCost = std::numeric_limits<double>::max();
        const std::vector<QPointF> points = finitePoints(*request.curve);
        for (size_t s = 0; s < std::size(kShares) && !points.empty(); ++s) {
            const QPointF anchor = pointAt(points, kShares[s]);
            for (const double gap : kGaps)
                for (const bool above : {true, false}) {
                    const double top = above ? anchor.y() - gap - request.size.height() : anchor.y() + gap;
                    const double left = anchor.x() - request.size.width() * (s == 0 ? 1 : 0.5);
                    const QRectF rect = pushedInside(QRectF(QPointF(left, top), request.size), area);
                    if (!area.contains(rect)) continue;
                    const auto hits = [&](const QRectF& other) {
                        return other.adjusted(-3, -1, 3, 1).intersects(rect);
                    };
                    if (std::any_of(taken.begin(), taken.end(), hits)) continue;
                    double cost = static_cast<double>(s) * 0.8 + gap * 0.12 + (above ? 0 : 0.3);
                    double covered = 0;
                    for (const auto* curve : curves) covered += coverage(*curve, rect);
                    if (request.optional && covered > 1) continue;
                    cost += 3 * covered;
                    if (cost < bestCost) bestCost = cost, best = rect;
                }
        }
        if (!best.isNull()) taken.push_back(best);
        places.push_back(best);
    }
    return places;
}

}  // namespace lockstep::ui
