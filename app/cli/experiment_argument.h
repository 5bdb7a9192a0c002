#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "cluster/prediction.h"
#include "experiment/experiment.h"

namespace lockstep::cli {

/// The EXPERIMENT argument with its --set options, as every subcommand takes them.
struct ExperimentArgument {
    std::string text = "{}";
    std::vector<std::string> settings;

    void addTo(CLI::App& command);
    /// A file, '-' for standard input, JSON when it begins with '{', or the name of a built-in experiment; then --set.
    [[nodiscard]] Result<Experiment> read() const;
};

/// An experiment with what the cluster model says of it.
struct Modelled {
    Experiment experiment;
    Catalogue catalogue;
    Prediction prediction;
};
[[nodiscard]] Result<Modelled> readAndPredict(const ExperimentArgument& argument);

}  // namespace lockstep::cli
