#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

enum class KeyType { Integer, Number, Boolean, Choice, Text, List };

/// One key of the contract: what it is called, what it takes, what it means. Messages, help and controls are made from
/// it.
struct KeyDescription {
    std::string_view path{};  ///< for example "cluster.workers"
    KeyType type = KeyType::Number;
    std::string_view unit{};                  ///< "bit/s", "px", "s", "" ...
    std::string_view meaning{};               ///< one or two sentences
    double minimum = 0, maximum = 0;          ///< numbers only; inclusive unless minimumExcluded
    bool minimumExcluded = false;             ///< "> 0"
    bool zeroAllowed = false;                 ///< 0 is allowed too, apart from [minimum, maximum]
    std::string_view emptyMeaning{};          ///< what null stands for, where null is a value of its own
    std::vector<std::string_view> choices{};  ///< Choice only, in the enum's order
    /// Values whose feature comes later: choices by name, or "*" for every value but the default.
    std::vector<std::string_view> notYet{};

    /// "1..65536", "one of ring, tree", "> 0", ... as messages show it.
    [[nodiscard]] std::string allowed() const;
    /// False for a choice that is listed in notYet.
    [[nodiscard]] bool isChoiceAvailable(std::string_view choice) const;
    /// False where only the default can be used until the feature comes.
    [[nodiscard]] bool isAvailable() const;
};

/// All keys in the order of the contract.
[[nodiscard]] std::span<const KeyDescription* const> allKeys();

/// The description of one key; nullptr when there is none of that path.
[[nodiscard]] const KeyDescription* findKey(std::string_view path);

}  // namespace lockstep
