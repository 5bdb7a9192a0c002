#include "cli/commands.h"

int main(int argc, char** argv) { return lockstep::cli::runCommandLine(argc, argv); }
