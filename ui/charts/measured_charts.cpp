#include "charts/measured_charts.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "charts/number_text.h"

namespace lockstep::ui {
namespace {

QString tr(const char* text) { return QCoreApplication::translate("MeasuredCharts", text); }

constexpr int kAccuracyColour = 1, kLossColour = 0;

template <typename Read>
std::vector<QPointF> pointsOf(const std::vector<Snapshot>& history, Read read) {
    std::vector<QPointF> points;
    points.reserve(history.size());
    for (const Snapshot& snapshot : history) points.emplace_back(static_cast<double>(snapshot.step), read(snapshot));
    return points;
}

double testAccuracyOf(const Snapshot& snapshot) { return snapshot.testAccuracy; }
double lossOf(const Snapshot& snapshot) { return snapshot.loss; }
double distanceOf(const Snapshot& snapshot) {
    return snapshot.divergence.heldSinceStep ? kNotMeasured : snapshot.divergence.meanDistanceToAverage;
}

/// Tests are rare, distances sampled: the curve links them across the steps without one.
template <typename Read>
std::vector<QPointF> knownPointsOf(const std::vector<Snapshot>& history, Read read) {
    std::vector<QPointF> points = pointsOf(history, read);
    std::erase_if(points, [](const QPointF& p) { return !std::isfinite(p.y()); });
    return points;
}

bool hasCurve(const MeasuredInput& input) { return input.history && !input.history->empty(); }

double lastStep(const std::vector<Snapshot>& history) {
    return history.empty() ? 0 : static_cast<double>(history.back().step);
}

AxisData stepsAxis(const MeasuredInput& input) {
    AxisData axis;
    axis.title = input.samplesPerStep > 0
                     ? tr("steps of %1 samples").arg(numberText(static_cast<double>(input.samplesPerStep)))
                     : tr("steps");
    double last = hasCurve(input) ? lastStep(*input.history) : 0;
    for (const GhostCurve& ghost : input.ghosts)
        if (ghost.history) last = std::max(last, lastStep(*ghost.history));
    axis.high = std::max(last, 10.0);
    return axis;
}

std::pair<double, double> heightOf(const std::vector<Curve>& curves, bool rightAxis) {
    double low = INFINITY, high = -INFINITY;
    for (const Curve& curve : curves) {
        if (curve.onRightAxis != rightAxis) continue;
        for (const QPointF& p : curve.points)
            if (std::isfinite(p.y())) low = std::min(low, p.y()), high = std::max(high, p.y());
    }
    return {low, high};
}

QString runHint() { return tr("Press Run (Space) to train and measure."); }

void addGhosts(const MeasuredInput& input, ChartData& data) {
    for (size_t i = input.ghosts.size(); i-- > 0;) {
        const GhostCurve& ghost = input.ghosts[i];
        if (!ghost.history || ghost.history->empty()) continue;
        Curve curve{ghost.label, knownPointsOf(*ghost.history, testAccuracyOf), CurveLook::Ghost, kAccuracyColour};
        curve.labelled = i == 0;
        data.curves.push_back(std::move(curve));
    }
}

}  // namespace

long long samplesPerStep(const std::vector<Snapshot>& history) {
    const Snapshot& last = history.back();
    return last.step > 0 ? last.samplesSeen / last.step : 0;
}

ChartData learningChart(const MeasuredInput& input) {
    ChartData data;
    data.x = stepsAxis(input);
    data.y = {tr("test accuracy"), ValueKind::Percent, 0, 1};
    data.yRight = AxisData{tr("train loss"), ValueKind::Number, 0, 2.5};
    addGhosts(input, data);
    if (hasCurve(input)) {
        Curve loss{tr("train loss"), pointsOf(*input.history, lossOf), CurveLook::Measured, kLossColour, true};
        // The first snapshot comes before any batch and has no loss: the curve begins with the first value.
        const auto first =
            std::find_if(loss.points.begin(), loss.points.end(), [](const QPointF& p) { return std::isfinite(p.y()); });
        loss.points.erase(loss.points.begin(), first);
        data.curves.push_back(std::move(loss));
        std::vector<QPointF> tested = knownPointsOf(*input.history, testAccuracyOf);
        Curve accuracy{tr("test accuracy"), std::move(tested), CurveLook::MeasuredPoints, kAccuracyColour};
        if (!accuracy.points.empty())
            accuracy.label = tr("test accuracy %1").arg(percentText(accuracy.points.back().y()));
        data.curves.push_back(std::move(accuracy));
    } else if (data.curves.empty()) {
        data.notice = runHint();
    }
    const auto [lossLow, lossHigh] = heightOf(data.curves, true);
    if (std::isfinite(lossHigh)) data.yRight->high = std::max(lossHigh, 0.1);
    return data;
}

ChartData divergenceChart(const MeasuredInput& input) {
    ChartData data;
    data.x = stepsAxis(input);
    data.x.title = tr("steps");
    data.y = {tr("mean |wᵢ − w̄|"), ValueKind::Number, 0, 1};
    for (size_t i = input.ghosts.size(); i-- > 0;) {
        const GhostCurve& ghost = input.ghosts[i];
        if (!ghost.history || ghost.history->empty()) continue;
        Curve curve{ghost.label, knownPointsOf(*ghost.history, distanceOf), CurveLook::Ghost, kAccuracyColour};
        curve.labelled = i == 0;
        data.curves.push_back(std::move(curve));
    }
    if (hasCurve(input)) {
        Curve curve{tr("this run"), knownPointsOf(*input.history, distanceOf), CurveLook::Measured, kAccuracyColour};
        const bool equal =
            std::all_of(curve.points.begin(), curve.points.end(), [](const QPointF& p) { return p.y() == 0; });
        if (!curve.points.empty())
            curve.label = equal ? (input.history->back().step == 0 ? tr("not trained yet") : tr("0: all copies equal"))
                                : tr("this run %1").arg(numberText(curve.points.back().y()));
        data.curves.push_back(std::move(curve));
    } else if (data.curves.empty()) {
        data.notice = runHint();
    }
    const auto [low, high] = heightOf(data.curves, false);
    if (std::isfinite(high) && high > 0) data.y.high = high;
    return data;
}

}  // namespace lockstep::ui
