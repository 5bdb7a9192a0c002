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

/// Whether the name is that of a file of images in MNIST's naming: "...images-idx3-ubyte", plain or ".gz".
[[nodiscard]] bool isIdxImagesFile(const std::filesystem::path& path);

/// What else is known of images than their files say.
struct IdxKnowledge {
    std::string name{};
    std::vector<std::string> classNames{};  ///< empty: numbered up to the largest training label
    bool mirrors = false;                   ///< as ImageSetContent's
};

/// Reads the four IDX files of MNIST's naming. Where both of the test's are absent a sixth of the training images is
/// set aside (split.h). Fails as readIdx, and where images and labels differ in number, training and test images in
/// size, or a label has no class.
[[nodiscard]] Result<TrainTest> loadIdxFolder(const std::filesystem::path& folder, const IdxKnowledge& known,
                                              std::size_t memoryLimitBytes);

/// Reads one file of images and the labels beside it, "labels-idx1" in place of "images-idx3" in its name, and sets a
/// sixth aside to test on. Fails as loadIdxFolder.
[[nodiscard]] Result<TrainTest> loadIdxFile(const std::filesystem::path& images, std::size_t memoryLimitBytes);

}  // namespace lockstep
