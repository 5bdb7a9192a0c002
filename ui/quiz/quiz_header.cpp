#include "quiz/quiz_header.h"

#include <QHBoxLayout>
#include <QProgressBar>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>

#include "quiz/glyph.h"
#include "quiz/text_block.h"
#include "theme/theme.h"
#include "widgets/choice_box.h"

namespace lockstep::ui {

QuizHeader::QuizHeader(Theme& theme, QWidget* parent)
    : QWidget(parent),
      m_theme(theme),
      m_layout(new QVBoxLayout(this)),
      m_firstRow(new QHBoxLayout),
      m_secondRow(new QHBoxLayout),
      m_filterBox(new ChoiceBox(theme, this)),
      m_overviewButton(new QToolButton(this)),
      m_place(new TextBlock(this)),
      m_answered(new TextBlock(this)),
      m_progress(new QProgressBar(this)) {
    m_filterBox->setShrinkable();
    m_filterBox->setAccessibleName(tr("Questions asked"));
    m_filterBox->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    m_overviewButton->setCheckable(true);
    m_overviewButton->setFocusPolicy(Qt::TabFocus);
    m_overviewButton->setAccessibleName(tr("Overview of topics and questions"));
    m_overviewButton->setToolTip(tr("Overview of topics and questions (O)"));
    m_progress->setTextVisible(false);
    m_firstRow->addWidget(m_filterBox, 1);
    m_firstRow->addWidget(m_overviewButton);
    m_secondRow->addWidget(m_place, 1);
    m_secondRow->addWidget(m_answered);
    m_layout->addLayout(m_firstRow);
    m_layout->addLayout(m_secondRow);
    m_layout->addWidget(m_progress);
    connect(m_filterBox, &QComboBox::activated, this,
            [this](int index) { emit filterChosen(m_filters[static_cast<size_t>(index)]); });
    connect(m_overviewButton, &QToolButton::toggled, this, &QuizHeader::overviewToggled);
    connect(&theme, &Theme::themeChanged, this, &QuizHeader::restyle);
    restyle();
}

void QuizHeader::restyle() {
    const Metrics& m = m_theme.metrics();
    const Colours& c = m_theme.colours();
    m_layout->setContentsMargins(m.marginPx, m.px(10), m.marginPx, m.px(4));
    m_layout->setSpacing(m.px(8));
    m_firstRow->setSpacing(m.px(6));
    m_secondRow->setSpacing(m.px(8));
    m_place->setLook(m.small, c.mutedText);
    m_answered->setLook(m.small, c.mutedText);
    m_overviewButton->setIcon(glyphIcon(QStringLiteral("list"), m.px(16), c.text, c.mutedText));
    m_overviewButton->setIconSize({m.px(16), m.px(16)});
    m_overviewButton->setFixedHeight(m.px(28));
    m_filterBox->setFixedHeight(m.px(28));
}

QString QuizHeader::placeText() const { return m_place->text(); }

void QuizHeader::showSession(const SessionView& session) {
    const QuizPlace place = session.place();
    m_place->setText(tr("%1 · %2 of %3").arg(place.topicTitle).arg(place.position + 1).arg(place.count));
    m_answered->setText(tr("%1 answered").arg(place.answered));
    m_progress->setRange(0, place.count);
    m_progress->setValue(place.position + 1);
    m_progress->setAccessibleName(m_place->text());
    showFilters(session);
}

void QuizHeader::showFilters(const SessionView& session) {
    using Kind = QuizFilter::Kind;
    const QSignalBlocker blocker(m_filterBox);
    m_filterBox->clear();
    m_filters.clear();
    const auto add = [&](const QuizFilter& filter, const QString& text, const QString& emptyReason) {
        m_filterBox->addItem(text);
        m_filters.push_back(filter);
        if (filter == session.filter()) m_filterBox->setCurrentIndex(m_filterBox->count() - 1);
        if (session.countIn(filter) == 0) m_filterBox->setEntryDisabled(m_filterBox->count() - 1, emptyReason);
    };
    const auto counted = [&](const QuizFilter& filter, const QString& name) {
        return tr("%1 (%2)").arg(name).arg(session.countIn(filter));
    };
    add({Kind::All, {}}, tr("All questions in order"), tr("There are no questions."));
    add({Kind::Unanswered, {}}, counted({Kind::Unanswered, {}}, tr("Unanswered")), tr("Every question is answered."));
    add({Kind::Wrong, {}}, counted({Kind::Wrong, {}}, tr("Answered wrong")), tr("No answer was wrong."));
    add({Kind::Flagged, {}}, counted({Kind::Flagged, {}}, tr("Flagged")), tr("No question is flagged."));
    m_filterBox->insertSeparator(m_filterBox->count());
    m_filters.push_back({});  // the separator's row, which cannot be chosen
    for (const TopicOverview& topic : session.overview())
        add({Kind::Topic, topic.count.id},
            tr("%1 · %2/%3").arg(topic.count.title).arg(topic.count.answered).arg(topic.count.total), {});
}

void QuizHeader::setOverviewShown(bool shown) {
    const QSignalBlocker blocker(m_overviewButton);
    m_overviewButton->setChecked(shown);
    m_place->setVisible(!shown);
    m_answered->setVisible(!shown);
    m_progress->setVisible(!shown);
}

}  // namespace lockstep::ui
