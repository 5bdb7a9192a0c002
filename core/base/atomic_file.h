#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace lockstep {

/// Replaces a file's content so that a reader, or a crash at any moment, finds either all of the old or all of the new:
/// a temporary file in the same folder is written, flushed to the disk and renamed over `path`. The mode of an existing
/// file is kept, a symbolic link is followed. The folder must exist. On failure the old file is untouched and the
/// temporary one removed.
[[nodiscard]] Result<void> writeFileAtomically(const std::filesystem::path& path, std::string_view content);

/// The whole content of a regular file of at most `maxBytes` bytes. Anything else (missing, a folder, a pipe, too
/// large, unreadable) fails with one line that names the file.
[[nodiscard]] Result<std::string> readTextFile(const std::filesystem::path& path, std::size_t maxBytes);

}  // namespace lockstep
