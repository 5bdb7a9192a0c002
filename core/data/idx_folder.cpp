#include "data/idx_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "data/idx.h"
#include "data/split.h"

namespace lockstep {
namespace {

constexpr std::uint32_t kMaxSidePx = 1024;
constexpr std::string_view kImages = "images-idx3", kLabels = "labels-idx1", kGzip = ".gz";
constexpr std::array<const char*, 4> kFiles{"train-images-idx3-ubyte", "train-labels-idx1-ubyte",
                                            "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"};

/// A file of images and that of their labels.
struct Pair {
    std::filesystem::path imagesPath, labelsPath;
    IdxArray images, labels;
};

Result<Pair> readPair(const std::filesystem::path& imagesPath, const std::filesystem::path& labelsPath,
                      std::size_t& bytesLeft) {
    Result<IdxArray> images = readIdx(imagesPath, 3, kMaxSidePx, bytesLeft);
    if (!images) return tl::unexpected(images.error());
    bytesLeft -= images->values.size();
    Result<IdxArray> labels = readIdx(labelsPath, 1, kMaxSidePx, bytesLeft);
    if (!labels) return tl::unexpected(labels.error());
    bytesLeft -= labels->values.size();
    return Pair{imagesPath, labelsPath, *std::move(images), *std::move(labels)};
}

std::vector<std::string> numberedClasses(const std::vector<std::uint8_t>& labels) {
    std::vector<std::string> names;
    for (int i = 0; i <= *std::max_element(labels.begin(), labels.end()); ++i) names.push_back(std::to_string(i));
    return names;
}

Result<ImageSet> combine(Pair pair, ImageSetContent content) {
    IdxArray &images = pair.images, &labels = pair.labels;
    const std::filesystem::path& labelsPath = pair.labelsPath;
    if (images.dimensions[0] != labels.dimensions[0])
        return fail(fmt::format("{}: {} labels for {} images; there must be one each", labelsPath.string(),
                                labels.dimensions[0], images.dimensions[0]));
    if (content.classNames.empty()) content.classNames = numberedClasses(labels.values);
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

ImageSetContent contentOf(const IdxKnowledge& known, const std::filesystem::path& source, const char* part) {
    return {
        .name = known.name + part, .source = source.string(), .mirrors = known.mirrors, .classNames = known.classNames};
}

Result<TrainTest> splitPair(Pair pair, ImageSetContent content, const std::string& name) {
    const Result<ImageSet> all = combine(std::move(pair), std::move(content));
    if (!all) return tl::unexpected(all.error());
    return splitOffTest(*all, name);
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

bool isIdxImagesFile(const std::filesystem::path& path) {
    std::string name = path.filename().string();
    if (name.ends_with(kGzip)) name.resize(name.size() - kGzip.size());
    return name.ends_with(std::string(kImages) + "-ubyte");
}

Result<TrainTest> loadIdxFolder(const std::filesystem::path& folder, const IdxKnowledge& known,
                                std::size_t memoryLimitBytes) {
    std::array<std::filesystem::path, 4> paths;
    for (std::size_t i = 0; i < paths.size(); ++i) paths[i] = plainOrGzip(folder, kFiles[i]);
    std::error_code ignored;
    const bool tests = std::filesystem::exists(paths[2], ignored) || std::filesystem::exists(paths[3], ignored);
    std::size_t left = tests ? memoryLimitBytes : memoryLimitBytes / kCopiesWhileSplit;
    Result<Pair> train = readPair(paths[0], paths[1], left);
    if (!train) return tl::unexpected(train.error());
    if (!tests) return splitPair(*std::move(train), contentOf(known, folder, ""), known.name);

    Result<Pair> test = readPair(paths[2], paths[3], left);
    if (!test) return tl::unexpected(test.error());
    const auto &trainSize = train->images.dimensions, &testSize = test->images.dimensions;
    if (trainSize[1] != testSize[1] || trainSize[2] != testSize[2])
        return fail(fmt::format("{}: images of {} x {} pixels; they must be of {} x {} as those of training",
                                paths[2].string(), testSize[1], testSize[2], trainSize[1], trainSize[2]));
    ImageSetContent testContent = contentOf(known, folder, ", test");
    if (testContent.classNames.empty()) testContent.classNames = numberedClasses(train->labels.values);
    Result<ImageSet> trained = combine(*std::move(train), contentOf(known, folder, ", training"));
    if (!trained) return tl::unexpected(trained.error());
    Result<ImageSet> tested = combine(*std::move(test), std::move(testContent));
    if (!tested) return tl::unexpected(tested.error());
    return TrainTest{*std::move(trained), *std::move(tested)};
}

Result<TrainTest> loadIdxFile(const std::filesystem::path& images, std::size_t memoryLimitBytes) {
    std::string labels = images.filename().string();
    labels.replace(labels.find(kImages), kImages.size(), kLabels);
    if (labels.ends_with(kGzip)) labels.resize(labels.size() - kGzip.size());
    std::size_t left = memoryLimitBytes / kCopiesWhileSplit;
    Result<Pair> pair = readPair(images, plainOrGzip(images.parent_path(), labels), left);
    if (!pair) return tl::unexpected(pair.error());
    const IdxKnowledge known{.name = images.filename().string()};
    return splitPair(*std::move(pair), contentOf(known, images, ""), known.name);
}

}  // namespace lockstep
