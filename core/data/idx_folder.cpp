#include "data/idx_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "data/idx.h"

namespace lockstep {
namespace {

constexpr std::uint32_t kMaxSidePx = 1024;
constexpr std::array<const char*, 4> kFiles{"train-images-idx3-ubyte", "train-labels-idx1-ubyte",
                                            "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"};

Result<ImageSet> combine(IdxArray images, IdxArray labels, const std::filesystem::path& labelsPath,
                         ImageSetContent content) {
    if (images.dimensions[0] != labels.dimensions[0])
        return fail(fmt::format("{}: {} labels for {} images; there must be one each", labelsPath.string(),
                                labels.dimensions[0], images.dimensions[0]));
    const auto high = std::find_if(labels.values.begin(), labels.values.end(),
                                   [&](std::uint8_t label) { return label >= content.classNames.size(); });
    if (high != labels.values.end())
        return fail(fmt::format("{}: label {} of image {}; allowed are 0 to {}", labelsPath.string(), *high,
                                high - labels.values.begin(), content.classNames.size() - 1));
    content.height = static_cast<int>(images.dimensions[1]);
    content.width = static_cast<int>(images.dimensions[2]);
    content.pixels = std::move(images.values);
    content.labels = std::move(labels.values);
    return ImageSet::make(std::move(content));
}

std::vector<std::string> numberedClasses(const std::vector<std::uint8_t>& labels) {
    std::vector<std::string> names;
    for (int i = 0; i <= *std::max_element(labels.begin(), labels.end()); ++i) names.push_back(std::to_string(i));
    return names;
}

}  // namespace

std::filesystem::path plainOrGzip(const std::filesystem::path& folder, const std::string& name) {
    std::error_code ignored;
    const std::filesystem::path plain = folder / name, packed = folder / (name + ".gz");
    return !std::filesystem::exists(plain, ignored) && std::filesystem::exists(packed, ignored) ? packed : plain;
}

bool hasIdxFiles(const std::filesystem::path& folder) {
    std::error_code ignored;
    return std::any_of(kFiles.begin(), kFiles.end(),
                       [&](const char* name) { return std::filesystem::exists(plainOrGzip(folder, name), ignored); });
}

Result<TrainTest> loadIdxFolder(const std::filesystem::path& folder, const std::string& name,
                                std::vector<std::string> classNames, std::size_t memoryLimitBytes) {
    std::array<std::filesystem::path, 4> paths;
    std::array<IdxArray, 4> arrays;
    std::size_t left = memoryLimitBytes;
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        paths[i] = plainOrGzip(folder, kFiles[i]);
        Result<IdxArray> array = readIdx(paths[i], i % 2 == 0 ? 3 : 1, kMaxSidePx, left);
        if (!array) return tl::unexpected(array.error());
        left -= array->values.size();
        arrays[i] = std::move(*array);
    }
    const auto& trainDimensions = arrays[0].dimensions;
    const auto& testDimensions = arrays[2].dimensions;
    if (trainDimensions[1] != testDimensions[1] || trainDimensions[2] != testDimensions[2])
        return fail(fmt::format("{}: images of {} x {} pixels; they must be of {} x {} as those of training",
                                paths[2].string(), testDimensions[1], testDimensions[2], trainDimensions[1],
                                trainDimensions[2]));
    if (classNames.empty()) classNames = numberedClasses(arrays[1].values);
    const std::string source = folder.string();
    Result<ImageSet> train = combine(std::move(arrays[0]), std::move(arrays[1]), paths[1],
                                     {.name = name + ", training", .source = source, .classNames = classNames});
    if (!train) return tl::unexpected(train.error());
    Result<ImageSet> test = combine(std::move(arrays[2]), std::move(arrays[3]), paths[3],
                                    {.name = name + ", test", .source = source, .classNames = classNames});
    if (!test) return tl::unexpected(test.error());
    return TrainTest{std::move(*train), std::move(*test)};
}

}  // namespace lockstep
