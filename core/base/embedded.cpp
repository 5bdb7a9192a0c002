#include "base/embedded.h"

namespace lockstep {

std::optional<std::string_view> embeddedFile(std::string_view path) {
    for (const EmbeddedFile& file : embeddedFiles())
        if (file.path == path) return file.content;
    return std::nullopt;
}

}  // namespace lockstep
