#include <unistd.h>

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <memory>
#include <nlohmann/json.hpp>

#include "window/window_settings.h"

using namespace lockstep;
using namespace lockstep::ui;

namespace {

/// Every setting different from its default.
WindowSettings unusual() {
    WindowSettings settings;
    settings.geometry = QByteArray("\x01\xd9\x00\xff geometry", 13);
    settings.columns = {310, 700, 0};
    settings.rows = {200, 100, 300};
    settings.theme = ThemeKind::HighContrast;
    settings.controlsShown = settings.quizShown = settings.runWhenOpened = false;
    settings.reducedMotion = true;
    settings.presentingScale = 2.25;
    settings.experiment.cluster.workers = 12;
    settings.experiment.training.learningRate = 0.003;
    settings.sceneTitle = QStringLiteral("Zwei Server für “alle”");
    return settings;
}

/// The first setting in which two differ; empty where none.
QString difference(const WindowSettings& a, const WindowSettings& b) {
    if (a.geometry != b.geometry) return QStringLiteral("geometry");
    if (a.columns != b.columns || a.rows != b.rows) return QStringLiteral("sizes");
    if (a.theme != b.theme) return QStringLiteral("theme");
    if (a.controlsShown != b.controlsShown || a.quizShown != b.quizShown) return QStringLiteral("panels");
    if (a.reducedMotion != b.reducedMotion) return QStringLiteral("reduced motion");
    if (a.runWhenOpened != b.runWhenOpened) return QStringLiteral("run when opened");
    if (a.presentingScale != b.presentingScale) return QStringLiteral("presenting scale");
    if (a.sceneTitle != b.sceneTitle) return QStringLiteral("scene title");
    return a.experiment == b.experiment ? QString() : QStringLiteral("experiment");
}

QByteArray contentOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

}  // namespace

class TestWindowSettings : public QObject {
    Q_OBJECT
    std::unique_ptr<QTemporaryDir> m_folder;

    [[nodiscard]] QString path() const { return m_folder->filePath(QStringLiteral("window.json")); }
    [[nodiscard]] QStringList files() const {
        return QDir(m_folder->path()).entryList(QDir::AllEntries | QDir::NoDotAndDotDot | QDir::Hidden, QDir::Name);
    }
    void write(const QByteArray& bytes) const {
        QFile file(path());
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size());
    }
    /// A file as the window writes it, changed by `change`.
    template <class Change>
    void writeChanged(Change change) const {
        QVERIFY(saveSettings(path(), unusual()));
        auto document = nlohmann::ordered_json::parse(contentOf(path()).toStdString());
        change(document);
        write(QByteArray::fromStdString(document.dump()));
    }

