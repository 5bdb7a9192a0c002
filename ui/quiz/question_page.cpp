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
    : QScrollArea(parent), m_theme(theme), m_content(new QWidget), m_stem(new TextBlock(m_content)),
      m_notes(new AnswerNotes(theme, m_content)) {
    m_stem->setObjectName(QStringLiteral("stem"));
    m_layout = new QVBoxLayout(m_content);
    m_cardLayout = new QVBoxLayout;
    m_layout->addWidget(m_stem);
    m_layout->addLayout(m_cardLayout);
    m_layout->addWidget(m_notes);
    m_layout->addStretch(1);
    setWidget(m_content);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::NoFocus);
    viewport()->setAutoFillBackground(false);
    m_content->setAutoFillBackground(false);
    setAccessibleName(tr("Question"));
    connect(m_notes, &AnswerNotes::questionRequested, this, &QuestionPage::questionRequested);
    connect(m_notes, &AnswerNotes::sceneRequested, this, &QuestionPage::sceneRequested);
    connect(&theme, &Theme::themeChanged, this, &QuestionPage::restyle);
    restyle();
}

void QuestionPage::restyle() {
    const Metrics& m = m_theme.metrics();
    m_layout->setContentsMargins(m.marginPx, m.px(12), m.marginPx, m.px(10));
    m_layout->setSpacing(m.px(14));
    m_cardLayout->setSpacing(m.px(8));
    m_stem->setLook(m.title, m_theme.colours().text);
}

void QuestionPage::provideCards(int count) {
    while (static_cast<int>(m_cards.size()) < count) {
        const int option = static_cast<int>(m_cards.size());
        auto* card = new OptionCard(m_theme, option + 1, m_content);
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
            state = option.right ? OptionCard::State::Right : chosen ? OptionCard::State::Wrong : OptionCard::State::Other;
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

void QuestionPage::resizeEvent(QResizeEvent* event) {
    QScrollArea::resizeEvent(event);
    verticalScrollBar()->setSingleStep(m_theme.metrics().px(24));
}

}  // namespace lockstep::ui
