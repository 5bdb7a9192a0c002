#include "data/cifar.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <span>

#include "base/format.h"
#include "data/byte_file.h"
#include "data/split.h"

namespace lockstep {
namespace {

constexpr std::size_t kSidePx = 32, kChannels = 3, kPlane = kSidePx * kSidePx, kImageBytes = kChannels * kPlane;
constexpr const char* kFineNames = "fine_label_names.txt";

/// A file of a published set, and its records.
struct CifarFile {
    const char* name;
    std::size_t records;
};

/// What tells the two sets apart.
struct CifarKind {
    const char* name;
    std::size_t labelBytes;  ///< before an image; the last is the class
    std::size_t classes;
    std::span<const CifarFile> train;
    CifarFile test;

    [[nodiscard]] std::size_t recordBytes() const { return labelBytes + kImageBytes; }
};

constexpr std::array<CifarFile, 5> kTenFiles{CifarFile{"data_batch_1.bin", 10000},
                                             {"data_batch_2.bin", 10000},
                                             {"data_batch_3.bin", 10000},
                                             {"data_batch_4.bin", 10000},
                                             {"data_batch_5.bin", 10000}};
constexpr std::array<CifarFile, 1> kHundredFiles{CifarFile{"train.bin", 50000}};
constexpr std::array<CifarKind, 2> kKinds{
    CifarKind{"CIFAR-10", 1, 10, kTenFiles, {"test_batch.bin", 10000}},
    CifarKind{"CIFAR-100", 2, 100, kHundredFiles, {"test.bin", 10000}},
};

bool hasAnyFile(const CifarKind& kind, const std::filesystem::path& folder) {
    std::error_code ignored;
    const auto there = [&](const CifarFile& file) { return std::filesystem::exists(folder / file.name, ignored); };
    return std::ranges::any_of(kind.train, there) || there(kind.test);
}

/// CIFAR-100's from the file that comes with it, else numbers.
std::vector<std::string> classNames(const CifarKind& kind, const std::filesystem::path& folder) {
    if (kind.classes == 10)
        return {"airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"};
    std::vector<std::string> names;
    std::ifstream file(folder / kFineNames);
    for (std::string line; names.size() < kind.classes && std::getline(file, line);)
        if (!line.empty()) names.push_back(line);
    for (std::size_t i = names.size(); i < kind.classes; ++i) names.push_back(std::to_string(i));
    return names;
}

/// Planes [channels x height x width] become pixels [height x width x channels].
void appendInterleaved(std::span<const std::uint8_t> planes, std::vector<std::uint8_t>& pixels) {
    for (std::size_t i = 0; i < kPlane; ++i)
        for (std::size_t channel = 0; channel < kChannels; ++channel) pixels.push_back(planes[channel * kPlane + i]);
}

Result<void> appendFile(const std::filesystem::path& path, const CifarKind& kind, std::size_t records,
                        ImageSetContent& content) {
    Result<ByteFile> file = ByteFile::open(path);
    if (!file) return tl::unexpected(file.error());
    std::vector<std::uint8_t> record(kind.recordBytes());
    for (std::size_t i = 0; i < records; ++i) {
        const std::string what = fmt::format("image {} of {}", i + 1, records);
        if (const Result<void> read = file->read(std::span(record), what.c_str()); !read) return read;
        const std::uint8_t label = record[kind.labelBytes - 1];
        if (label >= kind.classes)
            return file->wrong(
                fmt::format("label {} of image {}; allowed are 0 to {}", label, i + 1, kind.classes - 1));
        content.labels.push_back(label);
        appendInterleaved(std::span(record).subspan(kind.labelBytes), content.pixels);
    }
    return file->expectEnd();
}

Result<ImageSet> readFiles(const std::filesystem::path& folder, const CifarKind& kind, std::span<const CifarFile> files,
                           const char* part) {
    ImageSetContent content{.name = std::string(kind.name) + part,
                            .source = folder.string(),
                            .height = kSidePx,
                            .width = kSidePx,
                            .channels = kChannels,
                            .mirrors = true,
                            .classNames = classNames(kind, folder)};
    std::size_t records = 0;
    for (const CifarFile& file : files) records += file.records;
    content.labels.reserve(records);
    content.pixels.reserve(records * kImageBytes);
    for (const CifarFile& file : files)
        if (const Result<void> read = appendFile(folder / file.name, kind, file.records, content); !read)
            return tl::unexpected(read.error());
    return ImageSet::make(std::move(content));
}

Result<void> checkMemory(const std::filesystem::path& path, std::size_t bytes, std::size_t memoryLimitBytes) {
    if (bytes <= memoryLimitBytes) return {};
    return fail(fmt::format("{}: needs {}, more than the {} that a dataset may take", path.string(),
                            formatQuantity(static_cast<double>(bytes), "B"),
                            formatQuantity(static_cast<double>(memoryLimitBytes), "B")));
}

}  // namespace

bool hasCifarFiles(const std::filesystem::path& folder) {
    return std::ranges::any_of(kKinds, [&](const CifarKind& kind) { return hasAnyFile(kind, folder); });
}

Result<TrainTest> loadCifarFolder(const std::filesystem::path& folder, std::size_t memoryLimitBytes) {
    constexpr std::size_t kImages = 60000;
    const CifarKind& kind = hasAnyFile(kKinds[0], folder) ? kKinds[0] : kKinds[1];
    if (const Result<void> fits = checkMemory(folder, kImages * kind.recordBytes(), memoryLimitBytes); !fits)
        return tl::unexpected(fits.error());
    Result<ImageSet> train = readFiles(folder, kind, kind.train, ", training");
    if (!train) return tl::unexpected(train.error());
    Result<ImageSet> test = readFiles(folder, kind, std::span(&kind.test, 1), ", test");
    if (!test) return tl::unexpected(test.error());
    return TrainTest{std::move(*train), std::move(*test)};
}

Result<TrainTest> loadCifarFile(const std::filesystem::path& file, std::size_t memoryLimitBytes) {
    std::error_code error;
    const std::uintmax_t bytes = std::filesystem::file_size(file, error);
    if (error) return fail(fmt::format("{}: {}", file.string(), error.message()));
    const auto fits = [&](const CifarKind& kind) { return bytes > 0 && bytes % kind.recordBytes() == 0; };
    if (fits(kKinds[0]) == fits(kKinds[1]))
        return fail(fmt::format("{}: is {} bytes long; allowed are multiples of {} (CIFAR-10) or {} (CIFAR-100)",
                                file.string(), bytes, kKinds[0].recordBytes(), kKinds[1].recordBytes()));
    const CifarKind& kind = fits(kKinds[0]) ? kKinds[0] : kKinds[1];
    if (const Result<void> small = checkMemory(file, kCopiesWhileSplit * bytes, memoryLimitBytes); !small)
        return tl::unexpected(small.error());
    const std::string name = file.filename().string();
    const CifarFile whole{name.c_str(), bytes / kind.recordBytes()};
    const Result<ImageSet> all = readFiles(file.parent_path(), kind, std::span(&whole, 1), "");
    if (!all) return tl::unexpected(all.error());
    return splitOffTest(*all, fmt::format("{}, {}", kind.name, name));
}

}  // namespace lockstep
