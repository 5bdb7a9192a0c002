#include "quiz/quiz_dock.h"

#include <QAbstractButton>
#include <QApplication>
#include <QKeyEvent>
#include <QPushButton>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include "quiz/option_card.h"
#include "quiz/overview_page.h"
#include "quiz/question_page.h"
#include "quiz/quiz_footer.h"
#include "quiz/quiz_header.h"
#include "quiz/session_view.h"
#include "theme/theme.h"
#include "widgets/choice_box.h"

namespace lockstep::ui {

QuizDock::QuizDock(Theme& theme, QuestionBank bank, const QString& progressPath, QWidget* parent)
    : QWidget(parent),
      m_theme(theme),
      m_session(new SessionView(std::move(bank), progressPath, this)),
      m_header(new QuizHeader(theme, this)),
      m_pages(new QStackedWidget(this)),
      m_footer(new QuizFooter(theme, this)) {
    setAccessibleName(tr("Quiz"));
    buildPages();
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_header);
    layout->addWidget(m_pages, 1);
    layout->addWidget(m_footer);
    m_header->filterBox()->installEventFilter(this);
    connectParts();
    refreshQuestion();
}

QuizDock::~QuizDock() = default;

QSize QuizDock::sizeHint() const { return {m_theme.metrics().px(340), m_theme.metrics().px(700)}; }

void QuizDock::buildPages() {
    m_questionPage = new QuestionPage(m_theme);
    m_overviewPage = new OverviewPage(m_theme);
    m_pages->addWidget(m_questionPage);
    m_pages->addWidget(m_overviewPage);
}

void QuizDock::connectParts() {
    connect(m_session, &SessionView::noticeRaised, this, &QuizDock::noticeRaised);
    connect(m_questionPage, &QuestionPage::optionPressed, this, &QuizDock::press);
    connect(m_questionPage, &QuestionPage::questionRequested, this, &QuizDock::goToQuestion);
    connect(m_questionPage, &QuestionPage::sceneRequested, this, &QuizDock::sceneRequested);
    connect(m_overviewPage, &OverviewPage::questionRequested, this, &QuizDock::goToQuestion);
    connect(m_overviewPage, &OverviewPage::topicRequested, this, [this](const QString& topic) {
        m_session->setFilter({QuizFilter::Kind::Topic, topic});
        refreshQuestion();
    });
    connect(m_header, &QuizHeader::filterChosen, this, [this](const QuizFilter& filter) {
        m_session->setFilter(filter);
        refreshQuestion();
    });
    connect(m_header, &QuizHeader::overviewToggled, this, &QuizDock::showOverview);
    connect(m_footer, &QuizFooter::nextRequested, this, &QuizDock::goOn);
    connect(m_footer, &QuizFooter::revealRequested, this, &QuizDock::reveal);
    connect(m_footer, &QuizFooter::previousRequested, this, [this] { change(&SessionView::previous); });
    connect(m_footer, &QuizFooter::undoRequested, this, [this] { change(&SessionView::undo); });
    connect(m_footer, &QuizFooter::retryRequested, this, [this] { change(&SessionView::retry); });
    connect(m_footer, &QuizFooter::flagRequested, this, [this] {
        m_session->toggleFlag();
        refreshAnswer();
    });
    connect(m_footer, &QuizFooter::guessedRequested, this, [this] {
        m_session->toggleGuessed();
        refreshAnswer();
    });
}

void QuizDock::setPresenting(bool presenting) {
    m_presenting = presenting;
    refreshQuestion();
}

void QuizDock::setKnownScenes(const QStringList& scenes) {
    m_knownScenes = scenes;
    refreshQuestion();
}

void QuizDock::goToQuestion(int number) {
    m_session->goTo(number);
    refreshQuestion();
}

void QuizDock::showOverview(bool shown) {
    if (!shown) {
        refreshQuestion();
        return;
    }
    m_overviewPage->showTopics(m_session->overview());
    m_pages->setCurrentWidget(m_overviewPage);
    m_header->setOverviewShown(true);
    m_footer->hide();
}

void QuizDock::change(void (SessionView::*step)()) {
    (m_session->*step)();
    refreshQuestion();
}

void QuizDock::goOn() {
    const QuizPlace place = m_session->place();
    if (place.position + 1 < place.count)
        change(&SessionView::next);
    else
        showOverview(true);
}

void QuizDock::press(int option) {
    if (m_questionPage->answer().revealed) {
        m_questionPage->inspect(option);
        return;
    }
    if (m_presenting)
        m_selected = option;
    else
        m_session->choose(option);
    refreshAnswer();
}

