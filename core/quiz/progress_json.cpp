#include <nlohmann/json.hpp>

#include "quiz/bank.h"
#include "quiz/progress_store.h"
#include "quiz/strict_object.h"

namespace lockstep {
namespace {

using nlohmann::json;

constexpr const char* kFormat = "lockstep-quiz-progress";
constexpr int kVersion = 1;
constexpr long long kMaxReshuffles = 4095;

Result<GivenAnswer> readAnswer(const json& value, const std::string& where) {
    StrictObject entry(value, where);
    GivenAnswer answer{entry.id("question"), entry.id("option"), entry.boolean("guessed")};
    if (const Result<void> read = entry.finish(); !read) return tl::unexpected(read.error());
    return answer;
}

Result<void> readAnswers(StrictObject& file, QuizProgress& progress) {
    std::set<std::string> seen;
    for (const json& value : file.list("answers", 0, kMaxQuestions)) {
        const std::string where = fmt::format("{}: answer {}", file.where(), progress.answers.size() + 1);
        Result<GivenAnswer> answer = readAnswer(value, where);
        if (!answer) return tl::unexpected(answer.error());
        if (!seen.insert(answer->questionId).second)
            return fail(fmt::format("{}: question: \"{}\" again; allowed: one answer each", where, answer->questionId));
        progress.answers.push_back(std::move(*answer));
    }
    return {};
}

Result<void> readReshuffles(StrictObject& file, QuizProgress& progress) {
    for (const json& value : file.list("reshuffles", 0, kMaxQuestions)) {
        StrictObject entry(value, file.where() + ": reshuffles");
        const std::string id = entry.id("question");
        const int times = static_cast<int>(entry.integer("times", 1, kMaxReshuffles));
        if (const Result<void> read = entry.finish(); !read) return read;
        progress.reshuffles[id] = times;
    }
    return {};
}

}  // namespace

std::string writeProgress(const QuizProgress& progress) {
    json answers = json::array(), reshuffles = json::array();
    for (const GivenAnswer& given : progress.answers)
        answers.push_back({{"question", given.questionId}, {"option", given.optionId}, {"guessed", given.guessed}});
    for (const auto& [id, times] : progress.reshuffles) reshuffles.push_back({{"question", id}, {"times", times}});
    json document = {{"format", kFormat},           {"version", kVersion},
                     {"seed", progress.seed},       {"answers", std::move(answers)},
                     {"flagged", progress.flagged}, {"reshuffles", std::move(reshuffles)}};
    if (!progress.currentQuestionId.empty()) document["current_question"] = progress.currentQuestionId;
    return document.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

Result<QuizProgress> readProgress(std::string_view text, std::string_view where) {
    const Result<json> document = parseJson(text, where);
    if (!document) return tl::unexpected(document.error());
    StrictObject file(*document, std::string(where));
    if (file.id("format") != kFormat) file.fault("format", "another format", kFormat);
    file.integer("version", kVersion, kVersion);
    QuizProgress progress;
    progress.seed = file.seed("seed");
    if (file.has("current_question")) progress.currentQuestionId = file.id("current_question");
    for (std::string& id : file.ids("flagged", 0, kMaxQuestions)) progress.flagged.insert(std::move(id));
    if (!file.failed())
        if (const Result<void> read = readAnswers(file, progress); !read) return tl::unexpected(read.error());
    if (!file.failed())
        if (const Result<void> read = readReshuffles(file, progress); !read) return tl::unexpected(read.error());
    if (const Result<void> read = file.finish(); !read) return tl::unexpected(read.error());
    return progress;
}

}  // namespace lockstep
