#include <QAction>
#include <QActionGroup>
#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QTest>

#include "controls/controls_panel.h"
#include "experiment/experiment_json.h"
#include "quiz/option_card.h"
#include "quiz/question_page.h"
#include "quiz/quiz_dock.h"
#include "stage/playback.h"
#include "ui/support/tiny_images.h"
#include "ui/support/window_desk.h"
#include "window/experiment_files.h"
#include "window/notice_bar.h"
#include "window/status_panel.h"
#include "window/tool_row.h"
#include "window/window_actions.h"

using namespace lockstep;
using namespace lockstep::ui;
using test::WindowDesk;
using State = RunController::State;

namespace {

constexpr int kPatience_ms = 20'000;

QWidget* blackScreen(const MainWindow& window) {
    for (QWidget* widget : window.findChildren<QWidget*>(Qt::FindDirectChildrenOnly))
        if (widget->accessibleName().startsWith(QStringLiteral("Black screen"))) return widget;
    return nullptr;
}

QList<QList<int>> splitterSizes(const MainWindow& window) {
    QList<QList<int>> sizes;
    for (const QSplitter* splitter : window.findChildren<QSplitter*>()) sizes << splitter->sizes();
    return sizes;
}

}  // namespace

class TestMainWindow : public QObject {
    Q_OBJECT
    test::TinyImages m_images;

    /// Waits for the run to have taken that many steps.
    static bool untilStep(const WindowDesk& desk, long long step) {
        const RunController& run = desk.window->run();
        return QTest::qWaitFor([&] { return run.latest() && run.latest()->step >= step; }, kPatience_ms);
    }

private slots:
    void aFirstStartShowsTheDefaultExperimentAndTrains() {
        WindowDesk desk({}, WindowDesk::Start::First);
        const MainWindow& window = *desk.window;
        QCOMPARE(window.store().experiment(), Experiment{});
        QCOMPARE(window.run().state(), State::Loading);
        QCOMPARE(window.notices()->text(), QString());
        QVERIFY(window.quiz()->isVisible() && window.toolRow()->isVisible() && window.status()->isVisible());
        QVERIFY(window.findChild<ControlsPanel*>()->isVisible());
        QVERIFY(window.windowTitle().contains(QStringLiteral("Default")));
        QVERIFY(!window.windowTitle().contains(QStringLiteral("changed")));
    }

    void everySceneOpensAsItIs() {
        const WindowDesk desk;
        const std::vector<Preset> presets = *loadBuiltinPresets();
        const QList<QAction*> actions = desk.window->actions().presets->actions();
        QCOMPARE(actions.size(), static_cast<qsizetype>(presets.size()));
        for (size_t i = 0; i < presets.size(); ++i) {
            const Experiment before = desk.window->store().experiment();
            actions.at(static_cast<qsizetype>(i))->trigger();
            QCOMPARE(desk.window->store().experiment(), presets[i].experiment);
            QVERIFY(desk.window->windowTitle().contains(QString::fromStdString(presets[i].title)));
            QVERIFY(!desk.window->windowTitle().contains(QStringLiteral("changed")));
            QCOMPARE(desk.window->notices()->text(), QString());
            desk.window->actions().undo->trigger();
            QCOMPARE(desk.window->store().experiment(), before);
            desk.window->actions().redo->trigger();
        }
    }

    void theSentenceIsTheStoresExplanation() {
        const WindowDesk desk;
        ExperimentStore& store = desk.window->store();
        QStringList sentences;
        const std::vector<Preset> builtin = *loadBuiltinPresets();
        for (const Preset& preset : builtin) {
            desk.window->loadPreset(QString::fromStdString(preset.key));
            const Explanation why = explain(*predict(preset.experiment, store.catalogue()), store.catalogue());
            QCOMPARE(desk.window->status()->sentence(), QString::fromStdString(why.headline + " " + why.detail));
            sentences << desk.window->status()->sentence();
        }
        sentences.removeDuplicates();
        QVERIFY(sentences.size() > 2);  // it says something about each
    }

