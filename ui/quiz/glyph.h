#pragma once

#include <QIcon>
#include <QString>

class QColor;
class QPainter;
class QRectF;

namespace lockstep::ui {

/// The action drawings of resources/icons/actions by file name without ending ("check"), in one colour of the theme.
/// They are masks: only their shape comes from the file.
void paintGlyph(QPainter& painter, const QRectF& area, const QString& name, const QColor& colour);

/// The same as an icon of `sizePx`, sharp at every device pixel ratio; `disabled` is its colour on a disabled button.
[[nodiscard]] QIcon glyphIcon(const QString& name, int sizePx, const QColor& colour, const QColor& disabled);

}  // namespace lockstep::ui
