#include "window/fold_strip.h"

#include <QPainter>

#include "theme/theme.h"

namespace lockstep::ui {

FoldStrip::FoldStrip(Theme& theme, const QString& name, QWidget* parent) : QAbstractButton(parent), m_theme(theme) {
    setText(name);
    setAccessibleName(tr("Show %1").arg(name));
    setToolTip(accessibleName());
    setFocusPolicy(Qt::TabFocus);
    setAttribute(Qt::WA_Hover);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Expanding);
    connect(&theme, &Theme::themeChanged, this, [this] { updateGeometry(), update(); });
}

QSize FoldStrip::sizeHint() const {
    const QFontMetrics metrics(m_theme.metrics().small);
    return {metrics.height() + m_theme.metrics().px(10), metrics.horizontalAdvance(text()) + m_theme.metrics().px(40)};
}

void FoldStrip::paintEvent(QPaintEvent*) {
    const Colours& c = m_theme.colours();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const bool lit = underMouse() || hasFocus();
    painter.setPen(hasFocus() ? QPen(c.focus, 2) : QPen(c.hairline));
    painter.setBrush(lit ? c.accentSoft : c.surface);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), m_theme.metrics().radiusPx,
                            m_theme.metrics().radiusPx);
    painter.setPen(lit ? c.accent : c.mutedText);
    painter.setFont(m_theme.metrics().small);
    painter.translate(0, height());
    painter.rotate(-90);
    painter.drawText(QRect(0, 0, height(), width()), Qt::AlignCenter, text());
}

}  // namespace lockstep::ui
