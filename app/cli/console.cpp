#include "cli/console.h"

#include <fmt/core.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

namespace lockstep::cli {

void printJson(const nlohmann::ordered_json& document) {
    printLine(document.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

void printLine(const std::string& line) {
    fmt::print("{}\n", line);
    if (std::fflush(stdout) != 0) throw std::system_error(errno, std::generic_category(), "standard output");
}

std::string counted(long long count, std::string_view noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

void printMessage(const std::string& line) { fmt::print(stderr, "{}\n", line); }

Exit report(const Error& error, Exit status) {
    printMessage("lockstep-cli: " + error.message);
    return status;
}

}  // namespace lockstep::cli
