#pragma once

#include <QRect>
#include <QString>

class QFontMetrics;
class QPainter;

namespace lockstep::ui {

/// Text whose digits all take the width of the widest digit. (Qt before 6.7 cannot ask a font for its tabular figures.)
[[nodiscard]] int tabularWidth(const QFontMetrics& metrics, const QString& text);
/// Draws it in the painter's font and pen, right-aligned in `area` and vertically centred.
void drawTabularRight(QPainter& painter, const QRect& area, const QString& text);

}  // namespace lockstep::ui
