#pragma once

#include <QAbstractButton>

namespace lockstep::ui {

class Theme;

/// How a question stands in the overview.
struct QuestionMark {
    enum class State { Open, Right, Wrong };
    int number = 0;
    State state = State::Open;
    bool flagged = false;
    bool current = false;
};

/// A question's number as a small button that leads to it: a check or cross when answered, a flag when flagged.
class QuestionChip : public QAbstractButton {
    Q_OBJECT
public:
    QuestionChip(Theme& theme, QuestionMark mark, QWidget* parent = nullptr);

    [[nodiscard]] const QuestionMark& mark() const { return m_mark; }
    [[nodiscard]] QSize sizeHint() const override;

signals:
    /// An arrow key: `steps` chips further, negative for back.
    void focusMoveRequested(int steps);

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    Theme& m_theme;
    QuestionMark m_mark;
};

}  // namespace lockstep::ui
