#include "quiz/option_card.h"

#include <QPainter>

#include "quiz/glyph.h"
#include "quiz/text_block.h"
#include "theme/theme.h"

namespace lockstep::ui {
namespace {

constexpr double kLineSpacing = 1.08;
constexpr int kPaddingPx = 11, kBadgePx = 20, kBadgeGapPx = 10, kMarkPx = 16;

}  // namespace

struct OptionCard::Look {
    QColor border, fill, badgeBorder, badgeFill, badgeText;
    double borderWidth = 1;
    QString mark;  ///< glyph at the right, empty for none
    QColor markColour;
};

OptionCard::OptionCard(Theme& theme, int number, QWidget* parent)
    : QAbstractButton(parent), m_theme(theme), m_number(number) {
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    setFocusPolicy(Qt::StrongFocus);
    setCursor(Qt::PointingHandCursor);
    connect(&theme, &Theme::themeChanged, this, [this] { updateGeometry(), update(); });
}

void OptionCard::setOption(const QString& text) {
    setText(text);
    describe();
    updateGeometry();
    update();
}

void OptionCard::setState(State state, const QString& caption) {
    m_state = state;
    m_caption = caption;
    describe();
    updateGeometry();
    update();
}

void OptionCard::setInspected(bool inspected) {
    if (inspected == m_inspected) return;
    m_inspected = inspected;
    update();
}

void OptionCard::describe() {
    setAccessibleName(tr("%1: %2").arg(m_number).arg(text()));
    QString description;
    switch (m_state) {
        case State::Open:
            description = tr("Answer %1. Key %1 chooses it.").arg(m_number);
            break;
        case State::Selected:
            description = tr("Chosen. The answer is not revealed yet.");
            break;
        case State::Right:
            description = tr("Right.");
            break;
        case State::Wrong:
            description = tr("Wrong.");
            break;
        case State::Other:
            description = tr("Not the answer. Key %1 shows why.").arg(m_number);
            break;
    }
    setAccessibleDescription(m_caption.isEmpty() ? description : description + QLatin1Char(' ') + m_caption);
}

int OptionCard::textLeftPx() const { return m_theme.metrics().px(kPaddingPx + kBadgePx + kBadgeGapPx); }

/// The mark's room is kept from the start, so that revealing moves no line.
int OptionCard::textWidthPx(int width) const {
    return width - textLeftPx() - m_theme.metrics().px(kPaddingPx + kMarkPx + 6);
}

int OptionCard::heightForWidth(int width) const {
    const Metrics& m = m_theme.metrics();
    int textHeight = layOutText(text(), m.body, textWidthPx(width), kLineSpacing, nullptr);
    if (!m_caption.isEmpty())
        textHeight += m.px(2) + layOutText(m_caption, m.small, textWidthPx(width), kLineSpacing, nullptr);
    return std::max(textHeight, m.px(kBadgePx)) + 2 * m.px(kPaddingPx);
}

QSize OptionCard::sizeHint() const {
    const int width = m_theme.metrics().px(280);
    return {width, heightForWidth(width)};
}

QSize OptionCard::minimumSizeHint() const {
    return {textLeftPx() + m_theme.metrics().px(60 + kPaddingPx + kMarkPx),
            m_theme.metrics().px(kBadgePx + 2 * kPaddingPx)};
}

OptionCard::Look OptionCard::look() const {
    const Colours& c = m_theme.colours();
    Look look{.border = c.hairline,
              .fill = c.surface,
              .badgeBorder = c.hairline,
              .badgeFill = Colours::blend(c.window, c.surface, 0.7),
              .badgeText = c.mutedText,
              .mark = {},
              .markColour = {}};
    const auto signal = [&](const QColor& strong, const QColor& soft, const QString& mark) {
        look.border = Colours::blend(strong, soft, 0.55), look.fill = soft, look.badgeFill = soft;
        look.badgeBorder = look.border, look.badgeText = strong, look.mark = mark, look.markColour = strong;
    };
    switch (m_state) {
        case State::Open:
            if (underMouse()) look.border = c.accent, look.fill = Colours::blend(c.accentSoft, c.surface, 0.5);
            break;
        case State::Selected:
            look.border = look.badgeBorder = look.badgeFill = c.accent, look.badgeText = c.onAccent;
            look.fill = c.accentSoft, look.borderWidth = 2;
            break;
        case State::Right:
            signal(c.good, c.goodSoft, QStringLiteral("check"));
            break;
        case State::Wrong:
            signal(c.warning, c.warningSoft, QStringLiteral("cross"));
            break;
        case State::Other:
            if (underMouse()) look.border = c.mutedText;
            break;
    }
    if (m_inspected) look.borderWidth = 2, look.border = look.mark.isEmpty() ? c.mutedText : look.markColour;
    return look;
}

void OptionCard::paintBadge(QPainter& painter, const Look& look) const {
    const Metrics& m = m_theme.metrics();
    const QRectF badge(m.px(kPaddingPx) + 0.5, m.px(kPaddingPx) - 0.5, m.px(kBadgePx) - 1, m.px(kBadgePx) - 1);
    painter.setPen(look.badgeBorder);
    painter.setBrush(look.badgeFill);
    painter.drawRoundedRect(badge, m.px(4), m.px(4));
    painter.setPen(look.badgeText);
    painter.setFont(m.small);
    painter.drawText(badge, Qt::AlignCenter, QString::number(m_number));
}

void OptionCard::paintEvent(QPaintEvent*) {
    const Metrics& m = m_theme.metrics();
    const Colours& c = m_theme.colours();
    const Look drawn = look();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const bool focused = hasFocus();
    const double width = focused ? 2 : drawn.borderWidth;
    painter.setPen(QPen(focused && drawn.mark.isEmpty() ? c.focus : drawn.border, width));
    if (focused && !drawn.mark.isEmpty()) painter.setPen(QPen(c.focus, width));
    painter.setBrush(isDown() ? c.accentSoft : drawn.fill);
    const QRectF frame = QRectF(rect()).adjusted(width / 2, width / 2, -width / 2, -width / 2);
    painter.drawRoundedRect(frame, m.px(6), m.px(6));
    paintBadge(painter, drawn);

    const int textWidth = textWidthPx(this->width());
    const int bodyHeight = layOutText(text(), m.body, textWidth, kLineSpacing, nullptr);
    const int room = height() - 2 * m.px(kPaddingPx);
    const int top = m.px(kPaddingPx) + (m_caption.isEmpty() ? std::max(0, room - bodyHeight) / 2 : 0);
    painter.setPen(c.text);
    painter.setFont(m.body);
    layOutText(text(), m.body, textWidth, kLineSpacing, &painter, {textLeftPx(), top});
    if (!m_caption.isEmpty()) {
        painter.setPen(drawn.mark.isEmpty() ? c.mutedText : drawn.markColour);
        painter.setFont(m.small);
        layOutText(m_caption, m.small, textWidth, kLineSpacing, &painter, {textLeftPx(), top + bodyHeight + m.px(2)});
    }
    if (!drawn.mark.isEmpty()) {
        const int mark = m.px(kMarkPx);
        paintGlyph(painter, QRectF(this->width() - m.px(kPaddingPx) - mark, m.px(kPaddingPx + 2), mark, mark),
                   drawn.mark, drawn.markColour);
    }
}

void OptionCard::enterEvent(QEnterEvent* event) {
    QAbstractButton::enterEvent(event);
    update();
}

void OptionCard::leaveEvent(QEvent* event) {
    QAbstractButton::leaveEvent(event);
    update();
}

}  // namespace lockstep::ui
