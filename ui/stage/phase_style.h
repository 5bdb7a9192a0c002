#pragma once

#include <QColor>
#include <QRectF>
#include <QString>

#include "cluster/prediction.h"
#include "theme/theme.h"

class QPainter;

namespace lockstep::ui {

/// How a phase of an iteration looks and reads, wherever it is drawn: colour, hatching and word together, so that none
/// carries the meaning alone.
[[nodiscard]] QColor phaseColour(const Colours& colours, TimelineSpan::Kind kind);
/// "pull weights", "push gradients", ...
[[nodiscard]] QString phaseName(TimelineSpan::Kind kind);
/// "pull", "push", ...: for a legend or where room is scarce.
[[nodiscard]] QString phaseShortName(TimelineSpan::Kind kind);
/// What a worker is doing then: "pulling", "computing", ...
[[nodiscard]] QString phaseState(TimelineSpan::Kind kind);
/// Fills `rect` with the phase's colour and hatching.
void paintPhase(QPainter& painter, const QRectF& rect, TimelineSpan::Kind kind, const Colours& colours);

}  // namespace lockstep::ui
