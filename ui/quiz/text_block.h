#pragma once

#include <QFont>
#include <QLabel>
#include <QPalette>

namespace lockstep::ui {

/// Paints or measures text in lines of at most `widthPx`: between words where it can, inside a word that is wider than
/// the line. Returns the height used. `painter` may be null to measure only.
int layOutText(const QString& text, const QFont& font, int widthPx, double lineSpacing, class QPainter* painter,
               QPoint topLeft = {});

/// A label whose text is never cut off: it wraps anywhere when a single word is wider than the label, and its height
/// follows its width. To a screen reader it is a label.
class TextBlock : public QLabel {
    Q_OBJECT
public:
    explicit TextBlock(QWidget* parent = nullptr);

    void setLook(const QFont& font, const QColor& colour);
    /// Room kept free at the start of every line, and above the first.
    void setIndentPx(int indentPx);
    void setSpaceAbovePx(int spacePx);

    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QFont m_font;
    QColor m_colour;
    int m_indentPx = 0, m_spaceAbovePx = 0;
};

}  // namespace lockstep::ui
