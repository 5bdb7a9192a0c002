#include "quiz/text_block.h"

#include <QFontMetrics>
#include <QPainter>
#include <QTextLayout>
#include <cmath>

namespace lockstep::ui {
namespace {

constexpr double kLineSpacing = 1.12;  // of the font's own; long sentences read better with a little air

}  // namespace

int layOutText(const QString& text, const QFont& font, int widthPx, double lineSpacing, QPainter* painter,
               QPoint topLeft) {
    QTextOption option;
    option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    const double advance = QFontMetricsF(font).height() * lineSpacing;
    double y = 0;
    for (const QString& paragraph : text.split(QLatin1Char('\n'))) {
        QTextLayout layout(paragraph, font);
        layout.setTextOption(option);
        layout.beginLayout();
        for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
            line.setLineWidth(std::max(1, widthPx));
            line.setPosition({0, y + (advance - line.height()) / 2});
            y += advance;
        }
        layout.endLayout();
        if (painter != nullptr) layout.draw(painter, topLeft);
    }
    return static_cast<int>(std::ceil(y));
}

TextBlock::TextBlock(QWidget* parent) : QLabel(parent) {
    setTextFormat(Qt::PlainText);
    setWordWrap(true);  // keeps the label from taking back its height-for-width policy with every text
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

void TextBlock::setLook(const QFont& font, const QColor& colour) {
    m_font = font;
    m_colour = colour;
    updateGeometry();
    update();
}

void TextBlock::setIndentPx(int indentPx) {
    m_indentPx = indentPx;
    updateGeometry();
}

void TextBlock::setSpaceAbovePx(int spacePx) {
    m_spaceAbovePx = spacePx;
    updateGeometry();
}

int TextBlock::heightForWidth(int width) const {
    return m_spaceAbovePx + layOutText(text(), m_font, width - m_indentPx, kLineSpacing, nullptr);
}

QSize TextBlock::sizeHint() const {
    const int widest = m_indentPx + QFontMetrics(m_font).horizontalAdvance(text()) + 2;
    const int width = std::min(widest, QFontMetrics(m_font).averageCharWidth() * 36);
    return {width, heightForWidth(width)};
}

QSize TextBlock::minimumSizeHint() const {
    return {m_indentPx + QFontMetrics(m_font).averageCharWidth() * 8, m_spaceAbovePx + QFontMetrics(m_font).height()};
}

void TextBlock::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setPen(m_colour);
    painter.setFont(m_font);
    layOutText(text(), m_font, width() - m_indentPx, kLineSpacing, &painter, {m_indentPx, m_spaceAbovePx});
}

}  // namespace lockstep::ui
