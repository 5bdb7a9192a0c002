#include "widgets/check_box.h"

#include <QPainter>
#include <QStyleOptionButton>

#include "theme/theme.h"

namespace lockstep::ui {

CheckBox::CheckBox(Theme& theme, QWidget* parent) : QCheckBox(parent), m_theme(theme) {
    connect(&theme, &Theme::themeChanged, this, qOverload<>(&QWidget::update));
}

void CheckBox::paintEvent(QPaintEvent*) {
    const Colours& c = m_theme.colours();
    QStyleOptionButton option;
    initStyleOption(&option);
    const QRectF box =
        QRectF(style()->subElementRect(QStyle::SE_CheckBoxIndicator, &option, this)).adjusted(1, 1, -1, -1);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QColor ink = isEnabled() ? c.mutedText : Colours::blend(c.mutedText, c.surface, 0.5);
    painter.setPen(hasFocus() ? QPen(c.focus, 2) : QPen(isChecked() ? c.accent : ink, 1.2));
    painter.setBrush(isChecked() ? c.accent : c.surface);
    painter.drawRoundedRect(box, 2, 2);
    if (isChecked()) {
        painter.setPen(QPen(c.onAccent, box.width() / 7, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        const auto at = [&](double x, double y) { return box.topLeft() + QPointF(x * box.width(), y * box.height()); };
        painter.drawPolyline(QPolygonF{at(0.24, 0.52), at(0.43, 0.71), at(0.77, 0.31)});
    }
    painter.setPen(isEnabled() ? c.text : ink);
    painter.setFont(font());
    const QRect text = style()->subElementRect(QStyle::SE_CheckBoxContents, &option, this);
    painter.drawText(text, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextShowMnemonic, option.text);
}

}  // namespace lockstep::ui
