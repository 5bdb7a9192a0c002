#pragma once

#include <QAbstractButton>

namespace lockstep::ui {

class Theme;

/// One answer of a question: its number, its wrapped text and, once revealed, whether it is right. What it says by
/// colour it also says by sign and to a screen reader.
class OptionCard : public QAbstractButton {
    Q_OBJECT
public:
    enum class State {
        Open,      ///< can be chosen
        Selected,  ///< chosen, nothing revealed
        Right,     ///< revealed: the answer
        Wrong,     ///< revealed: chosen, and not the answer
        Other,     ///< revealed: neither
    };

    /// `number` is what is shown and typed: 1, 2, ...
    OptionCard(Theme& theme, int number, QWidget* parent = nullptr);

    void setOption(const QString& text);
    /// `caption` stands small below the text: "your answer", "also defensible".
    void setState(State state, const QString& caption = {});
    [[nodiscard]] State state() const { return m_state; }
    /// Its note is the one being shown.
    void setInspected(bool inspected);

    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    struct Look;
    [[nodiscard]] Look look() const;
    [[nodiscard]] int textLeftPx() const;
    [[nodiscard]] int textWidthPx(int width) const;
    void paintBadge(QPainter& painter, const Look& look) const;
    void describe();

    Theme& m_theme;
    int m_number;
    State m_state = State::Open;
    QString m_caption;
    bool m_inspected = false;
};

}  // namespace lockstep::ui
