#include "base/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <system_error>

namespace lockstep {
namespace {

namespace fs = std::filesystem;

std::string reasonOf(int number) { return std::generic_category().message(number); }

/// An open file that closes itself.
class Descriptor {
public:
    explicit Descriptor(int number) : m_number(number) {}
    ~Descriptor() { close(); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    [[nodiscard]] int get() const { return m_number; }
    /// False when the system reports that something was not written.
    bool close() {
        if (m_number < 0) return true;
        const int result = ::close(m_number);
        m_number = -1;
        return result == 0;
    }

private:
    int m_number;
};

bool writeAll(int file, std::string_view content) {
    while (!content.empty()) {
        const ssize_t written = ::write(file, content.data(), content.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        content.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

/// Makes the renaming itself survive a loss of power. Some file systems cannot; then nothing is lost but that.
void flushFolder(const fs::path& folder) {
    const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (opened.get() >= 0) ::fsync(opened.get());
}

/// Differs between processes and between calls; no one else's file is ever opened, thanks to O_EXCL.
fs::path temporaryPath(const fs::path& target) {
    static std::atomic<unsigned> counter{0};
    fs::path result = target;
    result += fmt::format(".{}-{}.tmp", ::getpid(), counter.fetch_add(1));
    return result;
}

Result<void> writeAndFlush(const fs::path& temporary, const fs::path& target, std::string_view content) {
    Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (file.get() < 0) return fail(fmt::format("{}: cannot be written: {}", target.string(), reasonOf(errno)));
    struct stat old {};
    if (::stat(target.c_str(), &old) == 0) ::fchmod(file.get(), old.st_mode & 07777U);
    const bool written = writeAll(file.get(), content) && ::fsync(file.get()) == 0;
    const int number = errno;
    if (!written || !file.close())
        return fail(fmt::format("{}: cannot be written: {}", target.string(), reasonOf(written ? errno : number)));
    return {};
}

}  // namespace

Result<void> writeFileAtomically(const fs::path& path, std::string_view content) {
    std::error_code error;
    fs::path target = path;
    if (fs::is_symlink(path, error)) {
        target = fs::weakly_canonical(path, error);
        if (error) return fail(fmt::format("{}: the link cannot be followed: {}", path.string(), error.message()));
    }
    if (const fs::file_status status = fs::status(target, error); fs::exists(status) && !fs::is_regular_file(status))
        return fail(fmt::format("{}: is not a regular file", path.string()));

    const fs::path temporary = temporaryPath(target);
    Result<void> done = writeAndFlush(temporary, target, content);
    if (done && ::rename(temporary.c_str(), target.c_str()) != 0)
        done = fail(fmt::format("{}: cannot be replaced: {}", path.string(), reasonOf(errno)));
    if (!done) {
        fs::remove(temporary, error);
        return done;
    }
    flushFolder(target.has_parent_path() ? target.parent_path() : fs::path("."));
    return {};
}

Result<std::string> readTextFile(const fs::path& path, std::size_t maxBytes) {
    // Without O_NONBLOCK the opening of a pipe would wait for its other end.
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (file.get() < 0) return fail(fmt::format("{}: cannot be opened: {}", path.string(), reasonOf(errno)));
    struct stat status {};
    if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode))
        return fail(fmt::format("{}: is not a regular file", path.string()));

    std::string text;
    char block[65536];
    while (true) {
        const ssize_t count = ::read(file.get(), block, sizeof block);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return fail(fmt::format("{}: cannot be read: {}", path.string(), reasonOf(errno)));
        if (count == 0) return text;
        if (static_cast<std::size_t>(count) > maxBytes - text.size())
            return fail(fmt::format("{}: larger than the {} bytes allowed", path.string(), maxBytes));
        text.append(block, static_cast<std::size_t>(count));
    }
}

}  // namespace lockstep
