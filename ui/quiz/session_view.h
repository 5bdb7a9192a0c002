#pragma once

#include <QObject>
#include <memory>
#include <vector>

#include "quiz/bank.h"
#include "quiz/overview_page.h"
#include "quiz/progress_store.h"
#include "quiz/session.h"
#include "quiz/shown_question.h"

namespace lockstep::ui {

/// Which questions are asked.
struct QuizFilter {
    enum class Kind { All, Topic, Unanswered, Wrong, Flagged };
    Kind kind = Kind::All;
    QString topic;  ///< its id, with Kind::Topic
    bool operator==(const QuizFilter&) const = default;
};

/// Where the asking stands.
struct QuizPlace {
    QString topicTitle;
    int position = 0;             ///< from 0 within the filter
    int count = 0;                ///< questions in the filter, at least 1
    int answered = 0, total = 0;  ///< of the whole bank
    bool flagged = false, canUndo = false, isAnswered = false;
};

/// The core's answering session in the window's words, saved after every change. A filter takes its questions when it
/// is set: answering one does not take it away from under the reader.
class SessionView : public QObject {
    Q_OBJECT
public:
    /// Progress is read from and written to `progressPath`.
    SessionView(QuestionBank bank, const QString& progressPath, QObject* parent = nullptr);

    [[nodiscard]] ShownQuestion question() const;
    [[nodiscard]] ShownAnswer answer() const;
    [[nodiscard]] QuizPlace place() const;
    [[nodiscard]] QuizFilter filter() const;
    /// How many questions a filter holds now.
    [[nodiscard]] int countIn(const QuizFilter& filter) const;
    [[nodiscard]] std::vector<TopicOverview> overview() const;

    /// Answers with the option at a shown position.
    void choose(int shownOption);
    void undo();
    void toggleFlag();
    void toggleGuessed();
    /// Discards the answer and deals the options anew.
    void retry();
    void next();
    void previous();
    /// Goes to a question by its number; leaves the filter when it does not hold it.
    void goTo(int number);
    /// Nothing happens for a filter that holds no question.
    void setFilter(const QuizFilter& filter);

signals:
    void noticeRaised(const QString& text);

private:
    [[nodiscard]] std::vector<int> numbersIn(const QuizFilter& filter) const;
    [[nodiscard]] bool holds(const QuizFilter& filter, const Question& question) const;
    [[nodiscard]] int positionInFilter() const;
    void save();

    ProgressStore m_store;
    std::unique_ptr<QuizSession> m_session;
    QuizFilter m_filter;
    std::vector<int> m_numbers;  ///< the filter's questions, ascending
    bool m_saveFailed = false;   ///< said once, not with every answer
};

}  // namespace lockstep::ui
