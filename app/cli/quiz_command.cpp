#include <fmt/format.h>

#include "cli/commands.h"
#include "quiz/bank.h"

namespace lockstep::cli {
namespace {

struct QuizListOptions {
    bool json = false;
    bool withKey = false;
};

void printQuestion(const QuestionBank& bank, const Question& question, bool withKey) {
    const Topic* topic = bank.topic(question.topic);
    printLine(fmt::format("{}. {}  [{}]", question.number, question.stem, topic ? topic->name : question.topic));
    for (std::size_t i = 0; i < question.options.size(); ++i)
        printLine(fmt::format("   {} {}) {}", withKey && i == question.answerIndex ? "*" : " ",
                              static_cast<char>('a' + i), question.options[i].text));
    if (withKey) printLine("     " + question.explanation);
}

Exit runQuizList(const QuizListOptions& options) {
    const Result<QuestionBank> bank = loadBuiltinBank();
    if (!bank) return report(bank.error(), Exit::Failed);
    if (options.json) {
        printJson(toJson(*bank)["questions"]);
        return Exit::Done;
    }
    for (const Question& question : bank->questions) printQuestion(*bank, question, options.withKey);
    return Exit::Done;
}

}  // namespace

void addQuiz(CLI::App& app, Exit& exit) {
    CLI::App* quiz = app.add_subcommand("quiz", "The question bank")->require_subcommand(1);
    auto list = std::make_shared<QuizListOptions>();
    CLI::App* listCommand = quiz->add_subcommand("list", "All questions in the worksheet's order");
    listCommand->add_flag("--json", list->json,
                          "print one JSON document: an array with one entry per question, key included");
    listCommand->add_flag("--key", list->withKey, "mark the right options and print the explanations");
    listCommand->callback([=, &exit] { exit = runQuizList(*list); });
}

}  // namespace lockstep::cli