void QuizDock::reveal() {
    m_revealed = true;
    refreshAnswer();
}

ShownAnswer QuizDock::shownAnswer() const {
    return m_presenting ? ShownAnswer{.chosen = m_selected, .revealed = m_revealed} : m_session->answer();
}

void QuizDock::refreshQuestion() {
    m_selected = -1;
    m_revealed = false;
    m_header->setOverviewShown(false);
    m_footer->show();
    ShownQuestion question = m_session->question();
    if (!m_knownScenes.contains(question.scene)) question.scene.clear();
    m_questionPage->showQuestion(question, shownAnswer());
    m_pages->setCurrentWidget(m_questionPage);
    m_header->showSession(*m_session);
    m_footer->showState(m_session->place(), shownAnswer().guessed, shownAnswer().revealed, m_presenting);
    keepFocus();
}

void QuizDock::refreshAnswer() {
    const ShownAnswer answer = shownAnswer();
    m_questionPage->showAnswer(answer);
    m_header->showSession(*m_session);
    m_footer->showState(m_session->place(), answer.guessed, answer.revealed, m_presenting);
}

/// The focus must not stay on something that went away with the last question.
void QuizDock::keepFocus() {
    const QWidget* focused = QApplication::focusWidget();
    if (focused == nullptr || !isAncestorOf(focused) || focused->isVisibleTo(this)) return;
    if (m_pages->currentWidget() == m_questionPage) m_questionPage->card(0)->setFocus();
}

bool QuizDock::handleKey(QKeyEvent* event) {
    if ((event->modifiers() & ~(Qt::KeypadModifier | Qt::ShiftModifier)) != Qt::NoModifier) return false;
    const int key = event->key();
    const bool known = (key >= Qt::Key_1 && key <= Qt::Key_9) || key == Qt::Key_Return || key == Qt::Key_Enter ||
                       key == Qt::Key_Backspace || key == Qt::Key_U || key == Qt::Key_F || key == Qt::Key_G ||
                       key == Qt::Key_R || key == Qt::Key_O || (key == Qt::Key_A && m_presenting);
    if (!known) return false;
    if (event->isAutoRepeat()) return true;  // a key held too long must not answer the next question
    if (key == Qt::Key_O) {
        showOverview(m_pages->currentWidget() != m_overviewPage);
        return true;
    }
    if (key == Qt::Key_Return || key == Qt::Key_Enter) return handleEnter();
    if (m_pages->currentWidget() != m_questionPage) return false;
    if (key >= Qt::Key_1 && key <= Qt::Key_9) return handleDigit(key);
    return handleLetter(key);
}

bool QuizDock::handleDigit(int key) {
    const int option = key - Qt::Key_1;
    if (option >= m_questionPage->cardCount()) return false;
    press(option);
    return true;
}

bool QuizDock::handleLetter(int key) {
    QAbstractButton* button = nullptr;
    switch (key) {
        case Qt::Key_A:
            reveal();
            return true;
        case Qt::Key_U:
            button = m_footer->undoButton();
            break;
        case Qt::Key_F:
            button = m_footer->flagButton();
            break;
        case Qt::Key_G:
            button = m_footer->guessedButton();
            break;
        case Qt::Key_Backspace:
            button = m_footer->previousButton();
            break;
        case Qt::Key_R:
            button = m_footer->retryButton();
            break;
        default:
            return false;
    }
    if (!button->isHidden()) button->click();  // a disabled one does nothing, and its key means nothing else
    return true;
}

/// Enter presses a focused button, except an option: an Enter too many must never answer.
bool QuizDock::handleEnter() {
    auto* button = qobject_cast<QAbstractButton*>(QApplication::focusWidget());
    if (button != nullptr && isAncestorOf(button) && qobject_cast<OptionCard*>(button) == nullptr) {
        button->click();
        return true;
    }
    if (m_pages->currentWidget() != m_questionPage) return false;
    m_footer->nextButton()->click();
    return true;
}

void QuizDock::keyPressEvent(QKeyEvent* event) {
    if (!handleKey(event)) QWidget::keyPressEvent(event);
}

/// The filter's box would take letters and digits for its search.
bool QuizDock::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_header->filterBox() && event->type() == QEvent::KeyPress)
        return handleKey(static_cast<QKeyEvent*>(event));
    return QWidget::eventFilter(watched, event);
}

}  // namespace lockstep::ui
