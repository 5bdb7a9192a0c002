#include "cli/commands.h"

#include <exception>
#include <new>

namespace lockstep::cli {

int runCommandLine(int argc, char** argv) {
    CLI::App app("Models the training of neural networks on many machines, and trains small ones for real.",
                 "lockstep-cli");
    app.set_version_flag("--version", std::string("lockstep-cli ") + LOCKSTEP_VERSION);
    app.require_subcommand(1);
    Exit exit = Exit::Done;
    addPredict(app, exit);
    addSweep(app, exit);
    addTrain(app, exit);
    addQuiz(app, exit);
    addCatalogue(app, exit);
    addBench(app, exit);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        const int status = app.exit(error);  // prints help on standard output, faults on standard error
        return status == 0 ? 0 : static_cast<int>(Exit::BadUsage);
    } catch (const std::bad_alloc&) {
        return static_cast<int>(report(Error{"not enough memory for this experiment"}, Exit::Failed));
    } catch (const std::exception& error) {
        return static_cast<int>(report(Error{error.what()}, Exit::Failed));
    }
    return static_cast<int>(exit);
}

}  // namespace lockstep::cli