    void actionsRunPauseStepAndReset() {
        const WindowDesk desk;
        const Experiment endless = m_images.experiment(4, 131072);
        desk.window->store().start(endless);
        const WindowActions& actions = desk.window->actions();
        actions.runOrPause->trigger();
        QVERIFY(untilStep(desk, 10));
        QVERIFY(desk.window->toolRow()->progressText().startsWith(QStringLiteral("step ")));
        actions.runOrPause->trigger();
        QCOMPARE(desk.window->run().state(), State::Paused);
        QVERIFY(desk.window->toolRow()->runButton()->text().contains(QStringLiteral("Continue")));
        actions.step->trigger();
        QTest::qWait(150);
        const long long stood = desk.window->run().latest()->step;
        actions.step->trigger();
        QVERIFY(untilStep(desk, stood + 1));
        desk.window->store().edit(QStringLiteral("training.learning_rate"), 0.5);
        actions.reset->trigger();
        QCOMPARE(desk.window->run().state(), State::Idle);
        QCOMPARE(desk.window->store().experiment(), endless);
        QVERIFY(desk.window->toolRow()->runButton()->text().contains(QStringLiteral("Run")));
    }

    void keysRunStepAnswerAndUndo() {
        const WindowDesk desk;
        MainWindow& window = *desk.window;
        window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        window.store().start(m_images.experiment(4, 131072));
        QTest::keyClick(&window, Qt::Key_Space);
        QVERIFY(untilStep(desk, 1));
        QTest::keyClick(&window, Qt::Key_Space);
        QCOMPARE(window.run().state(), State::Paused);

        const Playback& playback = window.playback();
        const int first = playback.currentPhase();
        QTest::keyClick(&window, Qt::Key_Right);
        QTest::keyClick(&window, Qt::Key_Right);
        QCOMPARE(playback.currentPhase(), first + 2);
        QTest::keyClick(&window, Qt::Key_Left);
        QCOMPARE(playback.currentPhase(), first + 1);

        QVERIFY(!window.quiz()->questionPage()->answer().revealed);
        QTest::keyClick(&window, Qt::Key_2);
        QCOMPARE(window.quiz()->questionPage()->answer().chosen, 1);

        window.store().edit(QStringLiteral("cluster.workers"), 8);
        QTest::keyClick(&window, Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(window.store().experiment().cluster.workers, 4);
        QTest::keyClick(&window, Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(window.store().experiment().cluster.workers, 8);
    }

    void presentingAndBackRestoresTheLayout_data() {
        QTest::addColumn<bool>("controls");
        QTest::addColumn<bool>("quiz");
        QTest::newRow("everything shown") << true << true;
        QTest::newRow("quiz folded") << true << false;
        QTest::newRow("both folded") << false << false;
    }
    void presentingAndBackRestoresTheLayout() {
        QFETCH(bool, controls);
        QFETCH(bool, quiz);
        const WindowDesk desk;
        MainWindow& window = *desk.window;
        window.actions().showControls->setChecked(controls);
        window.actions().showQuiz->setChecked(quiz);
        desk.settle();
        const auto sizes = splitterSizes(window);
        const QSize size = window.size();
        window.actions().present->trigger();
        desk.settle();
        QVERIFY(desk.theme->presenting());
        QVERIFY(window.windowState().testFlag(Qt::WindowFullScreen));
        QVERIFY(!window.quiz()->isVisible() && !window.findChild<ControlsPanel*>()->isVisible());
        QTest::keyClick(&window, Qt::Key_Escape);
        desk.settle();
        QVERIFY(!desk.theme->presenting());
        QVERIFY(!window.windowState().testFlag(Qt::WindowFullScreen));
        QCOMPARE(window.quiz()->isVisible(), quiz);
        QCOMPARE(window.findChild<ControlsPanel*>()->isVisible(), controls);
        QCOMPARE(window.size(), size);
        QCOMPARE(splitterSizes(window), sizes);
    }

    void bBlackensTheScreenOfAClass() {
        const WindowDesk desk;
        MainWindow& window = *desk.window;
        QTest::keyClick(&window, Qt::Key_B);
        QVERIFY(!blackScreen(window)->isVisible());  // alone there is nobody to black it for
        window.setPresenting(true);
        QTest::keyClick(&window, Qt::Key_B);
        QVERIFY(blackScreen(window)->isVisible());
        QCOMPARE(blackScreen(window)->geometry(), window.rect());
        QTest::keyClick(&window, Qt::Key_B);
        QVERIFY(!blackScreen(window)->isVisible());
        QTest::keyClick(&window, Qt::Key_B);
        const State before = window.run().state();
        QTest::keyClick(&window, Qt::Key_Space);  // brings the picture back and does nothing else
        QVERIFY(!blackScreen(window)->isVisible());
        QCOMPARE(window.run().state(), before);
    }

    void aFileBringsBackWhatWasSaved() {
        const WindowDesk desk;
        MainWindow& window = *desk.window;
        auto* files = window.findChild<ExperimentFiles*>();
        window.store().edit(QStringLiteral("cluster.workers"), 12);
        window.store().edit(QStringLiteral("training.learning_rate"), 0.003);
        const Experiment saved = window.store().experiment();
        const QString path = desk.at(QStringLiteral("twelve.lockstep"));
        QVERIFY(files->save(path));
        QVERIFY(window.windowTitle().contains(QStringLiteral("twelve.lockstep")));
        window.loadPreset(QStringLiteral("ring_of_eight"));
        QVERIFY(window.store().experiment() != saved);
        QVERIFY(window.openFile(path));
        QCOMPARE(window.store().experiment(), saved);
        QVERIFY(window.store().isBaseline());
        window.store().undo();
        QVERIFY(window.store().experiment() != saved);
        QCOMPARE(window.notices()->text(), QString());
    }

    void aDamagedFileIsSaidAndChangesNothing_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("says");
        QTest::newRow("cut short") << QByteArray("{\"cluster\": {\"workers\": 8") << "line";
        QTest::newRow("binary") << QByteArray(
                                       "\x7f"
                                       "ELF\x00\x00\xff",
                                       7)
                                << "bad.lockstep";
        QTest::newRow("out of range") << QByteArray("{\"cluster\": {\"workers\": 0}}") << "cluster.workers";
        QTest::newRow("unknown key") << QByteArray("{\"cluster\": {\"wrokers\": 8}}") << "wrokers";
        QTest::newRow("of another kind") << QByteArray("[]") << "bad.lockstep";
        QTest::newRow("huge") << QByteArray(5'000'000, ' ') << "bad.lockstep";
    }
    void aDamagedFileIsSaidAndChangesNothing() {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, says);
        const WindowDesk desk;
        MainWindow& window = *desk.window;
        window.loadPreset(QStringLiteral("ring_of_eight"));
        const Experiment before = window.store().experiment();
        const QString title = window.windowTitle(), path = desk.at(QStringLiteral("bad.lockstep"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size());
        file.close();
        QVERIFY(!window.openFile(path));
        const QString notice = window.notices()->text();
        QVERIFY2(notice.contains(says) && notice.contains(QStringLiteral("bad.lockstep")), qPrintable(notice));
        QVERIFY2(!notice.contains(QLatin1Char('\n')) && notice.size() < 400, qPrintable(notice));
        QCOMPARE(window.store().experiment(), before);
        QCOMPARE(window.windowTitle(), title);
    }

    void whatCannotBeOpenedOrSavedIsSaid() {
        const WindowDesk desk;
        MainWindow& window = *desk.window;
        QVERIFY(!window.openFile(desk.at(QStringLiteral("nowhere.lockstep"))));
        QVERIFY(window.notices()->text().contains(QStringLiteral("nowhere.lockstep")));
        window.notices()->show({});
        QVERIFY(!window.findChild<ExperimentFiles*>()->save(desk.at(QStringLiteral("no/such/folder/x.lockstep"))));
        QVERIFY(window.notices()->text().contains(QStringLiteral("x.lockstep")));
        QVERIFY(!window.windowTitle().contains(QStringLiteral("x.lockstep")));
    }
};

QTEST_MAIN(TestMainWindow)
#include "test_main_window.moc"
