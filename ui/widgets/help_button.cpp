#include "widgets/help_button.h"

#include <QPainter>

#include "theme/theme.h"

namespace lockstep::ui {

HelpButton::HelpButton(Theme& theme, Popover::Content content, QWidget* parent)
    : QAbstractButton(parent), m_theme(theme), m_content(std::move(content)) {
    setText(QStringLiteral("?"));
    setAccessibleName(tr("What is %1?").arg(m_content.title));
    setAccessibleDescription(m_content.text);
    setFocusPolicy(Qt::TabFocus);
    setCursor(Qt::PointingHandCursor);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setAttribute(Qt::WA_Hover);
    connect(this, &QAbstractButton::clicked, this,
            [this] { (new Popover(m_theme, m_content, this))->showBeside(this); });
    connect(&theme, &Theme::themeChanged, this, [this] { updateGeometry(), update(); });
}

QSize HelpButton::sizeHint() const { return {m_theme.metrics().px(16), m_theme.metrics().px(16)}; }

void HelpButton::paintEvent(QPaintEvent*) {
    const Colours& colours = m_theme.colours();
    const bool active = underMouse() || hasFocus();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(
        QPen(active ? colours.accent : Colours::blend(colours.mutedText, colours.surface, 0.45), hasFocus() ? 2 : 1));
    painter.setBrush(active ? colours.accentSoft : colours.surface);
    const double side = m_theme.metrics().px(14);
    painter.drawEllipse(QRectF((width() - side) / 2, (height() - side) / 2, side, side));
    QFont font = m_theme.metrics().small;
    font.setPointSizeF(font.pointSizeF() * 0.85);
    painter.setFont(font);
    painter.setPen(active ? colours.accent : colours.mutedText);
    painter.drawText(rect(), Qt::AlignCenter, text());
}

}  // namespace lockstep::ui
