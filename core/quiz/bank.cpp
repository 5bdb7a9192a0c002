#include "quiz/bank.h"

#include <algorithm>

#include "base/embedded.h"

namespace lockstep {

bool Question::isAlsoDefensible(std::size_t option) const {
    return std::find(alsoDefensible.begin(), alsoDefensible.end(), option) != alsoDefensible.end();
}

const Question* QuestionBank::byId(std::string_view wanted) const {
    const auto found =
        std::find_if(questions.begin(), questions.end(), [&](const Question& q) { return q.id == wanted; });
    return found == questions.end() ? nullptr : &*found;
}

const Question* QuestionBank::byNumber(int number) const {
    const auto found = std::lower_bound(questions.begin(), questions.end(), number,
                                        [](const Question& q, int wanted) { return q.number < wanted; });
    return found == questions.end() || found->number != number ? nullptr : &*found;
}

const Topic* QuestionBank::topic(std::string_view key) const {
    const auto found = std::find_if(topics.begin(), topics.end(), [&](const Topic& t) { return t.key == key; });
    return found == topics.end() ? nullptr : &*found;
}

Result<QuestionBank> loadBuiltinBank() {
    constexpr std::string_view kPath = "quiz/questions.json";
    const std::optional<std::string_view> text = embeddedFile(kPath);
    if (!text) return fail("quiz/questions.json: not built into this program");
    return readBank(*text, kPath);
}

}  // namespace lockstep
