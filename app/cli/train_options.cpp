#include "cli/train_options.h"

#include "experiment/resolved.h"

namespace lockstep::cli {

Result<Experiment> forkedExperiment(const TrainOptions& options, const Experiment& experiment) {
    if (options.forkAt == 0) return experiment;
    ExperimentArgument argument = options.experiment;
    argument.settings.insert(argument.settings.end(), options.forkSettings.begin(), options.forkSettings.end());
    Result<Experiment> forked = argument.read();
    if (!forked) return fail("--fork-set: " + forked.error().message);
    if (const auto checked = checkBranch(experiment, *forked, options.forkAt); !checked)
        return tl::unexpected(checked.error());
    return forked;
}

Result<std::vector<ScheduledFault>> readFaults(const std::vector<std::string>& texts, const Experiment& experiment) {
    std::vector<ScheduledFault> faults;
    for (const std::string& text : texts) {
        const Result<ScheduledFault> fault = parseFault(text);
        if (!fault) return tl::unexpected(fault.error());
        const int workers = trainingWorkers(experiment), servers = trainingServers(experiment);
        if (const auto checked = checkFault(fault->fault, workers, servers); !checked)
            return tl::unexpected(checked.error());
        faults.push_back(*fault);
    }
    return faults;
}

}  // namespace lockstep::cli
