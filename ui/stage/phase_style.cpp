#include "stage/phase_style.h"

#include <QCoreApplication>
#include <QPainter>

namespace lockstep::ui {
namespace {

using Kind = TimelineSpan::Kind;

QString tr(const char* text) { return QCoreApplication::translate("Phases", text); }

Qt::BrushStyle hatching(Kind kind) {
    switch (kind) {
        case Kind::Push:
            return Qt::BDiagPattern;
        case Kind::AllReduce:
            return Qt::DiagCrossPattern;
        case Kind::Load:
            return Qt::Dense6Pattern;
        case Kind::Aggregate:
            return Qt::VerPattern;
        case Kind::Update:
            return Qt::HorPattern;
        case Kind::Forward:
        case Kind::Backward:
        case Kind::Pull:
        case Kind::Wait:
            break;
    }
    return Qt::NoBrush;
}

}  // namespace

QColor phaseColour(const Colours& colours, Kind kind) {
    switch (kind) {
        case Kind::Load:
            return colours.load;
        case Kind::Forward:
            return colours.forward;
        case Kind::Backward:
            return colours.backward;
        case Kind::Pull:
            return colours.pull;
        case Kind::Push:
            return colours.push;
        case Kind::AllReduce:
            return colours.allReduce;
        case Kind::Aggregate:
            return colours.aggregate;
        case Kind::Update:
            return colours.update;
        case Kind::Wait:
            return colours.wait;
    }
    return colours.wait;
}

QString phaseName(Kind kind) {
    switch (kind) {
        case Kind::Load:
            return tr("load data");
        case Kind::Forward:
            return tr("forward");
        case Kind::Backward:
            return tr("backward");
        case Kind::Pull:
            return tr("pull weights");
        case Kind::Push:
            return tr("push gradients");
        case Kind::AllReduce:
            return tr("all-reduce gradients");
        case Kind::Aggregate:
            return tr("aggregate");
        case Kind::Update:
            return tr("update weights");
        case Kind::Wait:
            return tr("wait");
    }
    return {};
}

QString phaseShortName(Kind kind) {
    switch (kind) {
        case Kind::Load:
            return tr("load");
        case Kind::Forward:
            return tr("fwd");
        case Kind::Backward:
            return tr("bwd");
        case Kind::Pull:
            return tr("pull");
        case Kind::Push:
            return tr("push");
        case Kind::AllReduce:
            return tr("all-reduce");
        case Kind::Aggregate:
            return tr("aggregate");
        case Kind::Update:
            return tr("update");
        case Kind::Wait:
            return tr("wait");
    }
    return {};
}

QString phaseState(Kind kind) {
    switch (kind) {
        case Kind::Load:
            return tr("loading");
        case Kind::Forward:
        case Kind::Backward:
            return tr("computing");
        case Kind::Pull:
            return tr("pulling");
        case Kind::Push:
            return tr("pushing");
        case Kind::AllReduce:
            return tr("exchanging");
        case Kind::Aggregate:
            return tr("aggregating");
        case Kind::Update:
            return tr("updating");
        case Kind::Wait:
            return tr("waiting");
    }
    return {};
}

void paintPhase(QPainter& painter, const QRectF& rect, Kind kind, const Colours& colours) {
    const QColor colour = phaseColour(colours, kind);
    painter.fillRect(rect, colour);
    const Qt::BrushStyle style = hatching(kind);
    if (style != Qt::NoBrush && rect.width() >= 4)
        painter.fillRect(rect, QBrush(Colours::blend(Colours::readableOn(colour), colour, 0.10), style));
}

}  // namespace lockstep::ui
