#include "data/dataset.h"

#include <fmt/format.h>

#include "base/format.h"
#include "data/cifar.h"
#include "data/idx_folder.h"
#include "data/shapes.h"

namespace lockstep {
namespace {

constexpr const char* kFashionMnist = "fashion-mnist";
constexpr const char* kShapes = "shapes";
constexpr const char* kIdxTrainingImages = "train-images-idx3-ubyte";
constexpr int kSmallestPx = 8, kLargestPx = 64;

/// In the order of the labels; Xiao, Rasul and Vollgraf 2017, table 2.
const std::vector<std::string>& fashionMnistClasses() {
    static const std::vector<std::string> names{"T-shirt or top", "trouser", "pullover", "dress", "coat",
                                                "sandal",         "shirt",   "sneaker",  "bag",   "ankle boot"};
    return names;
}

Result<TrainTest> loadFashionMnist(const DatasetOptions& options) {
    if (!hasIdxFiles(options.fashionMnistFolder))
        return fail(
            fmt::format("{}: Fashion-MNIST is not there; install the Debian package dataset-fashion-mnist or set "
                        "training.dataset to shapes",
                        options.fashionMnistFolder.string()));
    return loadIdxFolder(options.fashionMnistFolder,
                         {.name = "Fashion-MNIST", .classNames = fashionMnistClasses(), .mirrors = true},
                         options.memoryLimitBytes);
}

Result<TrainTest> loadShapes(const DatasetOptions& options) {
    if (options.resolutionPx < kSmallestPx || options.resolutionPx > kLargestPx)
        return fail(fmt::format("training.resolution_px is {}; allowed are {} to {}", options.resolutionPx, kSmallestPx,
                                kLargestPx));
    const ShapesSettings settings{.resolutionPx = options.resolutionPx};
    const std::size_t bytes =
        static_cast<std::size_t>(options.resolutionPx * options.resolutionPx + 1) * (settings.train + settings.test);
    if (bytes > options.memoryLimitBytes)
        return fail(fmt::format("shapes at {} px take {}; allowed are {}", options.resolutionPx,
                                formatQuantity(static_cast<double>(bytes), "B"),
                                formatQuantity(static_cast<double>(options.memoryLimitBytes), "B")));
    return makeShapes(settings, options.pool, options.stop);
}

Result<TrainTest> loadFolder(const std::filesystem::path& folder, const DatasetOptions& options) {
    const std::filesystem::path last = folder.has_filename() ? folder.filename() : folder.parent_path().filename();
    if (hasIdxFiles(folder)) return loadIdxFolder(folder, {.name = last.string()}, options.memoryLimitBytes);
    if (hasCifarFiles(folder)) return loadCifarFolder(folder, options.memoryLimitBytes);
    return fail(
        fmt::format("{}: holds no dataset; allowed are the IDX files train-images-idx3-ubyte, "
                    "train-labels-idx1-ubyte, t10k-images-idx3-ubyte, t10k-labels-idx1-ubyte (plain or .gz), "
                    "CIFAR-10's data_batch_1.bin to data_batch_5.bin and test_batch.bin, or CIFAR-100's train.bin "
                    "and test.bin",
                    folder.string()));
}

Result<TrainTest> loadFile(const std::filesystem::path& file, const DatasetOptions& options) {
    const std::filesystem::path plain = file.extension() == ".gz" ? file.stem() : file.filename();
    if (plain == kIdxTrainingImages) return loadFolder(file.parent_path(), options);
    if (isIdxImagesFile(file)) return loadIdxFile(file, options.memoryLimitBytes);
    if (file.extension() == ".bin") return loadCifarFile(file, options.memoryLimitBytes);
    return fail(
        fmt::format("{}: is no dataset by its name; allowed are IDX images (...images-idx3-ubyte, plain or .gz) and "
                    "CIFAR's binary files (.bin)",
                    file.string()));
}

Result<TrainTest> loadPath(const std::string& name, const DatasetOptions& options) {
    const std::filesystem::path path(name);
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) return loadFolder(path, options);
    if (std::filesystem::exists(path, ignored)) return loadFile(std::filesystem::absolute(path, ignored), options);
    return fail(
        fmt::format("training.dataset is \"{}\"; allowed are fashion-mnist, shapes, or an existing folder or file of "
                    "IDX or CIFAR binary images",
                    name));
}

}  // namespace

Result<TrainTest> loadDataset(const std::string& nameOrPath, const DatasetOptions& options) {
    if (nameOrPath == kFashionMnist) return loadFashionMnist(options);
    if (nameOrPath == kShapes) return loadShapes(options);
    return loadPath(nameOrPath, options);
}

Result<DatasetChoice> loadDatasetOrShapes(const std::string& nameOrPath, const DatasetOptions& options) {
    const bool absent = nameOrPath == kFashionMnist && !hasIdxFiles(options.fashionMnistFolder);
    Result<TrainTest> data = loadDataset(absent ? kShapes : nameOrPath, options);
    if (!data) return tl::unexpected(data.error());
    return DatasetChoice{std::move(*data),
                         absent ? "Fashion-MNIST is not installed (Debian package dataset-fashion-mnist), so drawn "
                                  "shapes are used instead"
                                : ""};
}

}  // namespace lockstep
