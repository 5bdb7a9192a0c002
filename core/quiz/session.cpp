#include "quiz/session.h"

#include <fmt/format.h>
#include <algorithm>
#include <cassert>
#include <numeric>

#include "base/random.h"

namespace lockstep {
namespace {

std::size_t optionIndex(const Question& question, std::string_view optionId) {
    const auto found = std::find_if(question.options.begin(), question.options.end(),
                                    [&](const QuizOption& option) { return option.id == optionId; });
    return static_cast<std::size_t>(found - question.options.begin());
}

/// A stream of its own for each dealing of each question.
std::uint32_t streamIndex(int number, int reshuffles) {
    return static_cast<std::uint32_t>(number) + (static_cast<std::uint32_t>(reshuffles) << 20U);
}

}  // namespace

QuizSession::QuizSession(std::shared_ptr<const QuestionBank> bank, QuizProgress progress)
    : m_bank(std::move(bank)), m_progress(std::move(progress)) {
    assert(m_bank && !m_bank->questions.empty());
    const Question* last = m_bank->byId(m_progress.currentQuestionId);
    goTo(last == nullptr ? 0 : static_cast<std::size_t>(last - m_bank->questions.data()));
}

const Question& QuizSession::current() const { return m_bank->questions[m_current]; }

void QuizSession::goTo(std::size_t index) {
    m_current = index;
    m_progress.currentQuestionId = current().id;
}

ShownQuestion QuizSession::shown() const {
    const Question& question = current();
    const Topic* topic = m_bank->topic(question.topic);
    ShownQuestion result{.number = question.number,
                         .id = question.id,
                         .topicName = topic == nullptr ? question.topic : topic->name,
                         .stem = question.stem,
                         .options = {},
                         .state = state(question),
                         .flagged = isFlagged(question)};
    const auto order = shownOrder();
    for (std::size_t position = 0; position < kOptionCount; ++position)
        result.options[position] = question.options[order[position]].text;
    return result;
}

std::array<std::size_t, kOptionCount> QuizSession::shownOrder() const {
    const auto found = m_progress.reshuffles.find(current().id);
    const int reshuffles = found == m_progress.reshuffles.end() ? 0 : found->second;
    RandomStream stream(m_progress.seed, RandomPurpose::QuizOptions, streamIndex(current().number, reshuffles));
    std::array<std::uint32_t, kOptionCount> order{};
    std::iota(order.begin(), order.end(), 0U);
    shuffle(order, stream);
    std::array<std::size_t, kOptionCount> result{};
    std::copy(order.begin(), order.end(), result.begin());
    return result;
}

const GivenAnswer* QuizSession::answerTo(const Question& question) const {
    for (const GivenAnswer& given : m_progress.answers)
        if (given.questionId == question.id)
            return optionIndex(question, given.optionId) < kOptionCount ? &given : nullptr;
    return nullptr;
}

void QuizSession::forget(const std::string& questionId) {
    std::erase_if(m_progress.answers, [&](const GivenAnswer& given) { return given.questionId == questionId; });
}

Result<Reveal> QuizSession::answer(std::size_t position) {
    if (position >= kOptionCount)
        return fail(
            fmt::format("question {}: option {}; allowed: 1 to {}", current().number, position + 1, kOptionCount));
    if (answerTo(current()) != nullptr)
        return fail(fmt::format("question {}: already answered; allowed: undo or retry first", current().number));
    // An answer to an option that the bank no longer has would hide the new one.
    forget(current().id);
    m_progress.answers.push_back({current().id, current().options[shownOrder()[position]].id, false});
    return *reveal();
}

std::optional<Reveal> QuizSession::reveal() const {
    const Question& question = current();
    const GivenAnswer* given = answerTo(question);
    if (given == nullptr) return std::nullopt;
    const std::size_t chosen = optionIndex(question, given->optionId);
    Reveal result;
    const auto order = shownOrder();
    for (std::size_t position = 0; position < kOptionCount; ++position) {
        if (order[position] == chosen) result.chosenPosition = position;
        if (order[position] == question.answerIndex) result.rightPosition = position;
        if (question.isAlsoDefensible(order[position])) result.defensiblePositions.push_back(position);
    }
    result.right = chosen == question.answerIndex;
    result.alsoDefensible = question.isAlsoDefensible(chosen);
    result.guessed = given->guessed;
    result.chosenNote = question.options[chosen].note;
    result.explanation = question.explanation;
    result.nuance = question.nuance;
    for (const std::string& sibling : question.siblings)
        if (const Question* other = m_bank->byId(sibling)) result.siblingNumbers.push_back(other->number);
    result.scene = question.scene;
    return result;
}

bool QuizSession::setGuessed(bool guessed) {
    if (answerTo(current()) == nullptr) return false;
    for (GivenAnswer& given : m_progress.answers)
        if (given.questionId == current().id) given.guessed = guessed;
    return true;
}

bool QuizSession::canUndo() const {
    return std::any_of(m_progress.answers.begin(), m_progress.answers.end(), [&](const GivenAnswer& given) {
        const Question* question = m_bank->byId(given.questionId);
        return question != nullptr && answerTo(*question) != nullptr;
    });
}

bool QuizSession::undoLastAnswer() {
    for (auto given = m_progress.answers.rbegin(); given != m_progress.answers.rend(); ++given) {
        const Question* question = m_bank->byId(given->questionId);
        if (question == nullptr || answerTo(*question) == nullptr) continue;
        forget(question->id);
        return jumpTo(question->number);
    }
    return false;
}

bool QuizSession::retry() {
    if (answerTo(current()) == nullptr) return false;
    forget(current().id);
    constexpr int kMaxReshuffles = 4095;  // what the stream's index has room for
    int& reshuffles = m_progress.reshuffles[current().id];
    reshuffles = reshuffles >= kMaxReshuffles ? 1 : reshuffles + 1;
    return true;
}

void QuizSession::startAfresh(std::uint64_t seed) {
    m_progress = QuizProgress();
    m_progress.seed = seed;
    goTo(0);
}

bool QuizSession::next() {
    if (m_current + 1 >= m_bank->questions.size()) return false;
    goTo(m_current + 1);
    return true;
}

bool QuizSession::previous() {
    if (m_current == 0) return false;
    goTo(m_current - 1);
    return true;
}

bool QuizSession::jumpTo(int number) {
    const Question* question = m_bank->byNumber(number);
    if (question == nullptr) return false;
    goTo(static_cast<std::size_t>(question - m_bank->questions.data()));
    return true;
}

bool QuizSession::nextOpen(std::string_view topicKey) {
    const std::size_t count = m_bank->questions.size();
    for (std::size_t step = 1; step < count; ++step) {
        const std::size_t index = (m_current + step) % count;
        const Question& question = m_bank->questions[index];
        if (!topicKey.empty() && question.topic != topicKey) continue;
        if (state(question) != AnswerState::Open) continue;
        goTo(index);
        return true;
    }
    return false;
}

void QuizSession::setFlagged(bool flagged) {
    if (flagged)
        m_progress.flagged.insert(current().id);
    else
        m_progress.flagged.erase(current().id);
}

bool QuizSession::isFlagged(const Question& question) const { return m_progress.flagged.contains(question.id); }

AnswerState QuizSession::state(const Question& question) const {
    const GivenAnswer* given = answerTo(question);
    if (given == nullptr) return AnswerState::Open;
    return optionIndex(question, given->optionId) == question.answerIndex ? AnswerState::Right : AnswerState::Wrong;
}

std::vector<TopicProgress> QuizSession::topicProgress() const {
    std::vector<TopicProgress> result;
    for (const Topic& topic : m_bank->topics) {
        TopicProgress progress{.topic = topic};
        for (const Question& question : m_bank->questions) {
            if (question.topic != topic.key) continue;
            if (progress.total++ == 0) progress.firstNumber = question.number;
            const GivenAnswer* given = answerTo(question);
            if (given == nullptr) continue;
            ++progress.answered;
            progress.right += state(question) == AnswerState::Right;
            progress.guessed += given->guessed;
        }
        if (progress.total > 0) result.push_back(std::move(progress));
    }
    return result;
}

TopicProgress QuizSession::totalProgress() const {
    TopicProgress total;
    total.firstNumber = m_bank->questions.front().number;
    for (const TopicProgress& topic : topicProgress()) {
        total.answered += topic.answered;
        total.right += topic.right;
        total.guessed += topic.guessed;
        total.total += topic.total;
    }
    return total;
}

}  // namespace lockstep
