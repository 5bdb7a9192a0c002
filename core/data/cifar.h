#pragma once

#include <filesystem>

#include "data/dataset.h"

namespace lockstep {

/// Whether the folder has any of CIFAR-10's binary files.
[[nodiscard]] bool hasCifarFiles(const std::filesystem::path& folder);

/// Reads CIFAR-10's binary version: data_batch_1.bin to data_batch_5.bin and test_batch.bin, each of records of one
/// label byte 0..9 and 3,072 bytes, three planes of 32 x 32 (Krizhevsky, https://www.cs.toronto.edu/~kriz/cifar.html).
/// Fails where a file is absent, is not 10,000 records long, has another label, or all exceed `memoryLimitBytes`.
[[nodiscard]] Result<TrainTest> loadCifarFolder(const std::filesystem::path& folder, std::size_t memoryLimitBytes);

}  // namespace lockstep
