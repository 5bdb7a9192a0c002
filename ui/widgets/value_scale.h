#pragma once

#include <utility>
#include <vector>

namespace lockstep::ui {

/// How a slider's length maps to values.
enum class ScaleKind {
    Linear,
    PowersOfTwo,  ///< logarithmic; powers of two attract, and PageUp and PageDown go to the next one
    Decades,      ///< logarithmic; 1, 2 and 5 times each power of ten attract
};

/// The pure part of a slider: positions 0..1 and values, attraction to round values, steps by key. The range may be
/// narrower than what can be typed.
class ValueScale {
public:
    /// `minimum` > 0 unless linear; `step` is the smallest difference between two values (linear) and the rounding of
    /// integers; 0 means that values are real and rounded to two significant digits.
    ValueScale(ScaleKind kind, double minimum, double maximum, double step);

    [[nodiscard]] double minimum() const { return m_minimum; }
    [[nodiscard]] double maximum() const { return m_maximum; }
    /// Where a value lies, 0..1; values outside the range lie at its ends.
    [[nodiscard]] double positionOf(double value) const;
    /// The value under a position. Round values attract within `magnetism` of them (a share of the slider's length).
    [[nodiscard]] double valueAt(double position, double magnetism = 0) const;
    /// `count` small steps from a value (arrow keys): the next integer or two-digit value, in larger strides where a
    /// stride of one would be invisible.
    [[nodiscard]] double stepped(double value, int count) const;
    /// The next (`direction` > 0) or previous round value (page keys).
    [[nodiscard]] double paged(double value, int direction) const;
    /// The round values of the range, ascending.
    [[nodiscard]] const std::vector<double>& roundValues() const { return m_roundValues; }
    /// Other values that attract: what people know by name (224 px, 25 Gbit/s). Ascending.
    ValueScale& attractTo(std::vector<double> values) {
        m_roundValues = std::move(values);
        return *this;
    }

private:
    [[nodiscard]] double rounded(double value) const;

    ScaleKind m_kind;
    double m_minimum, m_maximum, m_step;
    std::vector<double> m_roundValues;
};

}  // namespace lockstep::ui