private slots:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void roundTrip() {
        QVERIFY(saveSettings(path(), unusual()));
        const RestoredSettings restored = restoreSettings(path());
        QCOMPARE(restored.notice, QString());
        QCOMPARE(difference(restored.settings, unusual()), QString());
        QVERIFY(!difference(restored.settings, WindowSettings{}).isEmpty());
    }

    void replacesTheOldOnesAndLeavesNothingElse() {
        QVERIFY(saveSettings(path(), WindowSettings{}));
        QVERIFY(saveSettings(path(), unusual()));
        QCOMPARE(files(), QStringList{QStringLiteral("window.json")});
        QCOMPARE(difference(restoreSettings(path()).settings, unusual()), QString());
    }

    void makesItsFolder() {
        const QString deep = m_folder->filePath(QStringLiteral("a/b/window.json"));
        QVERIFY(saveSettings(deep, unusual()));
        QCOMPARE(difference(restoreSettings(deep).settings, unusual()), QString());
    }

    void aFirstStartIsNothingToTell() {
        const RestoredSettings restored = restoreSettings(path());
        QCOMPARE(restored.notice, QString());
        QCOMPARE(difference(restored.settings, WindowSettings{}), QString());
        QVERIFY(files().isEmpty());
    }

    void whatCannotBeWrittenIsSaidAndHarmsNothing() {
        write("in the way");
        const QString below = path() + QStringLiteral("/window.json");  // below a file
        const Result<void> saved = saveSettings(below, unusual());
        QVERIFY(!saved);
        QVERIFY(QString::fromStdString(saved.error().message).contains(path()));
        QCOMPARE(contentOf(path()), QByteArray("in the way"));
        QCOMPARE(files().size(), 1);
    }

    void damagedOnesAreSetAsideAndSaid_data() {
        QTest::addColumn<QByteArray>("bytes");
        QVERIFY(saveSettings(path(), unusual()));
        const QByteArray whole = contentOf(path());
        QTest::newRow("cut short") << whole.left(whole.size() / 2);
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("another document") << QByteArray("[1, 2, 3]");
        QTest::newRow("nothing in it") << QByteArray("{}");
        QTest::newRow("not UTF-8") << QByteArray("{\"theme\": \"\xff\xfe\"}");
        QTest::newRow("binary") << QByteArray(
            "\x7f"
            "ELF\x02\x01\x01\x00\x00\x00\x00\xff\xd9",
            13);
        QTest::newRow("brackets") << QByteArray(900'000, '[');
        QTest::newRow("huge") << whole + QByteArray(2'000'000, ' ');
        const auto changed = [&](const char* key, const nlohmann::json& value) {
            auto document = nlohmann::ordered_json::parse(whole.toStdString());
            document[key] = value;
            return QByteArray::fromStdString(document.dump());
        };
        QTest::newRow("no such theme") << changed("theme", "plaid");
        QTest::newRow("theme of another type") << changed("theme", 3);
        QTest::newRow("sizes of another type") << changed("columns", {"wide", "narrow"});
        QTest::newRow("switch of another type") << changed("quiz_shown", "yes");
        QTest::newRow("scale of another type") << changed("presenting_scale", nullptr);
    }
    void damagedOnesAreSetAsideAndSaid() {
        QFETCH(QByteArray, bytes);
        write(bytes);
        const RestoredSettings restored = restoreSettings(path());
        QVERIFY(restored.notice.contains(QStringLiteral("damaged")));
        QVERIFY(restored.notice.contains(QStringLiteral("window.json.damaged")));
        QVERIFY(!restored.notice.contains(QLatin1Char('\n')));
        QVERIFY(restored.notice.size() < 400);
        QCOMPARE(difference(restored.settings, WindowSettings{}), QString());
        QCOMPARE(files(), QStringList{QStringLiteral("window.json.damaged")});
        QCOMPARE(contentOf(path() + QStringLiteral(".damaged")), bytes);  // nothing is lost
    }

    void anOlderDamagedOneIsKept() {
        for (const char* bytes : {"first", "second", "third"}) {
            write(bytes);
            QVERIFY(!restoreSettings(path()).notice.isEmpty());
        }
        QCOMPARE(files(), (QStringList{QStringLiteral("window.json.damaged"), QStringLiteral("window.json.damaged-2"),
                                       QStringLiteral("window.json.damaged-3")}));
        QCOMPARE(contentOf(path() + QStringLiteral(".damaged")), QByteArray("first"));
        QCOMPARE(contentOf(path() + QStringLiteral(".damaged-3")), QByteArray("third"));
    }

    void aFolderInItsPlaceIsSetAside() {
        QVERIFY(QDir().mkpath(path() + QStringLiteral("/within")));
        QVERIFY(!restoreSettings(path()).notice.isEmpty());
        QVERIFY(QDir(path() + QStringLiteral(".damaged/within")).exists());
        QVERIFY(saveSettings(path(), unusual()));
        QCOMPARE(difference(restoreSettings(path()).settings, unusual()), QString());
    }

    void oneThatMayNotBeReadIsSetAside() {
        if (geteuid() == 0) QSKIP("root may read everything");
        QVERIFY(saveSettings(path(), unusual()));
        QVERIFY(QFile::setPermissions(path(), {}));
        QVERIFY(!restoreSettings(path()).notice.isEmpty());
        QCOMPARE(files(), QStringList{QStringLiteral("window.json.damaged")});
    }

    /// The others are as they were: an experiment that a newer version does not take any more is no damage.
    void anExperimentOutOfRangeBecomesTheDefaultOne() {
        writeChanged([](nlohmann::ordered_json& document) { document["experiment"]["cluster"]["workers"] = 0; });
        const RestoredSettings restored = restoreSettings(path());
        QVERIFY(restored.notice.contains(QStringLiteral("cluster.workers")));
        WindowSettings expected = unusual();
        expected.experiment = Experiment{};
        expected.sceneTitle.clear();  // the default experiment is no scene
        QCOMPARE(difference(restored.settings, expected), QString());
        QCOMPARE(files(), QStringList{QStringLiteral("window.json")});
    }

    void valuesOutOfRangeAreBroughtBack() {
        writeChanged([](nlohmann::ordered_json& document) {
            document["presenting_scale"] = 40;
            document["columns"] = {-5, 2'000'000'000, 300};
            document["scene_title"] = std::string(5000, 'x');
        });
        const WindowSettings settings = restoreSettings(path()).settings;
        QCOMPARE(settings.presentingScale, 3.0);  // its documented range is 1.2 to 3
        QCOMPARE(settings.columns.at(0), 0);
        QVERIFY(settings.columns.at(1) <= 100'000);
        QVERIFY(settings.sceneTitle.size() <= 200);
        QCOMPARE(settings.theme, ThemeKind::HighContrast);
    }

    /// A later version may know more.
    void unknownSettingsAreIgnored() {
        writeChanged([](nlohmann::ordered_json& document) { document["language"] = "de"; });
        QCOMPARE(restoreSettings(path()).notice, QString());
        QCOMPARE(difference(restoreSettings(path()).settings, unusual()), QString());
    }
};

QTEST_GUILESS_MAIN(TestWindowSettings)
#include "test_window_settings.moc"
