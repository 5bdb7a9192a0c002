#pragma once

#include <QString>
#include <utility>
#include <vector>

#include "catalogue/catalogue.h"

namespace lockstep::ui {

/// A catalogue name without its qualifications: "ImageNet-1K (ILSVRC 2012), training set" is "ImageNet-1K".
[[nodiscard]] QString shortName(const std::string& name);
/// A device's name as engineers say it: "NVIDIA V100 SXM2 16 GB" is "V100 16 GB".
[[nodiscard]] QString shortDeviceName(const std::string& name);
/// The dataset that a model is commonly trained on: the first whose images (or texts) it takes at its own size. Null
/// where the catalogue has none.
[[nodiscard]] const DatasetSpec* datasetFor(const ModelSpec& model, const Catalogue& catalogue);
/// Model keys with "ResNet-50 / ImageNet-1K".
[[nodiscard]] std::vector<std::pair<QString, QString>> modelEntries(const Catalogue& catalogue);

}  // namespace lockstep::ui
