#include "cli/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <new>

namespace lockstep::cli {
namespace {

/// The subcommand that was meant, as far as it was understood: "lockstep-cli quiz".
std::string commandOf(const CLI::App& app) {
    const std::vector<CLI::App*> parsed = app.get_subcommands();
    return parsed.empty() ? app.get_name() : app.get_name() + " " + commandOf(*parsed.front());
}

const CLI::App& innermost(const CLI::App& app) {
    const std::vector<CLI::App*> parsed = app.get_subcommands();
    return parsed.empty() ? app : innermost(*parsed.front());
}

/// A fault of the command line as one line.
std::string failureMessage(const CLI::App* app, const CLI::Error& error) {
    std::string message = error.what();
    const CLI::App& command = innermost(*app);
    const std::vector<const CLI::App*> choices = command.get_subcommands([](const CLI::App*) { return true; });
    if (!choices.empty()) {
        std::string names;
        for (const CLI::App* choice : choices) names += (names.empty() ? "" : ", ") + choice->get_name();
        const std::vector<std::string> unknown = app->remaining(true);
        message =
            unknown.empty() ? "a subcommand is needed" : fmt::format("there is no subcommand '{}'", unknown.front());
        message += "; allowed are " + names;
    }
    std::replace(message.begin(), message.end(), '\n', ' ');
    return fmt::format("lockstep-cli: {} ({} --help tells more)\n", message, commandOf(*app));
}

}  // namespace

int runCommandLine(int argc, char** argv) {
    CLI::App app("Models the training of neural networks on many machines, and trains small ones for real.",
                 "lockstep-cli");
    app.set_version_flag("--version", std::string("lockstep-cli ") + LOCKSTEP_VERSION);
    app.require_subcommand(1);
    app.failure_message(failureMessage);
    Exit exit = Exit::Done;
    addPredict(app, exit);
    addSweep(app, exit);
    addTimeline(app, exit);
    addCollective(app, exit);
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
