#include "experiment/keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "experiment/key_table.h"

namespace lockstep {
namespace {

std::string number(double value) {
    if (value == static_cast<double>(std::numeric_limits<std::int64_t>::max())) return "2^63-1";
    return std::abs(value) < 1e12 ? fmt::format("{:.12g}", value) : fmt::format("{:g}", value);
}

std::string allowedNumber(const KeyDescription& key) {
    const bool unbounded = key.maximum == std::numeric_limits<double>::max();
    std::string range;
    if (unbounded)
        range = fmt::format("{} {}", key.minimumExcluded ? ">" : ">=", number(key.minimum));
    else if (key.minimumExcluded)
        range = fmt::format("> {} and <= {}", number(key.minimum), number(key.maximum));
    else
        range = fmt::format("{}..{}", number(key.minimum), number(key.maximum));
    if (key.type == KeyType::Integer) range = "a whole number " + range;
    return key.zeroAllowed ? "0 or " + range : range;
}

}  // namespace

std::string KeyDescription::allowed() const {
    switch (type) {
        case KeyType::Boolean:
            return "true or false";
        case KeyType::Choice:
            return fmt::format("one of {}", fmt::join(choices, ", "));
        case KeyType::Text:
            return "a text";
        case KeyType::List:
            return "a list";
        case KeyType::Integer:
        case KeyType::Number:
            return allowedNumber(*this);
    }
    return {};
}

bool KeyDescription::isChoiceAvailable(std::string_view choice) const {
    return std::find(notYet.begin(), notYet.end(), choice) == notYet.end();
}

bool KeyDescription::isAvailable() const { return isChoiceAvailable("*"); }

std::span<const KeyDescription* const> allKeys() {
    static const std::vector<const KeyDescription*> keys = [] {
        std::vector<const KeyDescription*> pointers;
        for (const KeyRow& row : keyTable()) pointers.push_back(&row.description);
        return pointers;
    }();
    return keys;
}

const KeyDescription* findKey(std::string_view path) {
    const KeyRow* row = findRow(path);
    return row ? &row->description : nullptr;
}

}  // namespace lockstep
