#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace lockstep {

/// A data file of resources/ that was built into the program.
struct EmbeddedFile {
    std::string_view path;  ///< relative to resources/, for example "catalogue/devices.json"
    std::string_view content;
};

/// Every embedded file, ordered by path.
[[nodiscard]] std::span<const EmbeddedFile> embeddedFiles();

/// The content of one embedded file; empty when there is none of that path.
[[nodiscard]] std::optional<std::string_view> embeddedFile(std::string_view path);

}  // namespace lockstep
