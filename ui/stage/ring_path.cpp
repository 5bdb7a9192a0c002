#include "stage/ring_path.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace lockstep::ui {

constexpr int kAngles = 720;

RingPath::RingPath(const QRectF& bounds, Form form)
    : m_a(bounds.width() / 2),
      m_b(bounds.height() / 2),
      m_centre(bounds.center()),
      m_upright(bounds.height() > bounds.width()) {
    if (form == Form::Ellipse) {
        m_arc.push_back(0);
        for (int i = 1; i <= kAngles; ++i) {
            const double from = 2 * std::numbers::pi * (i - 1) / kAngles, to = 2 * std::numbers::pi * i / kAngles;
            m_arc.push_back(m_arc.back() +
                            std::hypot(m_a * (std::sin(to) - std::sin(from)), m_b * (std::cos(to) - std::cos(from))));
        }
    }
    const double longSide = m_upright ? bounds.height() : bounds.width();
    const double shortSide = m_upright ? bounds.width() : bounds.height();
    m_radius = shortSide / 2;
    m_straight = longSide - shortSide;
    m_length = 2 * m_straight + 2 * std::numbers::pi * m_radius;
}

QPointF RingPath::at(double turn) const { return m_arc.empty() ? onTrack(turn) : onEllipse(turn); }

QPointF RingPath::onEllipse(double turn) const {
    const double wanted = (turn - std::floor(turn)) * m_arc.back();
    const auto after = std::upper_bound(m_arc.begin() + 1, m_arc.end() - 1, wanted);
    const double before = *(after - 1), step = *after - before;
    const double angle = 2 * std::numbers::pi *
                         (static_cast<double>(after - 1 - m_arc.begin()) + (step > 0 ? (wanted - before) / step : 0)) /
                         kAngles;
    return m_centre + QPointF(m_a * std::sin(angle), -m_b * std::cos(angle));
}

QPointF RingPath::onTrack(double turn) const {
    const double arc = std::numbers::pi * m_radius;
    // Lying: from the middle of the top to the right. Upright: the same path turned by a quarter, from the left end.
    double s = (turn - std::floor(turn)) * m_length + (m_upright ? m_straight / 2 + arc + m_straight + arc / 2 : 0);
    s = std::fmod(s, m_length);
    double x = 0, y = 0;
    const double half = m_straight / 2;
    const auto onArc = [&](double along, double side) {
        const double angle = m_radius > 0 ? along / m_radius : 0;
        x = side * (half + m_radius * std::sin(angle));
        y = side * -m_radius * std::cos(angle);
    };
    if (s < half)
        x = s, y = -m_radius;
    else if (s < half + arc)
        onArc(s - half, 1);
    else if (s < half + arc + m_straight)
        x = half - (s - half - arc), y = m_radius;
    else if (s < half + 2 * arc + m_straight)
        onArc(s - half - arc - m_straight, -1);
    else
        x = -half + (s - half - 2 * arc - m_straight), y = -m_radius;
    if (m_upright) x = std::exchange(y, x), x = -x;
    return m_centre + QPointF(x, y);
}

}  // namespace lockstep::ui
