#pragma once

#include <vector>

#include "quiz/margin_scroll_area.h"
#include "quiz/question_chip.h"
#include "quiz/topic_row.h"

class QVBoxLayout;

namespace lockstep::ui {

class TextBlock;

/// A topic's counts and its questions, for the overview.
struct TopicOverview {
    TopicCount count;
    std::vector<QuestionMark> questions;
};

/// Progress by topic, and every question as a chip to jump to.
class OverviewPage : public MarginScrollArea {
    Q_OBJECT
public:
    explicit OverviewPage(Theme& theme, QWidget* parent = nullptr);

    void showTopics(const std::vector<TopicOverview>& topics);
    [[nodiscard]] const std::vector<TopicRow*>& rows() const { return m_rows; }
    [[nodiscard]] const std::vector<QuestionChip*>& chips() const { return m_chips; }

signals:
    void topicRequested(const QString& topic);
    void questionRequested(int number);

private:
    void restyle();
    void addTopic(const TopicOverview& topic);
    void moveFocus(QuestionChip* from, int steps);

    Theme& m_theme;
    QVBoxLayout* m_topicLayout;
    TextBlock* m_summary;
    std::vector<TopicRow*> m_rows;
    std::vector<QuestionChip*> m_chips;
};

}  // namespace lockstep::ui
