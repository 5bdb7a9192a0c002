#include "train/smoothed_ratio.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lockstep {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

}  // namespace

void SmoothedRatio::observe(double x, double y) {
    m_weights = m_keep * m_weights + 1;
    const double gain = 1 / m_weights, keep = 1 - gain;
    const double fromX = x - m_x, fromY = y - m_y;
    m_x += gain * fromX;
    m_y += gain * fromY;
    m_xx = keep * (m_xx + gain * fromX * fromX);
    m_yy = keep * (m_yy + gain * fromY * fromY);
    m_xy = keep * (m_xy + gain * fromX * fromY);
    m_squaredWeights = keep * keep * m_squaredWeights + gain * gain;
}

double SmoothedRatio::ratio() const { return empty() || !(m_x > 0) ? kUnknown : m_y / m_x; }

double SmoothedRatio::standardError() const {
    const double ratio = this->ratio(), observations = effectiveObservations();
    if (std::isnan(ratio) || !(observations > 1)) return kUnknown;
    // The delta method's bracket times the ratio's square, written so that y may vanish.
    const double spread = m_yy - 2 * ratio * m_xy + ratio * ratio * m_xx;
    return std::sqrt(std::max(0.0, spread) / (observations - 1)) / m_x;
}

}  // namespace lockstep
