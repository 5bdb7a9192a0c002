#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>

#include "base/result.h"
#include "data/image_set.h"

namespace lockstep {

class ThreadPool;

/// Images to learn from and images to be tested on; same size, channels and classes.
struct TrainTest {
    ImageSet train;
    ImageSet test;
};

/// Where datasets are looked for and how large they may be.
struct DatasetOptions {
    int resolutionPx = 28;  ///< 8..64: side at which `shapes` is drawn; files keep their own size
    std::size_t memoryLimitBytes = std::size_t{2} << 30;  ///< refused before anything larger is allocated
    /// Where the Debian package dataset-fashion-mnist puts its four files.
    std::filesystem::path fashionMnistFolder = "/usr/share/datasets/fashion-mnist";
    ThreadPool* pool = nullptr;  ///< draws `shapes` faster; never changes a pixel
    std::stop_token stop;        ///< loading then fails with "stopped"
};

/// Loads what `training.dataset` names:
///   "fashion-mnist"  60,000 + 10,000 grey images of 28 x 28 in 10 classes
///   "shapes"         the same numbers, drawn at `resolutionPx` (shapes.h)
///   a folder         with the four IDX files of MNIST's naming (train-images-idx3-ubyte, t10k-..., plain or .gz), or
///                    those for training alone, of which a sixth is then set aside; or with the binary files of
///                    CIFAR-10 or CIFAR-100 (cifar.h)
///   a file           of IDX images (...images-idx3-ubyte, its labels beside it; train-images-... stands for its
///                    folder) or CIFAR records (.bin), of which a sixth is set aside to test on
/// Fails with one line that names the file, what is wrong and what is allowed.
[[nodiscard]] Result<TrainTest> loadDataset(const std::string& nameOrPath, const DatasetOptions& options = {});

/// A dataset, and a sentence for the user where it is not the one that was asked for.
struct DatasetChoice {
    TrainTest data;
    std::string notice;  ///< empty when it is
};

/// As loadDataset(), but where Fashion-MNIST is not installed gives `shapes` instead and says so. Every other failure,
/// damaged files included, stays one.
[[nodiscard]] Result<DatasetChoice> loadDatasetOrShapes(const std::string& nameOrPath,
                                                        const DatasetOptions& options = {});

}  // namespace lockstep
