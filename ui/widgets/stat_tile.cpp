#include "widgets/stat_tile.h"

#include <QPainter>

#include "theme/theme.h"
#include "widgets/tabular_text.h"

namespace lockstep::ui {

StatTile::StatTile(Theme& theme, const QString& caption, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_caption(caption), m_value(QStringLiteral("–")) {
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    describe();
    connect(&theme, &Theme::themeChanged, this, [this] { updateGeometry(), update(); });
}

void StatTile::setCaption(const QString& caption) {
    if (caption == m_caption) return;
    m_caption = caption;
    describe();
    updateGeometry();
    update();
}

void StatTile::setValue(const QString& value) {
    if (value == m_value) return;
    const int before = m_widestPx;
    m_value = value;
    describe();
    if (sizeHint().width() != before) updateGeometry();
    update();
}

void StatTile::describe() {
    setAccessibleName(m_caption);
    setAccessibleDescription(m_value);
    setToolTip(m_caption + QStringLiteral(": ") + m_value);
}

QSize StatTile::sizeHint() const {
    const Metrics& m = m_theme.metrics();
    if (m_widestScale != m.scale) m_widestPx = 0, m_widestScale = m.scale;
    const QFontMetrics value(m.value), caption(m.small);
    m_widestPx = std::max({m_widestPx, tabularWidth(value, m_value), caption.horizontalAdvance(m_caption)});
    return {m_widestPx + m.px(2), value.height() + caption.height()};
}

void StatTile::paintEvent(QPaintEvent*) {
    const Metrics& m = m_theme.metrics();
    const int valueHeight = QFontMetrics(m.value).height();
    QPainter painter(this);
    painter.setFont(m.value);
    painter.setPen(m_theme.colours().text);
    drawTabularRight(painter, QRect(0, 0, width(), valueHeight), m_value);
    painter.setFont(m.small);
    painter.setPen(m_theme.colours().mutedText);
    painter.drawText(QRect(0, valueHeight, width(), height() - valueHeight), Qt::AlignRight | Qt::AlignTop, m_caption);
}

}  // namespace lockstep::ui
