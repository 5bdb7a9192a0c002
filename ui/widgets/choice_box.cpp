#include "widgets/choice_box.h"

#include <QPainter>
#include <QSignalBlocker>
#include <QStandardItemModel>
#include <QWheelEvent>

#include "theme/theme.h"

namespace lockstep::ui {

ChoiceBox::ChoiceBox(Theme& theme, QWidget* parent) : QComboBox(parent), m_theme(theme) {
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setAttribute(Qt::WA_Hover);
    setFocusPolicy(Qt::StrongFocus);
    connect(&theme, &Theme::themeChanged, this, [this] { updateGeometry(), update(); });
}

void ChoiceBox::showData(const QVariant& wanted) {
    const QSignalBlocker blocker(this);
    setCurrentIndex(findData(wanted));
    update();
}

void ChoiceBox::setEntryDisabled(int index, const QString& reason) {
    QStandardItem* item = qobject_cast<QStandardItemModel*>(model())->item(index);
    item->setEnabled(reason.isEmpty());
    item->setToolTip(reason);
}

QSize ChoiceBox::sizeHint() const {
    const QFontMetrics metrics(font());
    int widest = 0;
    for (int i = 0; i < count(); ++i) widest = std::max(widest, metrics.horizontalAdvance(itemText(i)));
    return {widest + m_theme.metrics().px(32), m_theme.metrics().px(23)};
}

void ChoiceBox::setShrinkable() {
    m_shrinkable = true;
    updateGeometry();
}

QSize ChoiceBox::minimumSizeHint() const {
    if (m_shrinkable) return {m_theme.metrics().px(70), sizeHint().height()};
    const QFontMetrics metrics(font());
    int widest = 0;
    for (int i = 0; i < count(); ++i) widest = std::max(widest, metrics.horizontalAdvance(shortText(itemText(i))));
    return {widest + m_theme.metrics().px(32), sizeHint().height()};
}

QString ChoiceBox::shortText(const QString& text) { return text.section(QStringLiteral(" / "), 0, 0); }

void ChoiceBox::paintEvent(QPaintEvent*) {
    const Colours& colours = m_theme.colours();
    const Metrics& metrics = m_theme.metrics();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const bool active = isEnabled() && underMouse();
    painter.setPen(QPen(hasFocus() ? colours.focus : active ? colours.accent : colours.hairline, hasFocus() ? 2 : 1));
    painter.setBrush(active ? colours.accentSoft : colours.raised);
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), metrics.px(4), metrics.px(4));
    const QColor ink = palette().color(isEnabled() ? QPalette::Active : QPalette::Disabled, QPalette::ButtonText);
    painter.setPen(ink);
    painter.setFont(font());
    const QRect textRect = rect().adjusted(metrics.px(8), 0, -metrics.px(20), 0);
    const QFontMetrics fontMetrics(font());
    const bool fits = fontMetrics.horizontalAdvance(currentText()) <= textRect.width();
    const QString text = fits ? currentText() : shortText(currentText());
    painter.drawText(textRect, Qt::AlignVCenter | Qt::AlignLeft,
                     fontMetrics.elidedText(text, Qt::ElideRight, textRect.width()));
    const double x = width() - metrics.px(12), y = height() / 2.0, r = metrics.px(3);
    painter.setPen(Qt::NoPen);
    painter.setBrush(ink);
    painter.drawPolygon(QPolygonF{{x - r, y - r * 0.6}, {x + r, y - r * 0.6}, {x, y + r * 0.8}});
}

void ChoiceBox::wheelEvent(QWheelEvent* event) { event->ignore(); }  // a turn of the wheel scrolls the panel

}  // namespace lockstep::ui
