#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/result.h"
#include "experiment/enum_names.h"
#include "experiment/experiment.h"
#include "experiment/keys.h"

namespace lockstep {

/// A key bound to its field: the one place where a path, a range and a member meet.
struct KeyRow {
    KeyDescription description;
    std::function<nlohmann::json(const Experiment&)> get;
    /// Takes a value that readKey() has checked against the description; fails only for the inside of lists.
    std::function<Result<void>(Experiment&, const nlohmann::json&)> set;
};

/// Every row, in the order of the contract.
[[nodiscard]] const std::vector<KeyRow>& keyTable();
[[nodiscard]] const KeyRow* findRow(std::string_view path);

[[nodiscard]] std::vector<KeyRow> workloadRows();
[[nodiscard]] std::vector<KeyRow> clusterRows();
[[nodiscard]] std::vector<KeyRow> trainingRows();

namespace key_table_detail {

template <class T>
struct JsonField {
    static nlohmann::json get(const T& value) { return value; }
    static T set(const nlohmann::json& value) { return value.get<T>(); }
};

/// Integers may be written as 8 or 8.0.
template <class T>
requires std::is_integral_v<T> &&(!std::is_same_v<T, bool>)struct JsonField<T> {
    static nlohmann::json get(const T& value) { return value; }
    static T set(const nlohmann::json& value) {
        return value.is_number_float() ? static_cast<T>(value.get<double>()) : value.get<T>();
    }
};

template <class E>
requires std::is_enum_v<E>
struct JsonField<E> {
    static nlohmann::json get(E value) { return nameOf(value); }
    static E set(const nlohmann::json& value) { return *valueNamed<E>(value.get<std::string>()); }
};

template <class T>
struct JsonField<std::optional<T>> {
    static nlohmann::json get(const std::optional<T>& value) {
        return value ? JsonField<T>::get(*value) : nlohmann::json(nullptr);
    }
    static std::optional<T> set(const nlohmann::json& value) {
        if (value.is_null()) return std::nullopt;
        return JsonField<T>::set(value);
    }
};

}  // namespace key_table_detail

/// A row for the field `member` of the group `group` of an experiment.
template <class Group, class Field>
[[nodiscard]] KeyRow row(KeyDescription description, Group Experiment::*group, Field Group::*member) {
    using Json = key_table_detail::JsonField<Field>;
    if constexpr (std::is_enum_v<Field>) {
        description.type = KeyType::Choice;
        description.choices.assign(kEnumNames<Field>.begin(), kEnumNames<Field>.end());
    }
    return {std::move(description), [=](const Experiment& experiment) { return Json::get(experiment.*group.*member); },
            [=](Experiment& experiment, const nlohmann::json& value) -> Result<void> {
                experiment.*group.*member = Json::set(value);
                return {};
            }};
}

}  // namespace lockstep
