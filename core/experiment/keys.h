#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

enum class KeyType { Integer, Number, Boolean, Choice, Text, List };

/// One key of the contract: what it is called, what it takes, what it means. Messages, help and controls are made from it.
struct KeyDescription {
    std::string_view path;                   ///< for example "cluster.workers"
    KeyType type = KeyType::Number;
    double minimum = 0, maximum = 0;         ///< numbers only; inclusive unless minimumExcluded
    bool minimumExcluded = false;            ///< "> 0"
    std::vector<std::string_view> choices;   ///< Choice only, in the enum's order
    std::string_view unit;                   ///< "bit/s", "px", "s", "" ...
    std::string_view meaning;                ///< one sentence
    bool mayBeEmpty = false;                 ///< null stands for a value taken from elsewhere
    std::string_view emptyMeaning;           ///< what null stands for
    double zeroOr = -1;                      ///< when >= 0: 0 is allowed too, apart from [minimum, maximum]

    /// "1..65536", "one of ring, tree", "> 0", ... as messages show it.
    [[nodiscard]] std::string allowed() const;
};

/// All keys in the order of the contract.
[[nodiscard]] std::span<const KeyDescription> allKeys();

/// The description of one key; nullptr when there is none of that path.
[[nodiscard]] const KeyDescription* findKey(std::string_view path);

}  // namespace lockstep
