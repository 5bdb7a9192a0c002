#pragma once

#include <QPointF>
#include <QRectF>

namespace lockstep::ui {

/// A race track inside `bounds`: two straight lines joined by half circles; a circle where the sides are equal. Nodes
/// spread along it evenly keep clear of each other in wide, flat areas, where an ellipse would crowd its ends.
class RingPath {
public:
    explicit RingPath(const QRectF& bounds);
    /// The point at `turn` (1 is once around, any real number), clockwise from the middle of the top.
    [[nodiscard]] QPointF at(double turn) const;
    [[nodiscard]] double length() const { return m_length; }

private:
    QPointF m_centre;
    double m_straight = 0, m_radius = 0, m_length = 0;
    bool m_upright = false;
};

}  // namespace lockstep::ui
