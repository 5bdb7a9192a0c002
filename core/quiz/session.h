#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "quiz/bank.h"
#include "quiz/progress.h"

namespace lockstep {

/// What is said after an answer. Positions count the options as shown, from 0.
struct Reveal {
    std::size_t chosenPosition = 0;
    std::size_t rightPosition = 0;
    bool right = false;
    bool alsoDefensible = false;  ///< the choice is wrong by the key, yet a careful reader could defend it
    bool guessed = false;
    std::string chosenNote;   ///< the note of the option chosen
    std::string explanation;  ///< why the right one is right
    std::string nuance;       ///< may be empty
    std::vector<std::size_t> defensiblePositions;
    std::vector<int> siblingNumbers;  ///< questions that ask nearly the same
    std::string scene;                ///< the experiment that shows it
};

enum class AnswerState { Open, Right, Wrong };

/// One question as the learner sees it. Nothing in it betrays the key.
struct ShownQuestion {
    int number = 0;
    std::string id;
    std::string topicName;
    std::string stem;
    std::array<std::string, kOptionCount> options;  ///< as shown
    AnswerState state = AnswerState::Open;
    bool flagged = false;
};

struct TopicProgress {
    Topic topic;
    int answered = 0, right = 0, guessed = 0, total = 0;
    int firstNumber = 0;  ///< of its questions
};

/// Answers the questions of a bank one at a time, in any order. Options are dealt in an order that depends only on
/// (seed, question, number of retries), so it stays the same when the learner comes back, also after a restart.
/// Not for use from several threads.
class QuizSession {
public:
    /// `bank` has at least one question. Answers in `progress` to questions or options that the bank does not have are
    /// kept for later and do not count.
    QuizSession(std::shared_ptr<const QuestionBank> bank, QuizProgress progress);

    [[nodiscard]] const QuestionBank& bank() const { return *m_bank; }
    [[nodiscard]] const QuizProgress& progress() const { return m_progress; }

    [[nodiscard]] const Question& current() const;
    [[nodiscard]] std::size_t currentIndex() const { return m_current; }
    [[nodiscard]] ShownQuestion shown() const;
    /// order[position] = index into Question::options.
    [[nodiscard]] std::array<std::size_t, kOptionCount> shownOrder() const;

    /// Answers the current question with the option shown at `position`. Fails for a position past the last option and
    /// for a question that is already answered; nothing is changed then.
    [[nodiscard]] Result<Reveal> answer(std::size_t position);
    /// What was revealed for the current question; empty while it is open.
    [[nodiscard]] std::optional<Reveal> reveal() const;
    /// Marks the current question's answer as a guess, or not; false when it is not answered.
    bool setGuessed(bool guessed);
    /// Takes back the answer given last and goes to its question; false when there is none.
    bool undoLastAnswer();
    [[nodiscard]] bool canUndo() const;
    /// Discards the current question's answer and deals its options anew; false when it is not answered.
    bool retry();
    /// Discards all answers and flags, deals with a new seed and goes to the first question.
    void startAfresh(std::uint64_t seed);

    /// Each gives false, and changes nothing, where there is no such question.
    bool next();
    bool previous();
    bool jumpTo(int number);
    /// The next open question after the current one, going round; within one topic unless `topicKey` is empty.
    bool nextOpen(std::string_view topicKey = {});

    void setFlagged(bool flagged);
    [[nodiscard]] AnswerState state(const Question& question) const;
    [[nodiscard]] bool isFlagged(const Question& question) const;

    /// In the order of the bank's topics; topics without questions are left out.
    [[nodiscard]] std::vector<TopicProgress> topicProgress() const;
    /// Over all topics; its `topic` is empty.
    [[nodiscard]] TopicProgress totalProgress() const;

private:
    [[nodiscard]] const GivenAnswer* answerTo(const Question& question) const;
    void goTo(std::size_t index);
    void forget(const std::string& questionId);

    std::shared_ptr<const QuestionBank> m_bank;
    QuizProgress m_progress;
    std::size_t m_current = 0;
};

}  // namespace lockstep
