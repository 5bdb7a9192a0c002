#include "data/byte_file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>

namespace lockstep {
namespace {

constexpr std::size_t kPieceBytes = 1 << 20;
constexpr unsigned kBufferBytes = 128 << 10;

gzFile zlibFile(void* file) { return static_cast<gzFile>(file); }

}  // namespace

void ByteFile::Closer::operator()(void* file) const { gzclose(zlibFile(file)); }

tl::unexpected<Error> ByteFile::wrong(const std::string& what) const {
    return fail(fmt::format("{}: {}", m_path.string(), what));
}

Result<ByteFile> ByteFile::open(const std::filesystem::path& path) {
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(path, error);
    if (!std::filesystem::exists(status)) return fail(fmt::format("{}: there is no such file", path.string()));
    if (!std::filesystem::is_regular_file(status)) return fail(fmt::format("{}: is no regular file", path.string()));
    gzFile file = gzopen(path.c_str(), "rb");
    if (!file) return fail(fmt::format("{}: cannot be opened for reading", path.string()));
    gzbuffer(file, kBufferBytes);
    return ByteFile(path, file);
}

Result<std::size_t> ByteFile::readSome(std::span<std::uint8_t> bytes) {
    std::size_t done = 0;
    while (done < bytes.size()) {
        const unsigned piece = static_cast<unsigned>(std::min(kPieceBytes, bytes.size() - done));
        const int got = gzread(zlibFile(m_file.get()), bytes.data() + done, piece);
        int code = Z_OK;
        const char* message = gzerror(zlibFile(m_file.get()), &code);
        // A gzip stream that ends too early is a short read with Z_BUF_ERROR: as truncated as a plain file's end.
        if (got < 0 && code != Z_BUF_ERROR) return wrong(fmt::format("is damaged ({})", message));
        if (got <= 0) break;
        done += static_cast<std::size_t>(got);
    }
    return done;
}

Result<void> ByteFile::read(std::span<std::uint8_t> bytes, const char* what) {
    const Result<std::size_t> done = readSome(bytes);
    if (!done) return tl::unexpected(done.error());
    if (*done < bytes.size())
        return wrong(fmt::format("is truncated: {} of {} bytes of {}", *done, bytes.size(), what));
    return {};
}

Result<std::vector<std::uint8_t>> ByteFile::read(std::size_t count, const char* what) {
    std::vector<std::uint8_t> bytes;
    while (bytes.size() < count) {
        const std::size_t before = bytes.size();
        bytes.resize(std::min(count, std::max(kPieceBytes, 2 * before)));
        const Result<std::size_t> done = readSome(std::span(bytes).subspan(before));
        if (!done) return tl::unexpected(done.error());
        if (before + *done < bytes.size())
            return wrong(fmt::format("is truncated: {} of {} bytes of {}", before + *done, count, what));
    }
    return bytes;
}

Result<void> ByteFile::expectEnd() {
    std::uint8_t byte = 0;
    const Result<std::size_t> done = readSome(std::span(&byte, 1));
    if (!done) return tl::unexpected(done.error());
    if (*done > 0) return wrong("is too long: there are bytes after the last that its header announces");
    int code = Z_OK;
    gzerror(zlibFile(m_file.get()), &code);
    if (code == Z_BUF_ERROR) return wrong("is truncated: its checksum is missing");
    return {};
}

}  // namespace lockstep
