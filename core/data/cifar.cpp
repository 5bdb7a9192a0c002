#include "data/cifar.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "base/format.h"
#include "data/byte_file.h"

namespace lockstep {
namespace {

constexpr std::size_t kSidePx = 32, kChannels = 3, kPlane = kSidePx * kSidePx, kRecordBytes = 1 + kChannels * kPlane;
constexpr std::size_t kRecordsPerFile = 10000;
constexpr std::array<const char*, 6> kFiles{"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin",
                                            "data_batch_4.bin", "data_batch_5.bin", "test_batch.bin"};
const std::vector<std::string>& classNames() {
    static const std::vector<std::string> names{"airplane", "automobile", "bird",  "cat",  "deer",
                                                "dog",      "frog",       "horse", "ship", "truck"};
    return names;
}

/// Planes [channels x height x width] become pixels [height x width x channels].
void appendInterleaved(std::span<const std::uint8_t> planes, std::vector<std::uint8_t>& pixels) {
    for (std::size_t i = 0; i < kPlane; ++i)
        for (std::size_t channel = 0; channel < kChannels; ++channel) pixels.push_back(planes[channel * kPlane + i]);
}

Result<void> appendFile(const std::filesystem::path& path, ImageSetContent& content) {
    Result<ByteFile> file = ByteFile::open(path);
    if (!file) return tl::unexpected(file.error());
    std::array<std::uint8_t, kRecordBytes> record{};
    for (std::size_t i = 0; i < kRecordsPerFile; ++i) {
        const std::string what = fmt::format("image {} of {}", i + 1, kRecordsPerFile);
        if (const Result<void> read = file->read(std::span(record), what.c_str()); !read) return read;
        if (record[0] >= classNames().size())
            return file->wrong(fmt::format("label {} of image {}; allowed are 0 to 9", record[0], i + 1));
        content.labels.push_back(record[0]);
        appendInterleaved(std::span(record).subspan(1), content.pixels);
    }
    return file->expectEnd();
}

Result<ImageSet> readFiles(const std::filesystem::path& folder, std::span<const char* const> files,
                           const std::string& name) {
    ImageSetContent content{.name = name,
                            .source = folder.string(),
                            .height = kSidePx,
                            .width = kSidePx,
                            .channels = kChannels,
                            .classNames = classNames()};
    content.labels.reserve(files.size() * kRecordsPerFile);
    content.pixels.reserve(files.size() * kRecordsPerFile * kChannels * kPlane);
    for (const char* file : files)
        if (const Result<void> read = appendFile(folder / file, content); !read) return tl::unexpected(read.error());
    return ImageSet::make(std::move(content));
}

}  // namespace

bool hasCifarFiles(const std::filesystem::path& folder) {
    std::error_code ignored;
    return std::any_of(kFiles.begin(), kFiles.end(),
                       [&](const char* name) { return std::filesystem::exists(folder / name, ignored); });
}

Result<TrainTest> loadCifarFolder(const std::filesystem::path& folder, std::size_t memoryLimitBytes) {
    if (memoryLimitBytes < kFiles.size() * kRecordsPerFile * kRecordBytes)
        return fail(fmt::format("{}: CIFAR-10 needs more than the {} that a dataset may take", folder.string(),
                                formatQuantity(static_cast<double>(memoryLimitBytes), "B")));
    const std::span<const char* const> files(kFiles);
    Result<ImageSet> train = readFiles(folder, files.first(5), "CIFAR-10, training");
    if (!train) return tl::unexpected(train.error());
    Result<ImageSet> test = readFiles(folder, files.subspan(5), "CIFAR-10, test");
    if (!test) return tl::unexpected(test.error());
    return TrainTest{std::move(*train), std::move(*test)};
}

}  // namespace lockstep
