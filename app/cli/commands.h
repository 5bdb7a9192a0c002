#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "cli/console.h"

namespace lockstep::cli {

/// Each of these adds one subcommand. Its action, run after a successful parse, leaves its status in `exit`.
void addPredict(CLI::App& app, Exit& exit);
void addSweep(CLI::App& app, Exit& exit);
void addTimeline(CLI::App& app, Exit& exit);
void addCollective(CLI::App& app, Exit& exit);
void addTrain(CLI::App& app, Exit& exit);
void addQuiz(CLI::App& app, Exit& exit);
void addCatalogue(CLI::App& app, Exit& exit);
void addBench(CLI::App& app, Exit& exit);
/// Below `bench`.
void addReplicaBench(CLI::App& bench, Exit& exit);
void addCollectiveBench(CLI::App& bench, Exit& exit);
void addSoak(CLI::App& bench, Exit& exit);

/// Parses the command line and runs one subcommand. Results go to standard output, messages to standard error.
int runCommandLine(int argc, char** argv);

}  // namespace lockstep::cli
