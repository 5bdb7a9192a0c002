#include <QApplication>
#include <QCommandLineParser>
#include <QDir>
#include <QIcon>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <cstdio>

#include "bench/drag_bench.h"
#include "theme/theme.h"
#include "window/main_window.h"
#include "window/self_test.h"
#include "window/shots.h"
#include "window/window_script.h"

namespace {

using namespace lockstep;
using namespace lockstep::ui;

enum class Task { Window, Shots, SelfTest, BenchUi };

struct Arguments {
    Task task = Task::Window;
    QString file, folder;
};

constexpr int kFailed = 1, kBadUsage = 2;

[[noreturn]] void refuse(const QString& line) {
    std::fprintf(stderr, "lockstep: %s\n", qPrintable(line));
    std::exit(kBadUsage);
}

Arguments argumentsOf(const QCoreApplication& application) {
    QCommandLineParser parser;
    parser.setApplicationDescription(QStringLiteral("A laboratory of parallel machine-learning training."));
    parser.addHelpOption();
    parser.addVersionOption();
    const QCommandLineOption shots(QStringLiteral("shots"),
                                   QStringLiteral("Write a picture of every screen into DIR, and end."),
                                   QStringLiteral("DIR"));
    const QCommandLineOption selfTest(QStringLiteral("self-test"),
                                      QStringLiteral("Operate the window, check that it follows, and end."));
    QCommandLineOption bench(QStringLiteral("bench-ui"));
    bench.setFlags(QCommandLineOption::HiddenFromHelp);
    parser.addOptions({shots, selfTest, bench});
    parser.addPositionalArgument(QStringLiteral("EXPERIMENT"), QStringLiteral("A file with an experiment to open."),
                                 QStringLiteral("[EXPERIMENT]"));
    if (!parser.parse(application.arguments())) refuse(parser.errorText());
    if (parser.isSet(QStringLiteral("help"))) parser.showHelp();
    if (parser.isSet(QStringLiteral("version"))) parser.showVersion();
    if (parser.positionalArguments().size() > 1) refuse(QStringLiteral("one EXPERIMENT at most"));
    Arguments arguments;
    arguments.file = parser.positionalArguments().value(0);
    arguments.folder = parser.value(shots);
    arguments.task = parser.isSet(shots)      ? Task::Shots
                     : parser.isSet(selfTest) ? Task::SelfTest
                     : parser.isSet(bench)    ? Task::BenchUi
                                              : Task::Window;
    if (arguments.task == Task::Shots && !QDir().mkpath(arguments.folder))
        refuse(QStringLiteral("%1: cannot be made into a folder").arg(arguments.folder));
    return arguments;
}

template <class T>
T orRefuse(Result<T> result) {
    if (!result) refuse(QString::fromStdString(result.error().message));
    return std::move(*result);
}

/// Scripts run on settings of their own: they neither see nor change a person's.
WindowContent contentIn(const QString& configuration, const QString& data) {
    return {.catalogue = orRefuse(loadBuiltinCatalogue()),
            .bank = orRefuse(loadBuiltinBank()),
            .presets = orRefuse(loadBuiltinPresets()),
            .settingsPath = configuration + QStringLiteral("/window.json"),
            .progressPath = data + QStringLiteral("/quiz-progress.json")};
}

int runScript(QApplication& application, MainWindow& window, Theme& theme, const Arguments& arguments) {
    WindowScript script;
    arguments.task == Task::Shots ? addShots(script, window, theme, arguments.folder) : addSelfTest(script, window);
    QObject::connect(&script, &WindowScript::finished, &application, &QCoreApplication::quit);
    QMetaObject::invokeMethod(&script, &WindowScript::start, Qt::QueuedConnection);
    QApplication::exec();
    for (const QString& fault : script.faults()) std::fprintf(stderr, "lockstep: %s\n", qPrintable(fault));
    return script.faults().isEmpty() ? 0 : kFailed;
}

int runBench(QApplication& application, MainWindow& window) {
    const auto data = std::make_shared<const TrainTest>(orRefuse(loadDatasetOrShapes("fashion-mnist")).data);
    DragBench bench(window, data);
    QObject::connect(&bench, &DragBench::finished, &application, [](const DragReport& report) {
        std::puts(qPrintable(report.text()));
        QCoreApplication::quit();
    });
    QTimer::singleShot(1000, &bench, &DragBench::start);
    return QApplication::exec();
}

int runProgram(QApplication& application) {
    const Arguments arguments = argumentsOf(application);
    Theme theme;
    theme.applyTo(application);
    const QTemporaryDir scratch;
    const bool scripted = arguments.task != Task::Window;
    const auto place = [&](QStandardPaths::StandardLocation location) {
        return scripted ? scratch.path() : QStandardPaths::writableLocation(location);
    };
    MainWindow window(theme,
                      contentIn(place(QStandardPaths::AppConfigLocation), place(QStandardPaths::AppDataLocation)));
    window.show();
    window.restore();
    if (!arguments.file.isEmpty()) window.openFile(arguments.file);
    switch (arguments.task) {
        case Task::Window:
            return QApplication::exec();
        case Task::BenchUi:
            return runBench(application, window);
        default:
            return runScript(application, window, theme, arguments);
    }
}

}  // namespace

int main(int argc, char** argv) {
    QApplication application(argc, argv);
    QApplication::setApplicationName(QStringLiteral("lockstep"));
    QApplication::setApplicationVersion(QStringLiteral(LOCKSTEP_VERSION));
    QApplication::setDesktopFileName(QStringLiteral("org.lockstep.lockstep"));
    QApplication::setWindowIcon(QIcon(QStringLiteral(":/icons/app/lockstep.svg")));
    try {
        return runProgram(application);
    } catch (const std::exception& exception) {
        std::fprintf(stderr, "lockstep: %s\n", exception.what());
        return kFailed;
    }
}
