#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "base/result.h"

namespace lockstep {

/// Deepest nesting that a JSON text may have. Far beyond any file of ours; without a limit, a megabyte of brackets
/// exhausts the stack of whatever walks the document.
inline constexpr int kMaxJsonDepth = 64;

/// Reads JSON text. A syntax error, invalid UTF-8, a number too large or too deep nesting fails with one line that says
/// where (line and column). `where` names the file or argument in the message.
[[nodiscard]] Result<nlohmann::json> parseJson(std::string_view text, std::string_view where);

/// A value as shown in messages: on one line, at most 60 characters, never throwing.
[[nodiscard]] std::string shownJson(const nlohmann::json& value);

}  // namespace lockstep
