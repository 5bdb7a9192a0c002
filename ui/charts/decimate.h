#pragma once

#include <QPointF>
#include <vector>

namespace lockstep::ui {

/// The points that a curve shows on `columns` columns of equal width over [xLow, xHigh]: of each column's points the
/// first, the lowest, the highest and the last, in their order, so that no peak is lost and the line keeps its course.
/// One point beyond either end is kept, so that the line reaches the edge. A gap (y not finite) stays one gap. Points
/// are sorted by x. At most 4 * columns + 2 points and as many gaps as columns.
[[nodiscard]] std::vector<QPointF> decimate(const std::vector<QPointF>& points, double xLow, double xHigh, int columns);

/// The parts of a curve inside [yLow, yHigh], cut where it crosses an edge, with gaps (NaN) between the parts.
[[nodiscard]] std::vector<QPointF> clipToHeight(const std::vector<QPointF>& points, double yLow, double yHigh);

}  // namespace lockstep::ui
