#include "quiz/session_view.h"

#include <QFile>
#include <QRandomGenerator>
#include <algorithm>

namespace lockstep::ui {
namespace {

QString text(const std::string& utf8) { return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size())); }

std::filesystem::path pathOf(const QString& path) { return QFile::encodeName(path).toStdString(); }

QuestionMark::State markState(AnswerState state) {
    switch (state) {
        case AnswerState::Right:
            return QuestionMark::State::Right;
        case AnswerState::Wrong:
            return QuestionMark::State::Wrong;
        case AnswerState::Open:
            break;
    }
    return QuestionMark::State::Open;
}

}  // namespace

SessionView::SessionView(QuestionBank bank, const QString& progressPath, QObject* parent)
    : QObject(parent), m_store(pathOf(progressPath)) {
    LoadedProgress loaded = m_store.load(QRandomGenerator::system()->generate64());
    m_session = std::make_unique<QuizSession>(std::make_shared<const QuestionBank>(std::move(bank)),
                                              std::move(loaded.progress));
    m_numbers = numbersIn(m_filter);
    if (loaded.warning.empty()) return;
    // Nobody can be connected yet: it is said with the next turn of the event loop.
    QMetaObject::invokeMethod(
        this, [this, warning = text(loaded.warning)] { emit noticeRaised(warning); }, Qt::QueuedConnection);
}

ShownQuestion SessionView::question() const {
    const Question& asked = m_session->current();
    ShownQuestion shown;
    shown.number = asked.number;
    shown.stem = text(asked.stem);
    shown.explanation = text(asked.explanation);
    shown.nuance = text(asked.nuance);
    shown.scene = text(asked.scene);
    for (const size_t index : m_session->shownOrder()) {
        const QuizOption& option = asked.options[index];
        shown.options.push_back({.text = text(option.text),
                                 .note = text(option.note),
                                 .right = index == asked.answerIndex,
                                 .defensible = asked.isAlsoDefensible(index)});
    }
    for (const std::string& id : asked.siblings)
        if (const Question* sibling = m_session->bank().byId(id)) shown.siblings.push_back(sibling->number);
    return shown;
}

ShownAnswer SessionView::answer() const {
    const std::optional<Reveal> reveal = m_session->reveal();
    if (!reveal) return {};
    return {.chosen = static_cast<int>(reveal->chosenPosition), .revealed = true, .guessed = reveal->guessed};
}

QuizPlace SessionView::place() const {
    const Question& asked = m_session->current();
    const Topic* topic = m_session->bank().topic(asked.topic);
    const lockstep::TopicProgress all = m_session->totalProgress();
    return {.topicTitle = topic != nullptr ? text(topic->name) : QString(),
            .position = positionInFilter(),
            .count = static_cast<int>(m_numbers.size()),
            .answered = all.answered,
            .total = all.total,
            .flagged = m_session->isFlagged(asked),
            .canUndo = m_session->canUndo(),
            .isAnswered = m_session->state(asked) != AnswerState::Open};
}

QuizFilter SessionView::filter() const { return m_filter; }

int SessionView::countIn(const QuizFilter& filter) const { return static_cast<int>(numbersIn(filter).size()); }

std::vector<TopicOverview> SessionView::overview() const {
    std::vector<TopicOverview> topics;
    for (const lockstep::TopicProgress& progress : m_session->topicProgress()) {
        TopicOverview topic{.count = {.id = text(progress.topic.key),
                                      .title = text(progress.topic.name),
                                      .total = progress.total,
                                      .answered = progress.answered,
                                      .right = progress.right},
                            .questions = {}};
        for (const Question& question : m_session->bank().questions) {
            if (question.topic != progress.topic.key) continue;
            topic.questions.push_back({.number = question.number,
                                       .state = markState(m_session->state(question)),
                                       .flagged = m_session->isFlagged(question),
                                       .current = question.number == m_session->current().number});
        }
        topics.push_back(std::move(topic));
    }
    return topics;
}

void SessionView::choose(int shownOption) {
    if (m_session->answer(static_cast<size_t>(shownOption))) save();
}

void SessionView::undo() {
    if (!m_session->undoLastAnswer()) return;
    goTo(m_session->current().number);
}

void SessionView::toggleFlag() {
    m_session->setFlagged(!m_session->isFlagged(m_session->current()));
    save();
}

void SessionView::toggleGuessed() {
    if (m_session->setGuessed(!answer().guessed)) save();
}

void SessionView::retry() {
    if (m_session->retry()) save();
}

void SessionView::next() {
    const int to = positionInFilter() + 1;
    if (to < static_cast<int>(m_numbers.size())) goTo(m_numbers[static_cast<size_t>(to)]);
}

void SessionView::previous() {
    const int to = positionInFilter() - 1;
    if (to >= 0) goTo(m_numbers[static_cast<size_t>(to)]);
}

void SessionView::goTo(int number) {
    if (number != m_session->current().number && !m_session->jumpTo(number)) return;
    if (!std::binary_search(m_numbers.begin(), m_numbers.end(), number)) {
        m_filter = {};
        m_numbers = numbersIn(m_filter);
    }
    save();
}

void SessionView::setFilter(const QuizFilter& filter) {
    const std::vector<int> numbers = numbersIn(filter);
    if (numbers.empty()) return;
    m_filter = filter;
    m_numbers = numbers;
    if (std::binary_search(numbers.begin(), numbers.end(), m_session->current().number)) return;
    const auto open = std::find_if(numbers.begin(), numbers.end(), [this](int number) {
        return m_session->state(*m_session->bank().byNumber(number)) == AnswerState::Open;
    });
    goTo(open != numbers.end() ? *open : numbers.front());
}

std::vector<int> SessionView::numbersIn(const QuizFilter& filter) const {
    std::vector<int> numbers;
    for (const Question& question : m_session->bank().questions)
        if (holds(filter, question)) numbers.push_back(question.number);
    return numbers;
}

bool SessionView::holds(const QuizFilter& filter, const Question& question) const {
    switch (filter.kind) {
        case QuizFilter::Kind::All:
            return true;
        case QuizFilter::Kind::Topic:
            return text(question.topic) == filter.topic;
        case QuizFilter::Kind::Unanswered:
            return m_session->state(question) == AnswerState::Open;
        case QuizFilter::Kind::Wrong:
            return m_session->state(question) == AnswerState::Wrong;
        case QuizFilter::Kind::Flagged:
            return m_session->isFlagged(question);
    }
    return false;
}

int SessionView::positionInFilter() const {
    const auto at = std::lower_bound(m_numbers.begin(), m_numbers.end(), m_session->current().number);
    return static_cast<int>(at - m_numbers.begin());
}

void SessionView::save() {
    const Result<void> saved = m_store.save(m_session->progress());
    if (!saved && !m_saveFailed)
        emit noticeRaised(tr("Progress in the quiz is not kept: %1").arg(text(saved.error().message)));
    m_saveFailed = !saved;
}

}  // namespace lockstep::ui
