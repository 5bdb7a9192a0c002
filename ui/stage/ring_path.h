#pragma once

#include <QPointF>
#include <QRectF>
#include <vector>

namespace lockstep::ui {

/// A closed path inside `bounds`, walked at even speed: a race track (two straight lines joined by half circles; nodes
/// spread along it keep clear of each other in wide, flat areas) or an ellipse (no three points in line).
class RingPath {
public:
    enum class Form { Track, Ellipse };
    explicit RingPath(const QRectF& bounds, Form form = Form::Track);
    /// The point at `turn` (1 is once around, any real number), clockwise from the middle of the top.
    [[nodiscard]] QPointF at(double turn) const;

private:
    [[nodiscard]] QPointF onTrack(double turn) const;
    [[nodiscard]] QPointF onEllipse(double turn) const;

    std::vector<double> m_arc;  ///< of an ellipse: length walked at each of equal angles
    double m_a = 0, m_b = 0;
    QPointF m_centre;
    double m_straight = 0, m_radius = 0, m_length = 0;
    bool m_upright = false;
};

}  // namespace lockstep::ui
