#include <algorithm>
#include <map>

#include "quiz/bank.h"
#include "quiz/bank_format.h"
#include "quiz/strict_object.h"

namespace lockstep {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxTopics = 200;
constexpr std::size_t kMaxReferences = 64;  ///< siblings or scenes of one question
constexpr std::size_t kMaxNameLength = 120;
constexpr long long kMaxNumber = 1'000'000;

void checkOptions(StrictObject& entry, const Question& question) {
    for (std::size_t i = 0; i < kOptionCount; ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (question.options[i].text == question.options[j].text)
                entry.fault("options", shownJson(question.options[i].text), "four different texts");
    if (question.isAlsoDefensible(question.answerIndex))
        entry.fault("also_defensible", std::to_string(question.answerIndex), "wrong options only");
}

Result<Question> readQuestion(const json& value, const std::string& where) {
    StrictObject entry(value, where);
    Question question;
    question.number = static_cast<int>(entry.integer("number", 1, kMaxNumber));
    question.id = entry.id("id");
    question.topic = entry.id("topic");
    question.stem = entry.text("stem", 1, kMaxStemLength);
    const std::vector<std::string> texts = entry.texts("options", kOptionCount, kMaxOptionLength);
    const std::vector<std::string> ids = entry.ids("option_ids", kOptionCount, kOptionCount);
    const std::vector<std::string> notes = entry.texts("option_notes", kOptionCount, kMaxNoteLength);
    for (std::size_t i = 0; i < kOptionCount; ++i) question.options[i] = {ids[i], texts[i], notes[i]};
    question.answerIndex = static_cast<std::size_t>(entry.integer("answer_index", 0, kOptionCount - 1));
    question.explanation = entry.text("explanation", 1, kMaxNoteLength);
    if (entry.has("nuance")) question.nuance = entry.text("nuance", 0, kMaxNoteLength);
    if (entry.has("also_defensible")) question.alsoDefensible = entry.indices("also_defensible", kOptionCount - 1);
    if (entry.has("siblings")) question.siblings = entry.ids("siblings", 0, kMaxReferences);
    question.scene = entry.id("scene");
    question.scenes = entry.has("scenes") ? entry.ids("scenes", 1, kMaxReferences) : std::vector{question.scene};
    if (!entry.failed()) {
        checkOptions(entry, question);
        if (std::find(question.scenes.begin(), question.scenes.end(), question.scene) == question.scenes.end())
            entry.fault("scenes", shownJson(question.scenes),
                        fmt::format("a list with \"{}\", the scene", question.scene));
    }
    if (const Result<void> read = entry.finish(); !read) return tl::unexpected(read.error());
    return question;
}

Result<void> readTopics(StrictObject& file, QuestionBank& bank) {
    for (const json& value : file.list("topics", 1, kMaxTopics)) {
        StrictObject entry(value, fmt::format("{}: topic {}", file.where(), bank.topics.size() + 1));
        Topic topic{entry.id("key"), entry.text("name", 1, kMaxNameLength)};
        if (bank.topic(topic.key) != nullptr) entry.fault("key", shownJson(topic.key), "each topic once");
        if (const Result<void> read = entry.finish(); !read) return read;
        bank.topics.push_back(std::move(topic));
    }
    return {};
}

Result<void> readQuestions(StrictObject& file, QuestionBank& bank) {
    std::size_t place = 0;
    for (const json& value : file.list("questions", 1, kMaxQuestions)) {
        ++place;
        const bool isNamed = value.is_object() && value.contains("id") && value["id"].is_string();
        const std::string name = isNamed ? shownJson(value["id"]) : std::to_string(place);
        Result<Question> question = readQuestion(value, fmt::format("{}: question {}", file.where(), name));
        if (!question) return tl::unexpected(question.error());
        bank.questions.push_back(std::move(*question));
    }
    return {};
}

/// What can be told only when all questions are known.
Result<void> checkReferences(const QuestionBank& bank, std::string_view where) {
    std::map<std::string_view, int> numberOf;
    int previous = 0;
    for (const Question& question : bank.questions) {
        const auto place = [&] { return fmt::format("{}: question \"{}\"", where, question.id); };
        if (!numberOf.emplace(question.id, question.number).second)
            return fail(fmt::format("{}: id: is there twice; allowed: each id once", place()));
        if (question.number <= previous)
            return fail(
                fmt::format("{}: number: {} after {}; allowed: ascending numbers", place(), question.number, previous));
        previous = question.number;
        if (bank.topic(question.topic) == nullptr)
            return fail(fmt::format("{}: topic: \"{}\"; allowed: a key of \"topics\"", place(), question.topic));
    }
    for (const Question& question : bank.questions)
        for (const std::string& sibling : question.siblings)
            if (sibling == question.id || !numberOf.contains(sibling))
                return fail(fmt::format("{}: question \"{}\": siblings: \"{}\"; allowed: ids of other questions", where,
                                        question.id, sibling));
    return {};
}

}  // namespace

Result<QuestionBank> readBank(std::string_view text, std::string_view where) {
    if (text.size() > kMaxBankBytes)
        return fail(fmt::format("{}: {} bytes; allowed: at most {}", where, text.size(), kMaxBankBytes));
    const Result<json> document = parseJson(text, where);
    if (!document) return tl::unexpected(document.error());

    StrictObject file(*document, std::string(where));
    if (file.text("format", 1, kMaxNameLength) != kBankFormat)
        file.fault("format", file.has("format") ? shownJson((*document)["format"]) : "missing", kBankFormat);
    file.integer("version", kBankVersion, kBankVersion);
    QuestionBank bank;
    bank.id = file.id("id");
    bank.title = file.text("title", 1, kMaxNameLength);
    if (!file.failed())
        if (const Result<void> read = readTopics(file, bank); !read) return tl::unexpected(read.error());
    if (!file.failed())
        if (const Result<void> read = readQuestions(file, bank); !read) return tl::unexpected(read.error());
    if (const Result<void> read = file.finish(); !read) return tl::unexpected(read.error());
    if (const Result<void> sound = checkReferences(bank, where); !sound) return tl::unexpected(sound.error());
    return bank;
}

}  // namespace lockstep
