#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace lockstep {

inline constexpr std::size_t kOptionCount = 4;

/// One way to answer a question. Progress refers to `id`, never to a place in a list or a letter.
struct QuizOption {
    std::string id;    ///< unique within its question and never reused, for example "o2"
    std::string text;  ///< plain text, at most kMaxOptionLength characters
    std::string note;  ///< why one may pick it, and what is right or wrong about that

    bool operator==(const QuizOption&) const = default;
};

/// A multiple-choice question with one key. All text is plain (no markup).
struct Question {
    int number = 0;     ///< place in the worksheet, from 1
    std::string id;     ///< stable, for example "ws-045"
    std::string topic;  ///< key of a Topic of the bank
    std::string stem;
    std::array<QuizOption, kOptionCount> options;  ///< in the order of the worksheet; shuffled only when shown
    std::size_t answerIndex = 0;                   ///< of `options`
    std::string explanation;                       ///< why the key is right
    std::string nuance;                            ///< what is exactly true where the key simplifies; may be empty
    std::vector<std::size_t> alsoDefensible;       ///< wrong options that a careful reader could defend, ascending
    std::vector<std::string> siblings;             ///< ids of questions that ask nearly the same
    std::string scene;                             ///< the experiment that shows the answer best
    std::vector<std::string> scenes;               ///< all experiments that touch it, `scene` among them

    bool operator==(const Question&) const = default;

    [[nodiscard]] bool isAlsoDefensible(std::size_t option) const;
};

/// A chapter of the bank.
struct Topic {
    std::string key;   ///< for example "parameter-server"
    std::string name;  ///< as shown, for example "Parameter server"

    bool operator==(const Topic&) const = default;
};

}  // namespace lockstep
