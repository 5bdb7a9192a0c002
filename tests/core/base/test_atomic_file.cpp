#include <sys/stat.h>

#include <QTemporaryDir>
#include <QtTest>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/atomic_file.h"

using namespace lockstep;
namespace fs = std::filesystem;

class TestAtomicFile : public QObject {
    Q_OBJECT
    std::unique_ptr<QTemporaryDir> m_folder;
    fs::path m_path;

    std::size_t filesInFolder() const {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(m_path.parent_path()), {}));
    }

private slots:
    void init() {
        m_folder = std::make_unique<QTemporaryDir>();
        QVERIFY(m_folder->isValid());
        m_path = fs::path(m_folder->path().toStdString()) / "file.txt";
    }

    void writesAndReplaces() {
        const std::string large(300000, 'x');
        for (const std::string& content : {std::string("one"), std::string(), large, std::string("a\0b\n", 4)}) {
            QVERIFY(writeFileAtomically(m_path, content));
            const Result<std::string> read = readTextFile(m_path, large.size());
            QVERIFY(read);
            QVERIFY(*read == content);
        }
        QCOMPARE(filesInFolder(), std::size_t{1});
    }

    /// A reader that opens the file again and again while it is replaced sees one of the two contents, complete.
    void readersSeeOldOrNewNeverAMixture() {
        const std::string a(200000, 'a'), b(200000, 'b');
        QVERIFY(writeFileAtomically(m_path, a));
        std::atomic<bool> stop{false};
        std::thread writer([&] {
            for (int i = 0; i < 60; ++i)
                if (!writeFileAtomically(m_path, i % 2 == 0 ? b : a)) break;
            stop = true;
        });
        int reads = 0, mixtures = 0;
        while (!stop || reads == 0) {
            const Result<std::string> read = readTextFile(m_path, a.size());
            mixtures += !read || (*read != a && *read != b);
            ++reads;
        }
        writer.join();
        QCOMPARE(mixtures, 0);
    }

    void keepsTheModeAndFollowsALink() {
        QVERIFY(writeFileAtomically(m_path, "old"));
        QCOMPARE(::chmod(m_path.c_str(), 0640), 0);
        const fs::path link = m_path.parent_path() / "link";
        fs::create_symlink(m_path, link);
        QVERIFY(writeFileAtomically(link, "new"));
        QVERIFY(fs::is_symlink(link));
        QCOMPARE(*readTextFile(m_path, 10), std::string("new"));
        struct stat status {};
        QCOMPARE(::stat(m_path.c_str(), &status), 0);
        QCOMPARE(static_cast<int>(status.st_mode & 0777U), 0640);
    }

    void refusalsNameTheFileAndLeaveNothing() {
        const Result<void> noFolder = writeFileAtomically(m_path.parent_path() / "none" / "x", "text");
        QVERIFY(!noFolder);
        QVERIFY(noFolder.error().message.find("none/x") != std::string::npos);
        QVERIFY(!writeFileAtomically(m_path.parent_path(), "text"));
        QCOMPARE(filesInFolder(), std::size_t{0});
    }

    void readingIsLimited() {
        QVERIFY(writeFileAtomically(m_path, "12345"));
        QVERIFY(readTextFile(m_path, 5));
        const Result<std::string> tooLarge = readTextFile(m_path, 4);
        QVERIFY(!tooLarge);
        QVERIFY(tooLarge.error().message.find("larger than the 4 bytes") != std::string::npos);
        QVERIFY(!readTextFile(m_path.parent_path() / "missing", 10));
        QVERIFY(!readTextFile(m_path.parent_path(), 10));
        QVERIFY(!readTextFile("/dev/zero", 10));
        const fs::path pipe = m_path.parent_path() / "pipe";
        QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
        QVERIFY(!readTextFile(pipe, 10));  // and does not wait for a writer
    }
};

QTEST_GUILESS_MAIN(TestAtomicFile)
#include "test_atomic_file.moc"
