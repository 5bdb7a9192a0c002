#pragma once

#include <string>
#include <vector>

#include "experiment/experiment.h"

namespace lockstep {

/// One fault of an experiment.
struct Issue {
    std::string key;      ///< "cluster.workers"
    std::string value;    ///< as written
    std::string allowed;  ///< "1..65536"
    std::string message;  ///< the whole line for a person
};

/// Every fault, in the contract's order: ranges, what is not available yet, and what keys demand of each other (a
/// parameter server needs a server; stale-synchronous needs a parameter server; ...). Empty when it can be used.
/// Keys of the catalogues are checked where the catalogue is known (cluster/, train/).
[[nodiscard]] std::vector<Issue> validate(const Experiment& experiment);

}  // namespace lockstep
