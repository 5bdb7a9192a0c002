#pragma once

namespace lockstep::cli {

/// The exit statuses of the contract.
enum class Exit { Done = 0, Failed = 1, BadUsage = 2 };

/// Parses the command line and runs one subcommand. Results go to standard output, messages to standard error.
int runCommandLine(int argc, char** argv);

}  // namespace lockstep::cli
