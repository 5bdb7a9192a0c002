// What the window does on its actions and keys.
#include <QAction>
#include <QActionGroup>
#include <QCoreApplication>
#include <QInputDialog>
#include <QKeyEvent>
#include <QMessageBox>
#include <QSplitter>

#include "charts/charts_panel.h"
#include "controls/controls_panel.h"
#include "experiment_store.h"
#include "quiz/quiz_dock.h"
#include "run_controller.h"
#include "stage/playback.h"
#include "stage/stage_panel.h"
#include "window/experiment_files.h"
#include "window/fold_strip.h"
#include "window/main_window.h"
#include "window/notice_bar.h"
#include "window/window_actions.h"

namespace lockstep::ui {

void MainWindow::connectParts() {
    const auto announce = [this](const QString& line) { m_notices->show(line); };
    connect(m_notices, &NoticeBar::shown, this, &MainWindow::placeNotice);
    connect(m_columns, &QSplitter::splitterMoved, this, &MainWindow::placeNotice);
    const auto refuse = [this, announce](const QString& line) {
        announce(line);
        m_refusal = line;
    };
    connect(m_store, &ExperimentStore::refused, this, refuse);
    connect(m_controls, &ControlsPanel::noticeRaised, this, refuse);
    connect(m_run, &RunController::noticeRaised, this, announce);
    connect(m_quiz, &QuizDock::noticeRaised, this, announce);
    connect(m_files, &ExperimentFiles::noticeRaised, this, announce);
    connect(m_run, &RunController::stateChanged, this, &MainWindow::showRunState);
    connect(m_store, &ExperimentStore::undoChanged, this, &MainWindow::showUndo);
    connect(m_store, &ExperimentStore::experimentChanged, this, [this] {
        showTitle();
        m_save.start();
        if (!m_refusal.isEmpty() && m_notices->text() == m_refusal) m_notices->hide();  // it has been put right
    });
    connect(m_store, &ExperimentStore::baselineChanged, this, &MainWindow::showTitle);
    connect(&m_save, &QTimer::timeout, this, &MainWindow::saveSettingsNow);
    connect(&m_theme, &Theme::themeChanged, this, &MainWindow::restyle);
    connectFileActions();
    connectViewActions();
    connectRunActions();
    connectQuizActions();
    connect(m_actions->keys, &QAction::triggered, this, &MainWindow::showKeys);
    connect(m_actions->about, &QAction::triggered, this, &MainWindow::showAbout);
}

void MainWindow::connectFileActions() {
    connect(m_actions->open, &QAction::triggered, m_files, &ExperimentFiles::askAndOpen);
    connect(m_actions->save, &QAction::triggered, m_files, &ExperimentFiles::saveOrAsk);
    connect(m_actions->saveAs, &QAction::triggered, m_files, &ExperimentFiles::askAndSave);
    connect(m_actions->copyExperiment, &QAction::triggered, m_files, &ExperimentFiles::copy);
    connect(m_actions->pasteExperiment, &QAction::triggered, m_files, &ExperimentFiles::paste);
    connect(m_files, &ExperimentFiles::pathChanged, this, &MainWindow::showTitle);
    connect(m_actions->startOver, &QAction::triggered, this, [this] {
        m_store->replace(Experiment{}, tr("Default experiment"));
        m_store->setBaseline(Experiment{});
        m_files->forgetPath();
        m_sceneTitle.clear();
        showTitle();
    });
    connect(m_actions->quit, &QAction::triggered, this, &QWidget::close);
    connect(m_actions->undo, &QAction::triggered, m_store, &ExperimentStore::undo);
    connect(m_actions->redo, &QAction::triggered, m_store, &ExperimentStore::redo);
}

void MainWindow::connectViewActions() {
    connect(m_actions->present, &QAction::toggled, this, &MainWindow::setPresenting);
    connect(m_actions->showControls, &QAction::toggled, this, &MainWindow::arrangePanels);
    connect(m_actions->showQuiz, &QAction::toggled, this, &MainWindow::arrangePanels);
    connect(m_controlsStrip, &QAbstractButton::clicked, m_actions->showControls, &QAction::toggle);
    connect(m_quizStrip, &QAbstractButton::clicked, m_actions->showQuiz, &QAction::toggle);
    connect(m_actions->reducedMotion, &QAction::toggled, this, [this](bool reduced) {
        m_theme.setReducedMotion(reduced);
        m_save.start();
    });
    connect(m_actions->themes, &QActionGroup::triggered, this, [this](const QAction* action) {
        m_theme.setKind(static_cast<ThemeKind>(action->data().toInt()));
        m_save.start();
    });
    connect(m_actions->presentedChart, &QActionGroup::triggered, this, [this](const QAction* action) {
        m_charts->setPresentedChart(static_cast<ChartsPanel::Chart>(action->data().toInt()));
    });
}

void MainWindow::connectRunActions() {
    connect(m_actions->runOrPause, &QAction::triggered, this, [this] {
        const auto state = m_run->state();
        const bool active = state == RunController::State::Running || state == RunController::State::Loading;
        active ? m_run->pause() : m_run->run();
    });
    connect(m_actions->step, &QAction::triggered, m_run, &RunController::step);
    connect(m_actions->branch, &QAction::triggered, m_run, &RunController::branch);
    connect(m_actions->reset, &QAction::triggered, this, [this] {
        m_store->resetToBaseline();
        m_run->reset();
    });
    connect(m_actions->speeds, &QActionGroup::triggered, this,
            [this](const QAction* action) { m_run->setSpeedLimit(action->data().toDouble()); });
    connect(m_actions->presets, &QActionGroup::triggered, this,
            [this](const QAction* action) { loadPreset(action->data().toString()); });
}

void MainWindow::connectQuizActions() {
    connect(m_actions->nextQuestion, &QAction::triggered, this, [this] {
        QKeyEvent enter(QEvent::KeyPress, Qt::Key_Return, Qt::NoModifier);
        m_actions->showQuiz->setChecked(true);
        m_quiz->handleKey(&enter);
    });
    connect(m_actions->quizOverview, &QAction::triggered, this, [this] {
        m_actions->showQuiz->setChecked(true);
        m_quiz->showOverview(true);
    });
    connect(m_actions->goToQuestion, &QAction::triggered, this, [this] {
        bool ok = false;
        const int number =
            QInputDialog::getInt(this, tr("Go to question"), tr("Number of the question, 1 to 73"), 1, 1, 73, 1, &ok);
        if (ok) goToQuestion(number);
    });
}

void MainWindow::showRunState() {
    using State = RunController::State;
    const State state = m_run->state();
    const bool active = state == State::Running || state == State::Loading;
    const QString text = active ? tr("&Pause") : state == State::Paused ? tr("&Continue") : tr("&Run");
    m_actions->runOrPause->setText(text + QLatin1Char('\t') +
                                   QKeySequence(Qt::Key_Space).toString(QKeySequence::NativeText));
    m_actions->branch->setEnabled(m_run->canBranch());
}

void MainWindow::showUndo() {
    const auto show = [](QAction* action, bool enabled, const QString& verb, const QString& what) {
        action->setEnabled(enabled);
        action->setText(what.isEmpty() ? verb : QStringLiteral("%1: %2").arg(verb, what));
    };
    show(m_actions->undo, m_store->canUndo(), tr("&Undo"), m_store->undoText());
    show(m_actions->redo, m_store->canRedo(), tr("&Redo"), m_store->redoText());
}

bool MainWindow::handleGlobalKey(QKeyEvent* event) {
    if (event->modifiers() & ~Qt::KeypadModifier) return false;
    switch (event->key()) {
        case Qt::Key_Space:
            m_actions->runOrPause->trigger();
            return true;
        case Qt::Key_Left:
            m_playback->stepPhase(-1);
            return true;
        case Qt::Key_Right:
            m_playback->stepPhase(+1);
            return true;
        case Qt::Key_B:
            if (m_presenting) setBlack(true);
            return m_presenting;
        case Qt::Key_Escape:
            setPresenting(false);
            return true;
        default:
            return false;
    }
}

void MainWindow::keyPressEvent(QKeyEvent* event) {
    if (m_black->isVisible()) return setBlack(false);
    if (handleGlobalKey(event)) return;
    // What was meant for a setting must not answer a question.
    const bool inControls = focusWidget() && m_controls->isAncestorOf(focusWidget());
    if (m_quiz->isVisible() && !inControls && m_quiz->handleKey(event)) return;
    QMainWindow::keyPressEvent(event);
}

void MainWindow::showKeys() {
    QMessageBox box(this);
    box.setWindowTitle(tr("Keys"));
    box.setTextFormat(Qt::RichText);
    box.setText(
        tr("<table cellpadding=\"3\">"
           "<tr><td><b>Space</b></td><td>run or pause the training</td></tr>"
           "<tr><td><b>Ctrl+→</b></td><td>one step of the training</td></tr>"
           "<tr><td><b>Ctrl+R</b></td><td>back to the scene's start</td></tr>"
           "<tr><td><b>Ctrl+B</b></td><td>what is changed next goes on from this step of the run</td></tr>"
           "<tr><td><b>← →</b></td><td>previous and next phase of the modelled iteration</td></tr>"
           "<tr><td><b>Ctrl+Z, Ctrl+Shift+Z</b></td><td>undo and redo, slider moves included</td></tr>"
           "<tr><td><b>F5, Esc</b></td><td>present, and back; while presenting <b>B</b> blackens the screen</td></tr>"
           "<tr><td><b>F6, F7</b></td><td>show or fold the controls, the quiz</td></tr>"
           "<tr><td><b>1 to 4</b></td><td>answer the question; <b>A</b> reveals while presenting</td></tr>"
           "<tr><td><b>Enter, Backspace</b></td><td>next and previous question</td></tr>"
           "<tr><td><b>U, F, G, R, O</b></td><td>take back, flag, mark as guessed, again, overview</td></tr>"
           "</table>"));
    box.exec();
}

void MainWindow::showAbout() {
    QMessageBox::about(
        this, tr("About Lockstep"),
        tr("<b>Lockstep %1</b><p>A laboratory of parallel machine-learning training: a modelled cluster and a real "
           "training run, side by side.</p><p>GPL-3.0-or-later. Built with Qt %2.</p>")
            .arg(QCoreApplication::applicationVersion(), QString::fromLatin1(qVersion())));
}

}  // namespace lockstep::ui
