#include "widgets/popover.h"

#include <QLabel>
#include <QPainter>
#include <QScreen>
#include <QVBoxLayout>

#include "theme/theme.h"

namespace lockstep::ui {
namespace {

QLabel* line(const QString& text, const char* role, int widthPx) {
    auto* label = new QLabel(text);
    label->setProperty("role", role);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setFixedWidth(widthPx);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

}  // namespace

Popover::Popover(Theme& theme, const Content& content, QWidget* parent)
    : QFrame(parent, Qt::Popup | Qt::FramelessWindowHint), m_theme(theme) {
    setAttribute(Qt::WA_DeleteOnClose);
    setAccessibleName(content.title);
    setAccessibleDescription(content.text);
    const Metrics& m = theme.metrics();
    const int widthPx = m.px(300);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(m.marginPx, m.px(10), m.marginPx, m.px(12));
    layout->setSpacing(m.px(6));
    layout->addWidget(line(content.title, "heading", widthPx));
    layout->addWidget(line(content.text, "body", widthPx));
    if (!content.formula.isEmpty()) layout->addWidget(line(content.formula, "strong", widthPx));
    if (!content.unit.isEmpty()) layout->addWidget(line(content.unit, "muted", widthPx));
}

void Popover::showBeside(const QWidget* anchor) {
    adjustSize();
    const QRect screen = anchor->screen()->availableGeometry();
    QPoint at = anchor->mapToGlobal(QPoint(anchor->width() + m_theme.metrics().px(6), -m_theme.metrics().px(8)));
    if (at.x() + width() > screen.right())
        at = anchor->mapToGlobal(QPoint(0, anchor->height() + m_theme.metrics().px(4)));
    at.setX(std::clamp(at.x(), screen.left(), std::max(screen.left(), screen.right() - width())));
    at.setY(std::clamp(at.y(), screen.top(), std::max(screen.top(), screen.bottom() - height())));
    move(at);
    show();
}

void Popover::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setPen(m_theme.colours().accent);
    painter.setBrush(m_theme.colours().raised);
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

}  // namespace lockstep::ui
