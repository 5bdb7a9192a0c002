#include "quiz/question_chip.h"

#include <QKeyEvent>
#include <QPainter>

#include "quiz/glyph.h"
#include "theme/theme.h"

namespace lockstep::ui {

QuestionChip::QuestionChip(Theme& theme, QuestionMark mark, QWidget* parent)
    : QAbstractButton(parent), m_theme(theme), m_mark(mark) {
    setText(QString::number(mark.number));
    setCursor(Qt::PointingHandCursor);
    setAttribute(Qt::WA_Hover);
    QString state = mark.state == QuestionMark::State::Right   ? tr("answered right")
                    : mark.state == QuestionMark::State::Wrong ? tr("answered wrong")
                                                               : tr("not answered");
    if (mark.flagged) state += QStringLiteral(", ") + tr("flagged");
    setAccessibleName(tr("Question %1").arg(mark.number));
    setAccessibleDescription(state);
    setToolTip(tr("Question %1: %2").arg(mark.number).arg(state));
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    connect(&theme, &Theme::themeChanged, this, [this] { updateGeometry(), update(); });
}

QSize QuestionChip::sizeHint() const {
    const Metrics& m = m_theme.metrics();
    return {QFontMetrics(m.small).horizontalAdvance(QStringLiteral("88")) + m.px(24), m.px(24)};
}

void QuestionChip::paintEvent(QPaintEvent*) {
    const Metrics& m = m_theme.metrics();
    const Colours& c = m_theme.colours();
    const bool right = m_mark.state == QuestionMark::State::Right, wrong = m_mark.state == QuestionMark::State::Wrong;
    const QColor ink = right ? c.good : wrong ? c.warning : c.text;
    const QColor fill = right ? c.goodSoft : wrong ? c.warningSoft : c.surface;
    QColor border = right || wrong ? Colours::blend(ink, fill, 0.4) : c.hairline;
    if (underMouse() || m_mark.current) border = c.accent;
    if (hasFocus()) border = c.focus;
    const double width = hasFocus() || m_mark.current ? 2 : 1;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(border, width));
    painter.setBrush(fill);
    painter.drawRoundedRect(QRectF(rect()).adjusted(width / 2, width / 2, -width / 2, -width / 2), m.px(4), m.px(4));
    painter.setPen(ink);
    painter.setFont(m.small);
    const int sign = m.px(10);
    const bool signedState = right || wrong;
    const QRect number = signedState ? rect().adjusted(0, 0, -sign, 0) : rect();
    painter.drawText(number, Qt::AlignCenter, text());
    if (signedState)
        paintGlyph(painter, QRectF(this->width() - sign - m.px(5), (height() - sign) / 2.0, sign, sign),
                   right ? QStringLiteral("check") : QStringLiteral("cross"), ink);
    if (m_mark.flagged) {
        const double corner = m.px(8);
        painter.setPen(Qt::NoPen);
        painter.setBrush(c.accent);
        painter.drawPolygon(QPolygonF{QPointF(2, 2), QPointF(2 + corner, 2), QPointF(2, 2 + corner)});
    }
}

void QuestionChip::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Left:
        case Qt::Key_Up:
            emit focusMoveRequested(-1);
            break;
        case Qt::Key_Right:
        case Qt::Key_Down:
            emit focusMoveRequested(1);
            break;
        default:
            QAbstractButton::keyPressEvent(event);
    }
}

}  // namespace lockstep::ui
