#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "data/dataset.h"

namespace lockstep {

/// The file of that name in the folder, or the same with ".gz"; the plain path when there is neither.
[[nodiscard]] std::filesystem::path plainOrGzip(const std::filesystem::path& folder, const std::string& name);

/// Whether the folder has any of the four files of MNIST's naming.
[[nodiscard]] bool hasIdxFiles(const std::filesystem::path& folder);

/// Reads the four IDX files of MNIST's naming. Without class names, classes are numbered up to the largest training
/// label. Fails as readIdx, and where images and labels differ in number, training and test images in size, or a label
/// has no class.
[[nodiscard]] Result<TrainTest> loadIdxFolder(const std::filesystem::path& folder, const std::string& name,
                                              std::vector<std::string> classNames, std::size_t memoryLimitBytes);

}  // namespace lockstep
