#pragma once

#include <QStringList>
#include <QWidget>

#include "quiz/bank.h"
#include "quiz/shown_question.h"

class QKeyEvent;
class QStackedWidget;

namespace lockstep::ui {

class OverviewPage;
class QuestionPage;
class QuizFooter;
class QuizHeader;
class SessionView;
class Theme;

/// The quiz beside the stage. A digit or a click answers; after that the answer is revealed with the note of the option
/// chosen, and a digit shows the note of another option. When presenting, a digit only chooses and A reveals.
///
/// Keys: 1..9 options, Enter next, Backspace previous, U undo, F flag, G guessed, R again, O overview, A reveal
/// (presenting).
class QuizDock : public QWidget {
    Q_OBJECT
public:
    /// Progress is kept in the file `progressPath`, read at once and written after every change.
    QuizDock(Theme& theme, QuestionBank bank, const QString& progressPath, QWidget* parent = nullptr);
    ~QuizDock() override;

    /// Does what a key means here and says whether it meant anything. For the main window, when no text field has the
    /// focus.
    bool handleKey(QKeyEvent* event);
    /// In a classroom a question is shown without its answer until A, even one answered before, and what a class
    /// chooses is not counted as the learner's own. Type grows with the theme, not here.
    void setPresenting(bool presenting);
    /// Scenes that the window can open. "Show me" is there only for those.
    void setKnownScenes(const QStringList& scenes);

    [[nodiscard]] QuestionPage* questionPage() const { return m_questionPage; }
    [[nodiscard]] OverviewPage* overviewPage() const { return m_overviewPage; }
    [[nodiscard]] QuizHeader* header() const { return m_header; }
    [[nodiscard]] QuizFooter* footer() const { return m_footer; }

    [[nodiscard]] QSize sizeHint() const override;

public slots:
    void goToQuestion(int number);
    void showOverview(bool shown);

signals:
    void sceneRequested(const QString& scene);
    /// Something about the progress file that the person should know, one line.
    void noticeRaised(const QString& text);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void buildPages();
    void connectParts();
    void press(int option);
    void reveal();
    void change(void (SessionView::*step)());
    void goOn();
    [[nodiscard]] ShownAnswer shownAnswer() const;
    void refreshQuestion();
    void refreshAnswer();
    bool handleDigit(int key);
    bool handleLetter(int key);
    bool handleEnter();
    void keepFocus();

    Theme& m_theme;
    SessionView* m_session;
    QuizHeader* m_header;
    QStackedWidget* m_pages;
    QuestionPage* m_questionPage;
    OverviewPage* m_overviewPage;
    QuizFooter* m_footer;
    QStringList m_knownScenes;
    bool m_presenting = false;
    int m_selected = -1;      ///< presenting: chosen, not yet revealed
    bool m_revealed = false;  ///< presenting: revealed to the class
};

}  // namespace lockstep::ui
