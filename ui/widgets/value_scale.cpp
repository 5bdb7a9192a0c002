#include "widgets/value_scale.h"

#include <algorithm>
#include <cmath>

namespace lockstep::ui {
namespace {

std::vector<double> makeRoundValues(ScaleKind kind, double minimum, double maximum, double step) {
    std::vector<double> values;
    const auto add = [&](double value) {
        if (value >= minimum * (1 - 1e-12) && value <= maximum * (1 + 1e-12)) values.push_back(value);
    };
    if (kind == ScaleKind::PowersOfTwo) {
        for (double value = std::exp2(std::floor(std::log2(minimum))); value <= maximum; value *= 2) add(value);
    } else if (kind == ScaleKind::Decades) {
        for (int decade = static_cast<int>(std::floor(std::log10(minimum))); std::pow(10.0, decade) <= maximum;
             ++decade)
            for (const double digit : {1.0, 2.0, 5.0}) add(digit * std::pow(10.0, decade));
    } else {
        const double stride = std::max(step, std::pow(10.0, std::floor(std::log10(maximum - minimum))) / 2);
        for (double value = std::ceil(minimum / stride) * stride; value <= maximum; value += stride) add(value);
    }
    return values;
}

}  // namespace

ValueScale::ValueScale(ScaleKind kind, double minimum, double maximum, double step)
    : m_kind(kind),
      m_minimum(minimum),
      m_maximum(maximum),
      m_step(step),
      m_roundValues(makeRoundValues(kind, minimum, maximum, step)) {}

double ValueScale::positionOf(double value) const {
    const double clamped = std::clamp(value, m_minimum, m_maximum);
    if (m_maximum <= m_minimum) return 0;
    if (m_kind == ScaleKind::Linear) return (clamped - m_minimum) / (m_maximum - m_minimum);
    return std::log(clamped / m_minimum) / std::log(m_maximum / m_minimum);
}

double ValueScale::valueAt(double position, double magnetism) const {
    position = std::clamp(position, 0.0, 1.0);
    double nearest = 0, distance = magnetism;
    for (const double value : m_roundValues)
        if (const double d = std::fabs(positionOf(value) - position); d <= distance) nearest = value, distance = d;
    if (nearest != 0) return nearest;
    if (m_kind == ScaleKind::Linear) return rounded(m_minimum + position * (m_maximum - m_minimum));
    return rounded(m_minimum * std::pow(m_maximum / m_minimum, position));
}

double ValueScale::rounded(double value) const {
    if (m_step > 0) return std::clamp(std::round(value / m_step) * m_step, m_minimum, m_maximum);
    if (value <= 0) return value;
    const double unit = std::pow(10.0, std::floor(std::log10(value)) - 1);
    return std::clamp(std::round(value / unit) * unit, m_minimum, m_maximum);
}

double ValueScale::stepped(double value, int count) const {
    if (m_step > 0) {
        const double stride =
            m_kind == ScaleKind::Linear ? m_step : m_step * std::max(1.0, std::floor(value / m_step / 32));
        return std::clamp(std::round((value + count * stride) / m_step) * m_step, m_minimum, m_maximum);
    }
    if (m_kind == ScaleKind::Linear)
        return std::clamp(value + count * (m_maximum - m_minimum) / 100, m_minimum, m_maximum);
    return rounded(std::clamp(value * std::pow(10.0, count / 20.0), m_minimum, m_maximum));
}

double ValueScale::paged(double value, int direction) const {
    if (direction > 0) {
        const auto next =
            std::find_if(m_roundValues.begin(), m_roundValues.end(), [&](double v) { return v > value * (1 + 1e-9); });
        return next == m_roundValues.end() ? m_maximum : *next;
    }
    const auto previous =
        std::find_if(m_roundValues.rbegin(), m_roundValues.rend(), [&](double v) { return v < value * (1 - 1e-9); });
    return previous == m_roundValues.rend() ? m_minimum : *previous;
}

}  // namespace lockstep::ui
