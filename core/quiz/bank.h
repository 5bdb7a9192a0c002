#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "quiz/question.h"

namespace lockstep {

/// Limits of a bank file, in characters (code points): a question has to be readable from the last row.
inline constexpr std::size_t kMaxStemLength = 120;
inline constexpr std::size_t kMaxOptionLength = 96;
inline constexpr std::size_t kMaxNoteLength = 1200;  ///< of a note, an explanation or a nuance
inline constexpr std::size_t kMaxQuestions = 5000;
inline constexpr std::size_t kMaxBankBytes = 16'000'000;

/// Questions in order of their number, and their topics in order of teaching. An immutable value.
struct QuestionBank {
    std::string id;     ///< for example "distributed-training-worksheet"
    std::string title;  ///< as shown
    std::vector<Topic> topics;
    std::vector<Question> questions;  ///< numbers ascending; ids unique

    bool operator==(const QuestionBank&) const = default;

    /// nullptr where there is none.
    [[nodiscard]] const Question* byId(std::string_view id) const;
    [[nodiscard]] const Question* byNumber(int number) const;
    [[nodiscard]] const Topic* topic(std::string_view key) const;
};

/// The 73 questions that are built into the program (resources/quiz/questions.json). They are tested to be valid.
[[nodiscard]] Result<QuestionBank> loadBuiltinBank();

/// Reads a bank from JSON text. Every key is required but `nuance`, `also_defensible`, `siblings` and `scenes`; unknown
/// keys, wrong types, empty or over-long texts, equal options, repeated ids or numbers, and references to a missing
/// question or topic fail with one line that names place (`where`), question, key, value and what is allowed.
[[nodiscard]] Result<QuestionBank> readBank(std::string_view text, std::string_view where);

/// One question as in a bank file: `number`, `id`, `topic`, `stem`, `options` (four texts in worksheet order),
/// `option_ids`, `option_notes`, `answer_index`, `explanation`, `nuance`, `also_defensible`, `siblings`, `scene`,
/// `scenes`.
[[nodiscard]] nlohmann::json toJson(const Question& question);

/// The whole bank; readBank() of its text gives an equal bank.
[[nodiscard]] nlohmann::json toJson(const QuestionBank& bank);

}  // namespace lockstep
