#include "experiment/experiment_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/json_text.h"
#include "experiment/key_table.h"
#include "experiment/validate.h"

namespace lockstep {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxText = 4096;

bool isInRange(const KeyDescription& key, const json& value) {
    const double number = value.get<double>();
    if (!std::isfinite(number)) return false;
    if (key.type == KeyType::Integer && number != std::floor(number)) return false;
    if (key.zeroAllowed && number == 0) return true;
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t{INT64_MAX})
        return key.type == KeyType::Number;
    if (key.type == KeyType::Integer && value.is_number_float() && std::abs(number) > 0x1p53) return false;
    const bool aboveMinimum = key.minimumExcluded ? number > key.minimum : number >= key.minimum;
    return aboveMinimum && number <= key.maximum;
}

bool fitsDescription(const KeyDescription& key, const json& value) {
    switch (key.type) {
        case KeyType::Boolean:
            return value.is_boolean();
        case KeyType::Text:
            return value.is_string() && !value.get_ref<const std::string&>().empty() &&
                   value.get_ref<const std::string&>().size() <= kMaxText;
        case KeyType::List:
            return value.is_array();
        case KeyType::Choice:
            return value.is_string() && std::find(key.choices.begin(), key.choices.end(),
                                                  value.get_ref<const std::string&>()) != key.choices.end();
        case KeyType::Integer:
        case KeyType::Number:
            return value.is_number() && isInRange(key, value);
    }
    return false;
}

Result<void> assign(Experiment& experiment, const KeyRow& row, const json& value) {
    if (value.is_null()) {
        static const Experiment defaults;
        return row.set(experiment, row.get(defaults));
    }
    if (!fitsDescription(row.description, value))
        return fail(
            fmt::format("{} = {}: allowed is {}", row.description.path, shownJson(value), row.description.allowed()));
    return row.set(experiment, value);
}

Result<void> readGroup(Experiment& experiment, const std::string& group, const json& object) {
    if (object.is_null()) return {};
    if (!object.is_object()) return fail(fmt::format("{} = {}: allowed is an object", group, shownJson(object)));
    for (const auto& [name, value] : object.items()) {
        const KeyRow* row = findRow(group + "." + name);
        if (!row) return fail(fmt::format("{}.{} = {}: there is no key of that name", group, name, shownJson(value)));
        if (Result<void> assigned = assign(experiment, *row, value); !assigned) return assigned;
    }
    return {};
}

Result<void> assignPath(Experiment& experiment, std::string_view path, const json& value) {
    const KeyRow* row = findRow(path);
    if (!row) return fail(fmt::format("{} = {}: there is no key of that name", path, shownJson(value)));
    return assign(experiment, *row, value);
}

/// Text from a command line as JSON: what is not JSON is a string, and so is everything where the key takes text.
json readAsKeyWants(std::string_view path, const std::string& text) {
    const KeyRow* row = findRow(path);
    const Result<json> parsed = parseJson(text, path);
    const bool wantsText = row && (row->description.type == KeyType::Text || row->description.type == KeyType::Choice);
    const bool isText = !parsed || (wantsText && !parsed->is_string() && !parsed->is_null());
    return isText ? json(text) : *parsed;
}

Result<Experiment> validated(const Experiment& experiment) {
    const std::vector<Issue> issues = validate(experiment);
    if (issues.empty()) return experiment;
    const std::string more = issues.size() == 1 ? "" : fmt::format(" (and {} more)", issues.size() - 1);
    return fail(issues.front().message + more);
}

}  // namespace

Result<Experiment> experimentFromJson(const json& document) {
    if (!document.is_object()) return fail(fmt::format("experiment = {}: allowed is an object", shownJson(document)));
    Experiment experiment;
    for (const auto& [group, object] : document.items()) {
        if (group != "workload" && group != "cluster" && group != "training")
            return fail(fmt::format("{} = {}: there is no key of that name; allowed are workload, cluster, training",
                                    group, shownJson(object)));
        if (Result<void> read = readGroup(experiment, group, object); !read) return tl::unexpected(read.error());
    }
    return validated(experiment);
}

Result<Experiment> experimentFromText(std::string_view text, std::string_view where) {
    const Result<json> document = parseJson(text, where);
    if (!document) return tl::unexpected(document.error());
    Result<Experiment> read = experimentFromJson(*document);
    if (!read) return fail(fmt::format("{}: {}", where, read.error().message));
    return read;
}

nlohmann::ordered_json experimentToJson(const Experiment& experiment) {
    nlohmann::ordered_json document = nlohmann::ordered_json::object();
    for (const KeyRow& row : keyTable()) {
        const std::string_view path = row.description.path;
        const std::size_t dot = path.find('.');
        document[std::string(path.substr(0, dot))][std::string(path.substr(dot + 1))] = row.get(experiment);
    }
    return document;
}

Result<Experiment> withKey(const Experiment& experiment, std::string_view path, const json& value) {
    Experiment changed = experiment;
    if (Result<void> assigned = assignPath(changed, path, value); !assigned) return tl::unexpected(assigned.error());
    return validated(changed);
}

Result<Experiment> withKey(const Experiment& experiment, std::string_view path, std::string_view value) {
    return withKeys(experiment, {{std::string(path), std::string(value)}});
}

Result<void> checkKeyValue(std::string_view path, const std::string& text) {
    Experiment scratch;
    return assignPath(scratch, path, readAsKeyWants(path, text));
}

Result<Experiment> withKeys(const Experiment& experiment,
                            const std::vector<std::pair<std::string, std::string>>& settings) {
    Experiment changed = experiment;
    for (const auto& [path, text] : settings)
        if (Result<void> assigned = assignPath(changed, path, readAsKeyWants(path, text)); !assigned)
            return tl::unexpected(assigned.error());
    return validated(changed);
}

json valueOfKey(const Experiment& experiment, std::string_view path) {
    const KeyRow* row = findRow(path);
    return row ? row->get(experiment) : json(nullptr);
}

std::vector<std::string> changedKeys(const Experiment& before, const Experiment& after) {
    std::vector<std::string> changed;
    for (const KeyRow& row : keyTable())
        if (row.get(before) != row.get(after)) changed.emplace_back(row.description.path);
    return changed;
}

}  // namespace lockstep
