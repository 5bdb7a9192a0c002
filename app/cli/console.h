#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/result.h"

namespace lockstep::cli {

/// The exit statuses of the contract.
enum class Exit { Done = 0, Failed = 1, BadUsage = 2 };

/// A result on standard output: one document on one line, so that streams are one document per line.
void printJson(const nlohmann::ordered_json& document);
/// A line of text on standard output. Throws where it cannot be written (a full disk).
void printLine(const std::string& line);
/// "1 server", "2 servers"
[[nodiscard]] std::string counted(long long count, std::string_view noun);
/// A line for a person on standard error.
void printMessage(const std::string& line);
/// An expected failure as one line on standard error; returns the status given.
Exit report(const Error& error, Exit status = Exit::BadUsage);

}  // namespace lockstep::cli
