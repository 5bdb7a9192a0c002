#pragma once

#include "experiment/experiment.h"
#include "nn/network_spec.h"

namespace lockstep {

/// The network that an experiment trains: its own layers (TrainingLayer), or else those of `training.model`. The last
/// layer must be dense; its outputs may be left out and are then the classes. One line says which layer is at fault and
/// what is allowed.
[[nodiscard]] Result<NetworkSpec> trainingNetworkSpec(const TrainingSettings& training, const ImageShape& input,
                                                      int classes);

}  // namespace lockstep
