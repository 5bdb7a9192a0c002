#include "quiz/question_page.h"

#include <QPropertyAnimation>
#include <QScrollBar>
#include <QTimer>
#include <QVBoxLayout>

#include "quiz/answer_notes.h"
#include "quiz/option_card.h"
#include "quiz/text_block.h"
#include "theme/theme.h"

namespace lockstep::ui {
namespace {

constexpr int kScrollMs = 200;

}  // namespace

QuestionPage::QuestionPage(Theme& theme, QWidget* parent)
    : MarginScrollArea(theme, parent),
      m_theme(theme),
      m_cardLayout(new QVBoxLayout),
      m_stem(new TextBlock(widget())),
      m_notes(new AnswerNotes(theme, widget())) {
    m_stem->setObjectName(QStringLiteral("stem"));
    column()->addWidget(m_stem);
    column()->addLayout(m_cardLayout);
    column()->addWidget(m_notes);
    column()->addStretch(1);
    setAccessibleName(tr("Question"));
    connect(m_notes, &AnswerNotes::questionRequested, this, &QuestionPage::questionRequested);
    connect(m_notes, &AnswerNotes::sceneRequested, this, &QuestionPage::sceneRequested);
    connect(&theme, &Theme::themeChanged, this, &QuestionPage::restyle);
    restyle();
}

void QuestionPage::restyle() {
    const Metrics& m = m_theme.metrics();
    column()->setSpacing(m.px(14));
    m_cardLayout->setSpacing(m.px(8));
    m_stem->setLook(m.title, m_theme.colours().text);
}

void QuestionPage::provideCards(int count) {
    while (static_cast<int>(m_cards.size()) < count) {
        const int option = static_cast<int>(m_cards.size());
        auto* card = new OptionCard(m_theme, option + 1, widget());
        connect(card, &OptionCard::clicked, this, [this, option] { emit optionPressed(option); });
        m_cardLayout->addWidget(card);
        if (option > 0) setTabOrder(m_cards.back(), card);
        m_cards.push_back(card);
    }
    for (int i = 0; i < static_cast<int>(m_cards.size()); ++i) card(i)->setVisible(i < count);
}

void QuestionPage::showQuestion(const ShownQuestion& question, const ShownAnswer& answer) {
    m_question = question;
    m_answer = answer;
    m_inspected = answer.revealed ? answer.chosen : -1;
    m_stem->setText(question.stem);
    provideCards(cardCount());
    for (int i = 0; i < cardCount(); ++i) card(i)->setOption(question.options[static_cast<size_t>(i)].text);
    updateCards();
    verticalScrollBar()->setValue(0);
}

void QuestionPage::showAnswer(const ShownAnswer& answer) {
    const bool revealsNow = answer.revealed && !m_answer.revealed;
    m_answer = answer;
    m_inspected = answer.revealed ? answer.chosen : -1;
    updateCards();
    // The notes get their size with the next layout pass, their place can be known only then.
    if (revealsNow) QTimer::singleShot(0, this, &QuestionPage::scrollToNotes);
}

void QuestionPage::inspect(int option) {
    if (!m_answer.revealed) return;
    m_inspected = option;
    updateCards();
    QTimer::singleShot(0, this, &QuestionPage::scrollToNotes);
}

void QuestionPage::updateCards() {
    for (int i = 0; i < cardCount(); ++i) {
        const ShownOption& option = m_question.options[static_cast<size_t>(i)];
        const bool chosen = i == m_answer.chosen;
        QString caption;
        auto state = chosen ? OptionCard::State::Selected : OptionCard::State::Open;
        if (m_answer.revealed) {
            state = option.right ? OptionCard::State::Right
                    : chosen     ? OptionCard::State::Wrong
                                 : OptionCard::State::Other;
            if (chosen) caption = m_answer.guessed ? tr("your guess") : tr("your answer");
            if (option.defensible && !option.right)
                caption += (caption.isEmpty() ? QString() : QStringLiteral(" · ")) + tr("also defensible");
        }
        card(i)->setState(state, caption);
        card(i)->setInspected(m_answer.revealed && i == m_inspected && !option.right && !chosen);
    }
    m_notes->setVisible(m_answer.revealed);
    if (m_answer.revealed) m_notes->showNotes(m_question, m_answer, m_inspected);
}

void QuestionPage::scrollToNotes() {
    if (!m_answer.revealed) return;
    QScrollBar* bar = verticalScrollBar();
    const int notesBottom = m_notes->geometry().bottom() + m_theme.metrics().px(8);
    const int toShowAll = notesBottom - viewport()->height();
    // Never past the notes' first line: reading begins there.
    const int target = std::clamp(std::min(toShowAll, m_notes->y() - m_theme.metrics().px(8)), 0, bar->maximum());
    if (target <= bar->value()) return;
    if (m_theme.reducedMotion()) {
        bar->setValue(target);
        return;
    }
    auto* motion = new QPropertyAnimation(bar, "value", this);
    motion->setDuration(kScrollMs);
    motion->setEasingCurve(QEasingCurve::InOutCubic);
    motion->setEndValue(target);
    motion->start(QAbstractAnimation::DeleteWhenStopped);
}

}  // namespace lockstep::ui
