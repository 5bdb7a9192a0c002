#include "quiz/flow_layout.h"

#include <QStyle>
#include <QWidget>

namespace lockstep::ui {

FlowLayout::FlowLayout(QWidget* parent) : QLayout(parent) { setContentsMargins(0, 0, 0, 0); }

FlowLayout::~FlowLayout() {
    for (QLayoutItem* item : m_items) delete item;
}

void FlowLayout::setGapPx(int gapPx) {
    m_gapPx = gapPx;
    invalidate();
}

void FlowLayout::addItem(QLayoutItem* item) {
    m_items.push_back(item);
    invalidate();
}

QLayoutItem* FlowLayout::itemAt(int index) const {
    return index >= 0 && index < count() ? m_items[static_cast<size_t>(index)] : nullptr;
}

QLayoutItem* FlowLayout::takeAt(int index) {
    QLayoutItem* item = itemAt(index);
    if (item != nullptr) m_items.erase(m_items.begin() + index);
    return item;
}

int FlowLayout::heightForWidth(int width) const { return arrange({0, 0, width, 1000}, false); }

QSize FlowLayout::sizeHint() const {
    int width = 0, height = 0;
    for (const QLayoutItem* item : m_items) {
        if (item->isEmpty()) continue;
        width += (width > 0 ? m_gapPx : 0) + item->sizeHint().width();
        height = std::max(height, item->sizeHint().height());
    }
    return QSize(width, height).grownBy(contentsMargins());
}

QSize FlowLayout::minimumSize() const {
    QSize size;
    for (const QLayoutItem* item : m_items)
        if (!item->isEmpty()) size = size.expandedTo(item->sizeHint());
    return size.grownBy(contentsMargins());
}

void FlowLayout::setGeometry(const QRect& rect) {
    QLayout::setGeometry(rect);
    arrange(rect, true);
}

int FlowLayout::arrange(const QRect& outer, bool move) const {
    const QMargins margins = contentsMargins();
    const QRect rect = outer.marginsRemoved(margins);
    const QWidget* parent = parentWidget();
    const Qt::LayoutDirection direction = parent != nullptr ? parent->layoutDirection() : Qt::LeftToRight;
    int x = 0, y = 0, lineHeight = 0;
    for (QLayoutItem* item : m_items) {
        if (item->isEmpty()) continue;
        const QSize size = item->sizeHint();
        if (x > 0 && x + size.width() > rect.width()) {
            x = 0;
            y += lineHeight + m_gapPx;
            lineHeight = 0;
        }
        if (move) item->setGeometry(QStyle::visualRect(direction, rect, {rect.topLeft() + QPoint(x, y), size}));
        x += size.width() + m_gapPx;
        lineHeight = std::max(lineHeight, size.height());
    }
    return y + lineHeight + margins.top() + margins.bottom();
}

}  // namespace lockstep::ui
