#include <QAction>
#include <QActionGroup>
#include <QFile>
#include <QTest>

#include "controls/controls_panel.h"
#include "quiz/question_page.h"
#include "quiz/quiz_dock.h"
#include "quiz/quiz_header.h"
#include "ui/support/window_desk.h"
#include "window/experiment_files.h"
#include "window/notice_bar.h"
#include "window/window_actions.h"

using namespace lockstep;
using namespace lockstep::ui;
using test::WindowDesk;

/// System: the window, closed and opened again over the same folder of settings and progress.
class TestWindowRestart : public QObject {
    Q_OBJECT

    static void chooseTheme(const WindowDesk& desk, ThemeKind kind) {
        desk.window->actions().themes->actions().at(static_cast<int>(kind))->trigger();
    }

private slots:
    void whatWasSetIsThereAgain() {
        WindowDesk desk;
        desk.window->store().edit(QStringLiteral("cluster.workers"), 12);
        chooseTheme(desk, ThemeKind::Dark);
        desk.window->actions().showQuiz->setChecked(false);
        desk.window->resize(1500, 950);
        desk.reopen();
        MainWindow& window = *desk.window;
        QCOMPARE(window.store().experiment().cluster.workers, 12);
        QVERIFY(!window.store().canUndo());
        QCOMPARE(desk.theme->kind(), ThemeKind::Dark);
        QCOMPARE(window.actions().themes->checkedAction()->data().toInt(), static_cast<int>(ThemeKind::Dark));
        QVERIFY(!window.quiz()->isVisible() && !window.actions().showQuiz->isChecked());
        QVERIFY(window.findChild<ControlsPanel*>()->isVisible());
        QCOMPARE(window.size(), QSize(1500, 950));
        QCOMPARE(window.run().state(), RunController::State::Idle);  // runWhenOpened is off here
        QCOMPARE(window.notices()->text(), QString());
    }

    /// A crash loses a second at most: settings are written while the window is open.
    void changesAreWrittenWithoutClosing() {
        WindowDesk desk;
        desk.window->store().edit(QStringLiteral("cluster.workers"), 12);
        QTRY_COMPARE_WITH_TIMEOUT(restoreSettings(desk.settingsPath()).settings.experiment.cluster.workers, 12, 3000);
    }

    void endingWhilePresentingKeepsTheLayoutBefore() {
        WindowDesk desk;
        desk.window->actions().showQuiz->setChecked(false);
        desk.settle();
        const QSize size = desk.window->size();
        desk.window->setPresenting(true);
        chooseTheme(desk, ThemeKind::HighContrast);
        desk.window->store().edit(QStringLiteral("cluster.workers"), 12);
        desk.settle();
        desk.reopen();
        MainWindow& window = *desk.window;
        QVERIFY(!desk.theme->presenting() && !window.windowState().testFlag(Qt::WindowFullScreen));
        QVERIFY(window.findChild<ControlsPanel*>()->isVisible() && !window.quiz()->isVisible());
        QCOMPARE(window.size(), size);
        QCOMPARE(desk.theme->kind(), ThemeKind::HighContrast);
        QCOMPARE(window.store().experiment().cluster.workers, 12);
    }

    void aChangedSceneIsStillThatSceneChanged() {
        WindowDesk desk;
        const Preset scene = loadBuiltinPresets()->at(1);
        const QString title = QString::fromStdString(scene.title);
        desk.window->loadPreset(QString::fromStdString(scene.key));
        desk.reopen();
        QVERIFY(desk.window->windowTitle().startsWith(title));
        QVERIFY(!desk.window->windowTitle().contains(QStringLiteral("changed")));
        desk.window->store().edit(QStringLiteral("training.seed"), 77);
        desk.reopen();
        QCOMPARE(desk.window->store().experiment().training.seed, 77u);
        QVERIFY(desk.window->windowTitle().startsWith(title));
        QVERIFY2(desk.window->windowTitle().contains(QStringLiteral("changed")),
                 qPrintable(desk.window->windowTitle()));
        desk.window->actions().reset->trigger();
        QCOMPARE(desk.window->store().experiment(), scene.experiment);  // the scene's start
    }

    void aFilesExperimentIsNotCalledByTheSceneBeforeIt() {
        WindowDesk desk;
        const Preset scene = loadBuiltinPresets()->at(2);
        desk.window->store().edit(QStringLiteral("cluster.workers"), 12);
        const QString path = desk.at(QStringLiteral("twelve.lockstep"));
        QVERIFY(desk.window->findChild<ExperimentFiles*>()->save(path));
        desk.window->loadPreset(QString::fromStdString(scene.key));
        QVERIFY(desk.window->openFile(path));
        desk.reopen();
        QCOMPARE(desk.window->store().experiment().cluster.workers, 12);
        QVERIFY2(!desk.window->windowTitle().contains(QString::fromStdString(scene.title)),
                 qPrintable(desk.window->windowTitle()));
    }

    void quizProgressIsKeptBetweenWindows() {
        WindowDesk desk;
        desk.window->goToQuestion(7);
        QTest::keyClick(desk.window.get(), Qt::Key_3);
        desk.reopen();
        const QuestionPage& page = *desk.window->quiz()->questionPage();
        QCOMPARE(page.question().number, 7);
        QCOMPARE(page.answer().chosen, 2);
        QVERIFY(page.answer().revealed);
    }

    void damagedSettingsOpenAWindowThatWorks() {
        WindowDesk desk;
        desk.close();
        QFile file(desk.settingsPath());
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("{\"theme\": ") > 0);
        file.close();
        desk.open();
        QVERIFY(desk.window->notices()->text().contains(QStringLiteral("damaged")));
        QCOMPARE(desk.window->store().experiment(), Experiment{});
        QVERIFY(desk.window->store().edit(QStringLiteral("cluster.workers"), 6));
        desk.reopen();
        QCOMPARE(desk.window->notices()->text(), QString());
        QCOMPARE(desk.window->store().experiment().cluster.workers, 6);
    }

    void settingsThatCannotBeWrittenAreSaid() {
        WindowDesk desk;
        QVERIFY(QFile::remove(desk.settingsPath()));
        QVERIFY(QDir().mkpath(desk.settingsPath() + QStringLiteral("/in the way")));
        desk.window->store().edit(QStringLiteral("cluster.workers"), 6);
        QTRY_VERIFY_WITH_TIMEOUT(desk.window->notices()->text().contains(QStringLiteral("not saved")), 3000);
    }
};

QTEST_MAIN(TestWindowRestart)
#include "test_window_restart.moc"
