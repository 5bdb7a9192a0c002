#include "quiz/progress_store.h"

#include <fmt/format.h>

#include <system_error>

#include "base/atomic_file.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxSetAside = 99;

/// The first free name; past the last one the newest damaged file replaces it.
fs::path setAsidePath(const fs::path& path) {
    std::error_code ignored;
    for (int i = 1;; ++i) {
        fs::path candidate = path;
        candidate += i == 1 ? std::string(".damaged") : fmt::format(".damaged-{}", i);
        if (i == kMaxSetAside || !fs::exists(fs::symlink_status(candidate, ignored))) return candidate;
    }
}

}  // namespace

LoadedProgress ProgressStore::load(std::uint64_t freshSeed) const {
    LoadedProgress fresh;
    fresh.progress.seed = freshSeed;
    std::error_code error;
    if (fs::status(m_path, error).type() == fs::file_type::not_found) return fresh;

    const Result<QuizProgress> read = readTextFile(m_path, kMaxProgressBytes).and_then([&](const std::string& text) {
        return readProgress(text, m_path.string());
    });
    if (read) return {.progress = *read, .warning = {}};

    const fs::path aside = setAsidePath(m_path);
    fs::rename(m_path, aside, error);
    fresh.warning =
        error ? fmt::format("Quiz progress could not be read and starts empty. {}. It could not be set aside: {}",
                            read.error().message, error.message())
              : fmt::format("Quiz progress could not be read and starts empty; the old file is kept as {}. {}",
                            aside.string(), read.error().message);
    return fresh;
}

Result<void> ProgressStore::save(const QuizProgress& progress) const {
    if (m_path.has_parent_path()) {
        std::error_code error;
        fs::create_directories(m_path.parent_path(), error);
        if (error)
            return fail(
                fmt::format("{}: the folder cannot be made: {}", m_path.parent_path().string(), error.message()));
    }
    return writeFileAtomically(m_path, writeProgress(progress));
}

}  // namespace lockstep
