#pragma once

#include <vector>

#include "quiz/margin_scroll_area.h"
#include "quiz/shown_question.h"

class QVBoxLayout;

namespace lockstep::ui {

class AnswerNotes;
class OptionCard;
class TextBlock;
class Theme;

/// One question: stem, options, and below them the notes once it is revealed. Nothing about which option is right is
/// on the page, or told to a screen reader, before that.
class QuestionPage : public MarginScrollArea {
    Q_OBJECT
public:
    explicit QuestionPage(Theme& theme, QWidget* parent = nullptr);

    /// Puts a question on the page, from its top.
    void showQuestion(const ShownQuestion& question, const ShownAnswer& answer);
    /// The same question with another answer; a first reveal scrolls its explanation into view.
    void showAnswer(const ShownAnswer& answer);
    /// Shows the note of another option of a revealed question.
    void inspect(int option);

    [[nodiscard]] const ShownQuestion& question() const { return m_question; }
    [[nodiscard]] const ShownAnswer& answer() const { return m_answer; }
    [[nodiscard]] OptionCard* card(int option) const { return m_cards[static_cast<size_t>(option)]; }
    [[nodiscard]] int cardCount() const { return static_cast<int>(m_question.options.size()); }
    [[nodiscard]] AnswerNotes* notes() const { return m_notes; }
    [[nodiscard]] TextBlock* stem() const { return m_stem; }

signals:
    void optionPressed(int option);
    void questionRequested(int number);
    void sceneRequested(const QString& scene);

private:
    void restyle();
    void provideCards(int count);
    void updateCards();
    void scrollToNotes();

    Theme& m_theme;
    QVBoxLayout* m_cardLayout;
    TextBlock* m_stem;
    std::vector<OptionCard*> m_cards;
    AnswerNotes* m_notes;
    ShownQuestion m_question;
    ShownAnswer m_answer;
    int m_inspected = -1;
};

}  // namespace lockstep::ui
