#include <nlohmann/json.hpp>

#include "quiz/bank.h"
#include "quiz/bank_format.h"

namespace lockstep {

using nlohmann::json;

json toJson(const Question& question) {
    json texts = json::array(), ids = json::array(), notes = json::array();
    for (const QuizOption& option : question.options) {
        texts.push_back(option.text);
        ids.push_back(option.id);
        notes.push_back(option.note);
    }
    return {
        {"number", question.number},
        {"id", question.id},
        {"topic", question.topic},
        {"stem", question.stem},
        {"options", std::move(texts)},
        {"option_ids", std::move(ids)},
        {"answer_index", question.answerIndex},
        {"explanation", question.explanation},
        {"option_notes", std::move(notes)},
        {"nuance", question.nuance},
        {"also_defensible", question.alsoDefensible},
        {"siblings", question.siblings},
        {"scene", question.scene},
        {"scenes", question.scenes},
    };
}

json toJson(const QuestionBank& bank) {
    json topics = json::array(), questions = json::array();
    for (const Topic& topic : bank.topics) topics.push_back({{"key", topic.key}, {"name", topic.name}});
    for (const Question& question : bank.questions) questions.push_back(toJson(question));
    return {
        {"format", kBankFormat}, {"version", kBankVersion},     {"id", bank.id},
        {"title", bank.title},   {"topics", std::move(topics)}, {"questions", std::move(questions)},
    };
}

}  // namespace lockstep
