#include "quiz/quiz_footer.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QToolButton>

#include "quiz/flow_layout.h"
#include "quiz/glyph.h"
#include "quiz/session_view.h"
#include "theme/theme.h"

namespace lockstep::ui {

QuizFooter::QuizFooter(Theme& theme, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_layout(new QHBoxLayout(this)) {
    auto* links = new QWidget(this);
    m_flow = new FlowLayout(links);
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    links->setSizePolicy(policy);
    m_layout->addWidget(links, 1, Qt::AlignVCenter);
    m_undo = addSmallButton(tr("U undo"), tr("Undo"), tr("Takes the last answer back (U)"), false);
    m_flag = addSmallButton(tr("F flag"), tr("Flag"), tr("Flags this question to come back to (F)"), true);
    m_guessed = addSmallButton(tr("G guessed"), tr("Guessed"), tr("Marks the answer as a guess (G)"), true);
    m_retry =
        addSmallButton(tr("R again"), tr("Again"), tr("Forgets the answer and deals the options anew (R)"), false);
    m_reveal = addSmallButton(tr("A reveal"), tr("Reveal"), tr("Shows the answer (A)"), false);
    m_previous = new QPushButton(this);
    m_previous->setAccessibleName(tr("Previous question"));
    m_previous->setToolTip(tr("Previous question (Backspace)"));
    m_previous->setFocusPolicy(Qt::TabFocus);
    m_next = new QPushButton(tr("Next ↵"), this);
    m_next->setAccessibleName(tr("Next question"));
    m_next->setToolTip(tr("Next question (Enter)"));
    m_next->setFocusPolicy(Qt::TabFocus);
    m_layout->addWidget(m_previous, 0, Qt::AlignBottom);
    m_layout->addWidget(m_next, 0, Qt::AlignBottom);
    connect(m_undo, &QToolButton::clicked, this, &QuizFooter::undoRequested);
    connect(m_flag, &QToolButton::clicked, this, &QuizFooter::flagRequested);
    connect(m_guessed, &QToolButton::clicked, this, &QuizFooter::guessedRequested);
    connect(m_retry, &QToolButton::clicked, this, &QuizFooter::retryRequested);
    connect(m_reveal, &QToolButton::clicked, this, &QuizFooter::revealRequested);
    connect(m_previous, &QPushButton::clicked, this, &QuizFooter::previousRequested);
    connect(m_next, &QPushButton::clicked, this, &QuizFooter::nextRequested);
    connect(&theme, &Theme::themeChanged, this, &QuizFooter::restyle);
    restyle();
}

/// Clicks leave the focus where it is, so that Enter still means Next after one.
QToolButton* QuizFooter::addSmallButton(const QString& text, const QString& name, const QString& help, bool checkable) {
    auto* button = new QToolButton(this);
    button->setText(text);
    button->setAccessibleName(name);
    button->setToolTip(help);
    button->setCheckable(checkable);
    button->setProperty("role", "plain");
    button->setFocusPolicy(Qt::TabFocus);
    m_flow->addWidget(button);
    return button;
}

void QuizFooter::restyle() {
    const Metrics& m = m_theme.metrics();
    const Colours& c = m_theme.colours();
    m_layout->setContentsMargins(m.marginPx - m.px(4), m.px(8), m.marginPx, m.px(12));
    m_layout->setSpacing(m.px(6));
    m_flow->setGapPx(m.px(2));
    for (QToolButton* button : {m_undo, m_flag, m_guessed, m_retry, m_reveal}) button->setFont(m.small);
    m_previous->setIcon(glyphIcon(QStringLiteral("previous"), m.px(14), c.text, c.hairline));
    m_previous->setIconSize({m.px(14), m.px(14)});
    for (QPushButton* button : {m_previous, m_next}) button->setFixedHeight(m.px(30));
}

void QuizFooter::showState(const QuizPlace& place, bool guessed, bool revealed, bool presenting) {
    m_undo->setVisible(!presenting);
    m_guessed->setVisible(!presenting);
    m_retry->setVisible(!presenting);
    m_reveal->setVisible(presenting);
    m_undo->setEnabled(place.canUndo);
    m_guessed->setEnabled(place.isAnswered);
    m_retry->setEnabled(place.isAnswered);
    m_reveal->setEnabled(!revealed);
    m_flag->setChecked(place.flagged);
    m_guessed->setChecked(guessed);
    m_previous->setEnabled(place.position > 0);
    const bool atEnd = place.position + 1 >= place.count;
    m_next->setText(atEnd ? tr("Overview ↵") : tr("Next ↵"));
    m_next->setAccessibleName(atEnd ? tr("Overview") : tr("Next question"));
    m_next->setToolTip(atEnd ? tr("That was the last one: the overview (Enter)") : tr("Next question (Enter)"));
}

}  // namespace lockstep::ui
