#include "widgets/tabular_text.h"

#include <QFontMetrics>
#include <QPainter>

namespace lockstep::ui {
namespace {

int digitWidth(const QFontMetrics& metrics) {
    int widest = 0;
    for (char digit = '0'; digit <= '9'; ++digit)
        widest = std::max(widest, metrics.horizontalAdvance(QLatin1Char(digit)));
    return widest;
}

}  // namespace

int tabularWidth(const QFontMetrics& metrics, const QString& text) {
    const int cell = digitWidth(metrics);
    int width = 0;
    for (const QChar c : text) width += c.isDigit() ? cell : metrics.horizontalAdvance(c);
    return width;
}

void drawTabularRight(QPainter& painter, const QRect& area, const QString& text) {
    const QFontMetrics metrics = painter.fontMetrics();
    const int cell = digitWidth(metrics);
    const int baseline = area.top() + (area.height() + metrics.ascent() - metrics.descent()) / 2;
    int x = area.right() + 1 - tabularWidth(metrics, text);
    for (const QChar c : text) {
        const int advance = metrics.horizontalAdvance(c), room = c.isDigit() ? cell : advance;
        painter.drawText(x + (room - advance) / 2, baseline, c);
        x += room;
    }
}

}  // namespace lockstep::ui
