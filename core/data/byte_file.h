#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"

namespace lockstep {

/// A file read from front to back, unpacked on the way when it is gzip'd. Every failure is one line that begins with
/// the file's path.
class ByteFile {
public:
    /// Regular files only: a device or pipe might never end.
    [[nodiscard]] static Result<ByteFile> open(const std::filesystem::path& path);

    /// Fills `bytes`; fails where the file ends before ("is truncated: N of M bytes of WHAT") or is damaged.
    [[nodiscard]] Result<void> read(std::span<std::uint8_t> bytes, const char* what);

    /// `count` further bytes. Memory is taken as they arrive, so that a header that promises too much costs nothing.
    [[nodiscard]] Result<std::vector<std::uint8_t>> read(std::size_t count, const char* what);

    /// Fails unless the file ends here, with a sound checksum if it is gzip'd.
    [[nodiscard]] Result<void> expectEnd();

    /// "PATH: what"
    [[nodiscard]] tl::unexpected<Error> wrong(const std::string& what) const;

private:
    struct Closer {
        void operator()(void* file) const;
    };
    explicit ByteFile(std::filesystem::path path, void* file) : m_path(std::move(path)), m_file(file) {}
    /// Bytes read, fewer than asked for only at the end.
    [[nodiscard]] Result<std::size_t> readSome(std::span<std::uint8_t> bytes);

    std::filesystem::path m_path;
    std::unique_ptr<void, Closer> m_file;  ///< a zlib gzFile
};

}  // namespace lockstep
