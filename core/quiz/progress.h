#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace lockstep {

/// What a learner chose. Whether that was right is told by the bank, so a corrected key corrects old answers too.
struct GivenAnswer {
    std::string questionId;
    std::string optionId;
    bool guessed = false;  ///< the learner said so

    bool operator==(const GivenAnswer&) const = default;
};

/// All that a session must remember between two starts of the program.
struct QuizProgress {
    std::uint64_t seed = 1;                 ///< of the order in which options are shown
    std::string currentQuestionId;          ///< empty: the first
    std::vector<GivenAnswer> answers;       ///< in the order given, one per question at most
    std::set<std::string> flagged;          ///< question ids
    std::map<std::string, int> reshuffles;  ///< question id -> how often its options were dealt anew; absent: 0

    bool operator==(const QuizProgress&) const = default;
};

}  // namespace lockstep
