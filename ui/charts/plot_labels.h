#pragma once

#include <QRectF>
#include <QSizeF>
#include <vector>

namespace lockstep::ui {

/// Finds places for labels beside curves. All in pixels.
struct LabelRequest {
    QSizeF size;
    const std::vector<QPointF>* curve = nullptr;  ///< the label's own, sorted by x, gaps as NaN
    bool optional = false;                        ///< left out rather than written across a curve
};

/// One rectangle per request, inside `area`, without overlapping another label or one of `taken`, on as few curve
/// points as possible (the end of its own curve first). Null where there is no room. `curves` are all that may be
/// covered.
[[nodiscard]] std::vector<QRectF> placeLabels(const std::vector<LabelRequest>& requests,
                                              const std::vector<const std::vector<QPointF>*>& curves,
                                              const QRectF& area, std::vector<QRectF> taken);

}  // namespace lockstep::ui
