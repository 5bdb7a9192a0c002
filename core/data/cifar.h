#pragma once

#include <filesystem>

#include "data/dataset.h"

namespace lockstep {

/// Reads the binary versions of CIFAR-10 and CIFAR-100 (Krizhevsky 2009, https://www.cs.toronto.edu/~kriz/cifar.html):
/// colour images of 32 x 32, each a record of its labels and three planes of 1,024 bytes.
///   CIFAR-10   one label byte 0..9; data_batch_1.bin to data_batch_5.bin and test_batch.bin, 10,000 records each
///   CIFAR-100  a coarse label byte 0..19, which is not used, and a fine one 0..99; train.bin with 50,000 records and
///              test.bin with 10,000; class names from fine_label_names.txt where it is there

/// Whether the folder has any of their files.
[[nodiscard]] bool hasCifarFiles(const std::filesystem::path& folder);

/// The whole of either, CIFAR-10 where the folder has any of its files. Fails where a file is absent, has fewer or more
/// records, a label is out of range, or all exceed `memoryLimitBytes`.
[[nodiscard]] Result<TrainTest> loadCifarFolder(const std::filesystem::path& folder, std::size_t memoryLimitBytes);

/// One ".bin" file of any number of records, a sixth of them set aside to test on (split.h). Which of the two it is
/// follows from its length: a multiple of 3,073 bytes or of 3,074. Fails where it is neither or both.
[[nodiscard]] Result<TrainTest> loadCifarFile(const std::filesystem::path& file, std::size_t memoryLimitBytes);

}  // namespace lockstep
