// System: the source tree. Expectation: the layers of ARCHITECTURE.md, checked in the text of every file.

#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QTest>
#include <functional>

namespace {

struct SourceFile {
    QString path;  ///< relative to the source directory
    QStringList lines;
};

QList<SourceFile> filesBelow(const QString& folder, const QStringList& patterns) {
    const QDir root(QStringLiteral(LOCKSTEP_SOURCE_DIR));
    QList<SourceFile> files;
    QDirIterator walk(root.filePath(folder), patterns, QDir::Files, QDirIterator::Subdirectories);
    while (walk.hasNext()) {
        QFile file(walk.next());
        if (file.open(QIODevice::ReadOnly))
            files.append({root.relativeFilePath(file.fileName()), QString::fromUtf8(file.readAll()).split('\n')});
    }
    return files;
}

const QStringList kSources = {"*.h", "*.cpp"};

/// Every line of `files` that `isFault` accepts, as "path:line: text".
QStringList faultsIn(const QList<SourceFile>& files,
                     const std::function<bool(const SourceFile&, const QString&)>& isFault) {
    QStringList faults;
    for (const SourceFile& file : files)
        for (qsizetype i = 0; i < file.lines.size(); ++i)
            if (isFault(file, file.lines[i]))
                faults << QStringLiteral("%1:%2: %3").arg(file.path).arg(i + 1).arg(file.lines[i].trimmed());
    return faults;
}

QStringList faultsMatching(const QList<SourceFile>& files, const char* pattern) {
    const QRegularExpression expression(QString::fromLatin1(pattern));
    return faultsIn(files, [&](const SourceFile&, const QString& line) { return expression.match(line).hasMatch(); });
}

void verifyNone(const QStringList& faults) { QVERIFY2(faults.isEmpty(), qPrintable(faults.join('\n'))); }

}  // namespace

class TestLayering : public QObject {
    Q_OBJECT

private slots:
    void thePatternsFindWhatTheyLookFor();
    void coreKnowsNeitherQtNorTheWindow();
    void coreFoldersIncludeOnlyWhatTheyLinkTo();
    void windowHeadersAreFreeOfEigen();
    void onlyPlotsNameQtCharts();
    void onlyTheThemeWritesColours();
    void programsHoldNoLogic();
    void nobodyUsesQtsGlobalThreadPool();
};

void TestLayering::thePatternsFindWhatTheyLookFor() {
    const QList<SourceFile> fake = {
        {"x.cpp", {"#include <QString>", "#include \"ui/main_window.h\"", "QColor(12, 3, 4)"}}};
    QCOMPARE(faultsMatching(fake, "#include\\s*[<\"](Q[A-Z]|ui/)").size(), 2);
    QVERIFY(filesBelow("core", kSources).size() > 30);
}

void TestLayering::coreKnowsNeitherQtNorTheWindow() {
    verifyNone(
        faultsMatching(filesBelow("core", kSources), "#include\\s*[<\"](Q[A-Z]|Qt|ui/|app/|main_window|theme/)"));
    verifyNone(faultsMatching(filesBelow("app/cli", kSources), "#include\\s*[<\"](Q[A-Z]|Qt|ui/)"));
}

void TestLayering::coreFoldersIncludeOnlyWhatTheyLinkTo() {
    const QRegularExpression dependsOn("DEPENDS\\s+([a-z ]+?)\\s*(LINK|\\))");
    const QRegularExpression include("^#include \"([a-z]+)/");
    const QDir core(QStringLiteral(LOCKSTEP_SOURCE_DIR "/core"));
    const QStringList folders = core.entryList(QDir::Dirs | QDir::NoDotAndDotDot);
    for (const QString& folder : folders) {
        QFile lists(core.filePath(folder + "/CMakeLists.txt"));
        QVERIFY2(lists.open(QIODevice::ReadOnly), qPrintable(folder));
        const QStringList named =
            dependsOn.match(QString::fromUtf8(lists.readAll())).captured(1).split(' ', Qt::SkipEmptyParts);
        verifyNone(faultsIn(filesBelow("core/" + folder, kSources), [&](const SourceFile&, const QString& line) {
            const QString used = include.match(line).captured(1);
            return folders.contains(used) && used != folder && !named.contains(used);
        }));
    }
}

void TestLayering::windowHeadersAreFreeOfEigen() {
    verifyNone(faultsMatching(filesBelow("ui", kSources), "#include\\s*<Eigen"));
}

void TestLayering::onlyPlotsNameQtCharts() {
    QList<SourceFile> others = filesBelow("ui", kSources) + filesBelow("app", kSources);
    others.removeIf([](const SourceFile& file) { return file.path.startsWith("ui/charts/plot"); });
    verifyNone(
        faultsMatching(others, "QtCharts|QChart\\b|QChartView|Q[A-Z][a-z]+Series\\b|QValueAxis|QLogValueAxis|QBarSet"));
}

void TestLayering::onlyTheThemeWritesColours() {
    QList<SourceFile> others = filesBelow("ui", kSources) + filesBelow("app", kSources);
    others.removeIf([](const SourceFile& file) { return file.path.startsWith("ui/theme/"); });
    verifyNone(faultsMatching(others,
                              "QColor\\(\\s*(0x|[0-9]|\")|QRgb|qRgb|\"#[0-9A-Fa-f]{3,8}\\b|"
                              "Qt::(red|green|blue|yellow|cyan|magenta|black|white|gray|darkGray|lightGray)\\b"));
}

void TestLayering::programsHoldNoLogic() {
    for (const SourceFile& file : filesBelow("app", kSources)) {
        QVERIFY2(file.lines.size() <= 200, qPrintable(file.path + " is long for a file that only parses and wires"));
    }
    verifyNone(faultsMatching(filesBelow("app", kSources), "#include \"optim/|#include <(Eigen|thread)"));
}

void TestLayering::nobodyUsesQtsGlobalThreadPool() {
    verifyNone(faultsMatching(filesBelow("ui", kSources) + filesBelow("core", kSources),
                              "QThreadPool|QtConcurrent|processEvents\\("));
}

QTEST_GUILESS_MAIN(TestLayering)
#include "test_layering.moc"
