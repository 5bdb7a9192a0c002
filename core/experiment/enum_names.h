#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "experiment/experiment.h"

namespace lockstep {

/// The contract's words for each enumeration, in the order of its values.
template <class E>
inline constexpr std::array<std::string_view, 0> kEnumNames{};

template <>
inline constexpr std::array<std::string_view, 4> kEnumNames<Precision>{"fp32", "tf32", "fp16", "bf16"};
template <>
inline constexpr std::array<std::string_view, 3> kEnumNames<Architecture>{"single-node", "parameter-server",
                                                                          "all-reduce"};
template <>
inline constexpr std::array<std::string_view, 2> kEnumNames<ServerPlacement>{"dedicated", "co-located"};
template <>
inline constexpr std::array<std::string_view, 6> kEnumNames<AllReduceAlgorithm>{
    "ring", "tree", "halving-doubling", "hierarchical", "naive", "auto"};
template <>
inline constexpr std::array<std::string_view, 2> kEnumNames<Sharding>{"bytes", "tensors"};
template <>
inline constexpr std::array<std::string_view, 5> kEnumNames<SynchronizationKind>{
    "bulk-synchronous", "stale-synchronous", "asynchronous", "local-sgd", "none"};
template <>
inline constexpr std::array<std::string_view, 5> kEnumNames<OptimizerKind>{"sgd", "momentum", "nesterov", "adam",
                                                                           "lars"};
template <>
inline constexpr std::array<std::string_view, 3> kEnumNames<RateScaling>{"none", "linear", "sqrt"};
template <>
inline constexpr std::array<std::string_view, 3> kEnumNames<RateSchedule>{"constant", "step", "cosine"};
template <>
inline constexpr std::array<std::string_view, 2> kEnumNames<Initialization>{"same", "different"};
template <>
inline constexpr std::array<std::string_view, 3> kEnumNames<PartitionKind>{"disjoint", "by-label", "replicated"};
template <>
inline constexpr std::array<std::string_view, 2> kEnumNames<GradientKind>{"mini-batch", "full"};
template <>
inline constexpr std::array<std::string_view, 3> kEnumNames<Compression>{"none", "fp16", "top-k"};

/// The contract's word for a value.
template <class E>
[[nodiscard]] constexpr std::string_view nameOf(E value) {
    return kEnumNames<E>.at(static_cast<std::size_t>(value));
}

/// The value of a word; empty when there is none of that name.
template <class E>
[[nodiscard]] constexpr std::optional<E> valueNamed(std::string_view name) {
    for (std::size_t i = 0; i < kEnumNames<E>.size(); ++i)
        if (kEnumNames<E>[i] == name) return static_cast<E>(i);
    return std::nullopt;
}

}  // namespace lockstep
