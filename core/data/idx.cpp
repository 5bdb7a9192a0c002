#include "data/idx.h"

#include <fmt/format.h>

#include <array>

#include "base/format.h"
#include "data/byte_file.h"

namespace lockstep {
namespace {

constexpr std::uint8_t kUnsignedByte = 8;

std::uint32_t bigEndian(const std::uint8_t* bytes) {
    return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 | std::uint32_t{bytes[2]} << 8 | bytes[3];
}

Result<void> readMagic(ByteFile& file, int dimensions) {
    std::array<std::uint8_t, 4> magic{};
    if (const Result<void> read = file.read(std::span(magic), "its header"); !read) return read;
    const std::array<std::uint8_t, 4> allowed{0, 0, kUnsignedByte, static_cast<std::uint8_t>(dimensions)};
    if (magic != allowed)
        return file.wrong(fmt::format("begins with {:08x}; an IDX file of bytes with {} dimension{} begins with {:08x}",
                                      bigEndian(magic.data()), dimensions, dimensions == 1 ? "" : "s",
                                      bigEndian(allowed.data())));
    return {};
}

/// Also the number of values, which fits because it is checked against the limit before each multiplication.
Result<std::size_t> readDimensions(ByteFile& file, IdxArray& array, std::uint32_t maxSide, std::size_t limit) {
    std::size_t count = 1;
    for (std::size_t i = 0; i < array.dimensions.size(); ++i) {
        std::array<std::uint8_t, 4> bytes{};
        if (const Result<void> read = file.read(std::span(bytes), "its header"); !read)
            return tl::unexpected(read.error());
        const std::uint32_t dimension = array.dimensions[i] = bigEndian(bytes.data());
        if (dimension == 0) return file.wrong(fmt::format("dimension {} is 0; allowed is 1 or more", i + 1));
        if (i > 0 && dimension > maxSide)
            return file.wrong(fmt::format("dimension {} is {}; allowed are 1 to {}", i + 1, dimension, maxSide));
        if (dimension > limit / count)
            return file.wrong(fmt::format("announces more than the {} that one file may take",
                                          formatQuantity(static_cast<double>(limit), "B")));
        count *= dimension;
    }
    return count;
}

}  // namespace

Result<IdxArray> readIdx(const std::filesystem::path& path, int dimensions, std::uint32_t maxSide,
                         std::size_t memoryLimitBytes) {
    Result<ByteFile> file = ByteFile::open(path);
    if (!file) return tl::unexpected(file.error());
    if (const Result<void> magic = readMagic(*file, dimensions); !magic) return tl::unexpected(magic.error());
    IdxArray array;
    array.dimensions.resize(static_cast<std::size_t>(dimensions));
    const Result<std::size_t> count = readDimensions(*file, array, maxSide, memoryLimitBytes);
    if (!count) return tl::unexpected(count.error());
    Result<std::vector<std::uint8_t>> values = file->read(*count, "its values");
    if (!values) return tl::unexpected(values.error());
    if (const Result<void> end = file->expectEnd(); !end) return tl::unexpected(end.error());
    array.values = std::move(*values);
    return array;
}

}  // namespace lockstep
