#include <QTemporaryDir>
#include <QtTest>
#include <filesystem>
#include <fstream>
#include <limits>

#include "base/atomic_file.h"
#include "quiz/progress_store.h"

using namespace lockstep;
namespace fs = std::filesystem;

namespace {

QuizProgress sample() {
    QuizProgress progress;
    progress.seed = std::numeric_limits<std::uint64_t>::max();
    progress.currentQuestionId = "ws-031";
    progress.answers = {{"ws-001", "o2", false}, {"ws-030", "o1", true}};
    progress.flagged = {"ws-007", "ws-070"};
    progress.reshuffles = {{"ws-030", 3}};
    return progress;
}

void write(const fs::path& path, std::string_view text) {
    std::ofstream(path, std::ios::binary).write(text.data(), static_cast<std::streamsize>(text.size()));
}

}  // namespace

class TestProgressStore : public QObject {
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
        m_path = fs::path(m_folder->path().toStdString()) / "progress.json";
    }

    void missingFileIsAFreshStart() {
        const LoadedProgress loaded = ProgressStore(m_path).load(42);
        QVERIFY(loaded.warning.empty());
        QCOMPARE(loaded.progress.seed, std::uint64_t{42});
        QVERIFY(loaded.progress.answers.empty());
        QCOMPARE(filesInFolder(), std::size_t{0});
    }

    void roundTrip() {
        const ProgressStore store(m_path);
        QVERIFY(store.save(sample()));
        const LoadedProgress loaded = store.load(1);
        QVERIFY2(loaded.warning.empty(), loaded.warning.c_str());
        QVERIFY(loaded.progress == sample());
        QVERIFY(store.save(QuizProgress()));
        QVERIFY(store.load(1).progress == QuizProgress());
        QCOMPARE(filesInFolder(), std::size_t{1});  // no temporary file stays behind
    }

    void makesMissingFolders() {
        const ProgressStore store(m_path.parent_path() / "a" / "b" / "progress.json");
        QVERIFY(store.save(sample()));
        QVERIFY(store.load(1).progress == sample());
    }

    void damagedFileIsSetAside_data() {
        QTest::addColumn<QByteArray>("content");
        const std::string sound = writeProgress(sample());
        const auto with = [&](const char* from, const char* to) {
            return QByteArray::fromStdString(sound).replace(from, to);
        };
        QTest::newRow("empty") << QByteArray("");
        QTest::newRow("cut short") << QByteArray::fromStdString(sound.substr(0, sound.size() / 2));
        QTest::newRow("zeros") << QByteArray(500, '\0');
        QTest::newRow("another file") << QByteArray("{\"format\": \"something\"}");
        QTest::newRow("later version") << with("\"version\": 1", "\"version\": 2");
        QTest::newRow("answer twice") << with("ws-001", "ws-030");
        QTest::newRow("seed negative") << with("18446744073709551615", "-1");
        QTest::newRow("guessed no boolean") << with("true", "1");
        QTest::newRow("unknown key") << with("\"seed\"", "\"sed\"");
        QTest::newRow("reshuffles absurd") << with("\"times\": 3", "\"times\": 99999");
        QTest::newRow("huge") << QByteArray(static_cast<int>(kMaxProgressBytes) + 1, ' ');
        QTest::newRow("deep") << QByteArray(200000, '[');
    }
    void damagedFileIsSetAside() {
        QFETCH(QByteArray, content);
        write(m_path, {content.constData(), static_cast<std::size_t>(content.size())});
        const ProgressStore store(m_path);
        const LoadedProgress loaded = store.load(9);
        QuizProgress fresh;
        fresh.seed = 9;
        QVERIFY(loaded.progress == fresh);
        QVERIFY2(loaded.warning.find("progress.json.damaged") != std::string::npos, loaded.warning.c_str());
        QVERIFY2(loaded.warning.find('\n') == std::string::npos, loaded.warning.c_str());
        QVERIFY(!fs::exists(m_path));
        QCOMPARE(fs::file_size(m_path.string() + ".damaged"), static_cast<std::uintmax_t>(content.size()));
        QVERIFY(store.load(9).warning.empty());  // said once
    }

    void earlierDamagedFilesAreKept() {
        const ProgressStore store(m_path);
        for (const char* content : {"first", "second"}) {
            write(m_path, content);
            QVERIFY(!store.load(1).warning.empty());
        }
        QCOMPARE(*readTextFile(m_path.string() + ".damaged", 100), std::string("first"));
        QCOMPARE(*readTextFile(m_path.string() + ".damaged-2", 100), std::string("second"));
    }

    void everyTruncationIsRefused() {
        const std::string sound = writeProgress(sample());
        QVERIFY(readProgress(sound, "p"));
        for (std::size_t length = 0; length + 2 < sound.size(); ++length)
            QVERIFY(!readProgress(std::string_view(sound).substr(0, length), "p"));
    }

    void failureToSaveIsReported() {
        write(m_path, "a file, not a folder");
        const Result<void> saved = ProgressStore(m_path / "progress.json").save(sample());
        QVERIFY(!saved);
        QVERIFY(!saved.error().message.empty());
    }
};

QTEST_GUILESS_MAIN(TestProgressStore)
#include "test_progress_store.moc"
