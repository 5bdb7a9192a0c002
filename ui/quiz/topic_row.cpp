#include "quiz/topic_row.h"

#include <QPainter>
#include <QPainterPath>

#include "quiz/text_block.h"
#include "theme/theme.h"

namespace lockstep::ui {
namespace {

constexpr int kPaddingPx = 4, kBarPx = 6;

}  // namespace

TopicRow::TopicRow(Theme& theme, TopicCount topic, QWidget* parent)
    : QAbstractButton(parent), m_theme(theme), m_topic(std::move(topic)) {
    setText(m_topic.title);
    setFocusPolicy(Qt::StrongFocus);
    setCursor(Qt::PointingHandCursor);
    setAttribute(Qt::WA_Hover);
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    setAccessibleName(m_topic.title);
    setAccessibleDescription(tr("%1. Asks this topic only.").arg(countText(m_topic)));
    setToolTip(tr("Ask this topic only"));
    connect(&theme, &Theme::themeChanged, this, [this] { updateGeometry(), update(); });
}

QString TopicRow::countText(const TopicCount& topic) {
    return tr("%1 of %2 answered, %3 right").arg(topic.answered).arg(topic.total).arg(topic.right);
}

int TopicRow::heightForWidth(int width) const {
    const Metrics& m = m_theme.metrics();
    const int inner = width - 2 * m.px(kPaddingPx);
    return layOutText(text(), m.strong, inner, 1, nullptr) +
           layOutText(countText(m_topic), m.small, inner, 1, nullptr) + m.px(kBarPx + 4 + 2 * kPaddingPx);
}

QSize TopicRow::sizeHint() const { return {m_theme.metrics().px(260), heightForWidth(m_theme.metrics().px(260))}; }

QSize TopicRow::minimumSizeHint() const { return {m_theme.metrics().px(120), m_theme.metrics().px(40)}; }

void TopicRow::paintEvent(QPaintEvent*) {
    const Metrics& m = m_theme.metrics();
    const Colours& c = m_theme.colours();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (underMouse() || hasFocus()) {
        painter.setPen(hasFocus() ? QPen(c.focus, 2) : QPen(c.accentSoft, 1));
        painter.setBrush(underMouse() ? c.accentSoft : c.surface);
        painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), m.px(4), m.px(4));
    }
    const int left = m.px(kPaddingPx), inner = width() - 2 * left;
    painter.setPen(c.text);
    int y = left;
    y += layOutText(text(), m.strong, inner, 1, &painter, {left, y});
    painter.setPen(c.mutedText);
    y += layOutText(countText(m_topic), m.small, inner, 1, &painter, {left, y});
    paintBar(painter, QRectF(left, y + m.px(4), inner, m.px(kBarPx)));
}

void TopicRow::paintBar(QPainter& painter, const QRectF& bar) const {
    const Colours& c = m_theme.colours();
    QPainterPath rounded;
    rounded.addRoundedRect(bar, bar.height() / 2, bar.height() / 2);
    painter.save();
    painter.setClipPath(rounded);
    painter.fillRect(bar, c.hairline);
    const double perQuestion = bar.width() / std::max(1, m_topic.total);
    const QRectF right(bar.left(), bar.top(), perQuestion * m_topic.right, bar.height());
    painter.fillRect(right, c.good);
    // Lower as well as another colour: told apart without colour too.
    const int wrong = m_topic.answered - m_topic.right;
    painter.fillRect(QRectF(right.right(), bar.top() + bar.height() / 2, perQuestion * wrong, bar.height() / 2),
                     c.warning);
    painter.restore();
}

}  // namespace lockstep::ui
