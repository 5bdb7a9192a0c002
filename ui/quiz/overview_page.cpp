#include "quiz/overview_page.h"

#include <QVBoxLayout>
#include <algorithm>

#include "quiz/flow_layout.h"
#include "quiz/text_block.h"
#include "theme/theme.h"

namespace lockstep::ui {

OverviewPage::OverviewPage(Theme& theme, QWidget* parent)
    : MarginScrollArea(theme, parent),
      m_theme(theme),
      m_topicLayout(new QVBoxLayout),
      m_summary(new TextBlock(widget())) {
    column()->addWidget(m_summary);
    column()->addLayout(m_topicLayout);
    column()->addStretch(1);
    setAccessibleName(tr("Progress by topic"));
    connect(&theme, &Theme::themeChanged, this, &OverviewPage::restyle);
    restyle();
}

void OverviewPage::restyle() {
    const Metrics& m = m_theme.metrics();
    column()->setSpacing(m.px(10));
    m_topicLayout->setSpacing(m.px(6));
    m_summary->setLook(m.title, m_theme.colours().text);
}

void OverviewPage::showTopics(const std::vector<TopicOverview>& topics) {
    while (QLayoutItem* item = m_topicLayout->takeAt(0)) {
        item->widget()->hide();
        item->widget()->deleteLater();
        delete item;
    }
    m_rows.clear();
    m_chips.clear();
    TopicCount all;
    for (const TopicOverview& topic : topics) {
        all.total += topic.count.total, all.answered += topic.count.answered, all.right += topic.count.right;
        addTopic(topic);
    }
    m_summary->setText(TopicRow::countText(all));
}

void OverviewPage::addTopic(const TopicOverview& topic) {
    auto* row = new TopicRow(m_theme, topic.count, widget());
    connect(row, &TopicRow::clicked, this, [this, id = topic.count.id] { emit topicRequested(id); });
    m_topicLayout->addWidget(row);
    m_rows.push_back(row);
    auto* chips = new QWidget(widget());
    auto* flow = new FlowLayout(chips);
    const int padding = m_theme.metrics().px(4);
    flow->setContentsMargins(padding, 0, padding, padding);
    flow->setGapPx(padding);
    for (const QuestionMark& mark : topic.questions) {
        auto* chip = new QuestionChip(m_theme, mark, chips);
        // One tab stop a topic; the arrow keys walk on from there.
        chip->setFocusPolicy(&mark == &topic.questions.front() ? Qt::StrongFocus : Qt::ClickFocus);
        connect(chip, &QuestionChip::clicked, this, [this, number = mark.number] { emit questionRequested(number); });
        connect(chip, &QuestionChip::focusMoveRequested, this, [this, chip](int steps) { moveFocus(chip, steps); });
        flow->addWidget(chip);
        m_chips.push_back(chip);
    }
    m_topicLayout->addWidget(chips);
}

void OverviewPage::moveFocus(QuestionChip* from, int steps) {
    const auto at = std::find(m_chips.begin(), m_chips.end(), from) - m_chips.begin();
    const auto to = std::clamp<std::ptrdiff_t>(at + steps, 0, static_cast<std::ptrdiff_t>(m_chips.size()) - 1);
    QuestionChip* chip = m_chips[static_cast<size_t>(to)];
    chip->setFocus(steps > 0 ? Qt::TabFocusReason : Qt::BacktabFocusReason);
    ensureWidgetVisible(chip);
}

}  // namespace lockstep::ui
