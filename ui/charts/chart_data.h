#pragma once

#include <QPointF>
#include <QString>
#include <optional>
#include <utility>
#include <vector>

#include "cluster/prediction.h"

namespace lockstep::ui {

/// How a curve is drawn. Modelled ones are thin, measured ones solid; the look never tells more than that.
enum class CurveLook { Modelled, ModelledDashed, Measured, MeasuredPoints, Ghost };

struct Curve {
    QString name;                 ///< in the readout
    std::vector<QPointF> points;  ///< sorted by x; y is NaN where there is no value
    CurveLook look = CurveLook::Modelled;
    int colour = 0;  ///< index into the theme's series (its ghosts for Ghost)
    bool onRightAxis = false;
    bool labelled = true;  ///< false: the name appears in the readout only
    QString label = {};    ///< written beside the curve; empty: the name
};

/// How an axis's numbers read.
enum class ValueKind { Number, Percent };

struct AxisData {
    QString title;  ///< with its unit: "images/s"
    ValueKind kind = ValueKind::Number;
    double low = 0, high = 1;  ///< what has to be visible; the plot rounds it outwards
};

/// All that an xy chart shows. A plain value, so that it can be tested without a widget.
struct ChartData {
    AxisData x, y;
    std::optional<AxisData> yRight;
    bool logarithmicX = false;  ///< powers of two; x must then be > 0
    std::vector<Curve> curves;
    std::optional<QPointF> present;  ///< a ring marks where the experiment stands
    int presentColour = 0;
    QString notice;  ///< instead of curves, or above them: why there is nothing to see
};

/// One bar of the breakdown, made of phases.
struct BreakdownBar {
    QString name;
    std::vector<std::pair<TimelineSpan::Kind, double>> parts;  ///< seconds, none of them zero
    double total_s = 0;
    QString notice;  ///< "does not fit" instead of parts
};

struct BreakdownData {
    std::vector<BreakdownBar> bars;
};

}  // namespace lockstep::ui
