#pragma once

#include <QWidget>

#include "quiz/shown_question.h"

class QPushButton;
class QVBoxLayout;

namespace lockstep::ui {

class FlowLayout;
class TextBlock;
class Theme;

/// What a revealed question explains: the verdict, the note of one option, why the answer is right, what is exactly
/// true, and questions that ask nearly the same.
class AnswerNotes : public QWidget {
    Q_OBJECT
public:
    explicit AnswerNotes(Theme& theme, QWidget* parent = nullptr);

    /// `inspected` is the option whose note is shown.
    void showNotes(const ShownQuestion& question, const ShownAnswer& answer, int inspected);
    [[nodiscard]] QString noteText() const;
    [[nodiscard]] QString explanationText() const;

signals:
    void questionRequested(int number);
    void sceneRequested(const QString& scene);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void restyle();
    void showVerdict(const ShownQuestion& question, const ShownAnswer& answer);
    void showSiblings(const ShownQuestion& question);
    TextBlock* addText(const char* name);

    Theme& m_theme;
    QVBoxLayout* m_layout;
    TextBlock *m_verdict, *m_noteTitle, *m_note, *m_explanationTitle, *m_explanation, *m_nuanceTitle, *m_nuance,
        *m_siblingsTitle;
    QWidget* m_siblings;
    FlowLayout* m_siblingsFlow;
    QPushButton* m_showMe;
    QString m_scene, m_verdictGlyph;
    bool m_right = false;
};

}  // namespace lockstep::ui
