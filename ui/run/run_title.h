#pragma once

#include <QString>
#include <string>

#include "catalogue/catalogue.h"
#include "experiment/experiment.h"

namespace lockstep::ui {

/// What the real run of an experiment trains: "CNN on Fashion-MNIST, 28 px, 4 replicas, standing in for ResNet-50".
/// `images` is what the loaded images call themselves ("Fashion-MNIST, training"); empty while they are not loaded.
[[nodiscard]] QString runTitleOf(const Experiment& experiment, const Catalogue& catalogue,
                                 const std::string& images = {});

}  // namespace lockstep::ui
