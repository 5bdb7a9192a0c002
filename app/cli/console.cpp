#include "cli/console.h"

#include <fmt/core.h>

#include <cstdio>

namespace lockstep::cli {

void printJson(const nlohmann::ordered_json& document) {
    printLine(document.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

void printLine(const std::string& line) {
    fmt::print("{}\n", line);
    std::fflush(stdout);
}

void printMessage(const std::string& line) { fmt::print(stderr, "{}\n", line); }

Exit report(const Error& error, Exit status) {
    printMessage("lockstep-cli: " + error.message);
    return status;
}

}  // namespace lockstep::cli
