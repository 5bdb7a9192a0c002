#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "base/result.h"
#include "quiz/progress.h"

namespace lockstep {

/// No learner reaches this; a larger file is not one of ours.
inline constexpr std::size_t kMaxProgressBytes = 4'000'000;

struct LoadedProgress {
    QuizProgress progress;
    std::string warning;  ///< one line for the learner; empty when all is well
};

/// Keeps a learner's progress in one JSON file. A crash during save() leaves the file as it was before.
class ProgressStore {
public:
    explicit ProgressStore(std::filesystem::path path) : m_path(std::move(path)) {}

    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }

    /// A missing file gives empty progress with `freshSeed`. A file that is damaged, too large or of a later version is
    /// renamed to `path.damaged` (or `.damaged-2` and so on), named in the warning, and replaced by empty progress.
    [[nodiscard]] LoadedProgress load(std::uint64_t freshSeed) const;

    /// Writes to a temporary file that then replaces the old one. Creates missing folders.
    [[nodiscard]] Result<void> save(const QuizProgress& progress) const;

private:
    std::filesystem::path m_path;
};

/// The file's format. Reading fails with one line that names place, key and what is allowed.
[[nodiscard]] std::string writeProgress(const QuizProgress& progress);
[[nodiscard]] Result<QuizProgress> readProgress(std::string_view text, std::string_view where);

}  // namespace lockstep
