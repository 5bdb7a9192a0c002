#pragma once

#include <QWidget>

class QHBoxLayout;
class QPushButton;
class QToolButton;

namespace lockstep::ui {

class FlowLayout;
class Theme;
struct QuizPlace;

/// Below the question: take back, flag, guessed, again; previous and next. Each names its key.
class QuizFooter : public QWidget {
    Q_OBJECT
public:
    explicit QuizFooter(Theme& theme, QWidget* parent = nullptr);

    /// `revealed` is what the page shows; `presenting` leaves only what concerns the class.
    void showState(const QuizPlace& place, bool guessed, bool revealed, bool presenting);
    [[nodiscard]] QToolButton* undoButton() const { return m_undo; }
    [[nodiscard]] QToolButton* flagButton() const { return m_flag; }
    [[nodiscard]] QToolButton* guessedButton() const { return m_guessed; }
    [[nodiscard]] QToolButton* retryButton() const { return m_retry; }
    [[nodiscard]] QToolButton* revealButton() const { return m_reveal; }
    [[nodiscard]] QPushButton* previousButton() const { return m_previous; }
    [[nodiscard]] QPushButton* nextButton() const { return m_next; }

signals:
    void undoRequested();
    void flagRequested();
    void guessedRequested();
    void retryRequested();
    void revealRequested();
    void previousRequested();
    void nextRequested();

private:
    void restyle();
    QToolButton* addSmallButton(const QString& text, const QString& name, const QString& help, bool checkable);

    Theme& m_theme;
    QHBoxLayout* m_layout;
    FlowLayout* m_flow;
    QToolButton *m_undo, *m_flag, *m_guessed, *m_retry, *m_reveal;
    QPushButton *m_previous, *m_next;
};

}  // namespace lockstep::ui
