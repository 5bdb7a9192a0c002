#include "window/window_actions.h"

#include <QAction>
#include <QActionGroup>
#include <QMenu>
#include <QMenuBar>

#include "charts/charts_panel.h"
#include "theme/theme.h"

namespace lockstep::ui {

WindowActions::WindowActions(QObject* parent) : QObject(parent) {
    open = make(tr("&Open experiment…"), QKeySequence::Open);
    save = make(tr("&Save experiment"), QKeySequence::Save);
    saveAs = make(tr("Save experiment &as…"), QKeySequence::SaveAs);
    startOver = make(tr("&Default experiment"), QKeySequence::New);
    quit = make(tr("&Quit"), QKeySequence(Qt::CTRL | Qt::Key_Q));
    undo = make(tr("&Undo"), QKeySequence::Undo);
    redo = make(tr("&Redo"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z));
    copyExperiment = make(tr("&Copy experiment as JSON"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C));
    pasteExperiment = make(tr("&Paste experiment"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_V));
    present = make(tr("&Present"), QKeySequence(Qt::Key_F5), true);
    reducedMotion = make(tr("&Reduced motion"), {}, true);
    showControls = make(tr("Show &controls"), QKeySequence(Qt::Key_F6), true);
    showQuiz = make(tr("Show &quiz"), QKeySequence(Qt::Key_F7), true);
    showControls->setChecked(true);
    showQuiz->setChecked(true);
    // Space acts where nothing that has the focus wants it (a button, a text field): the window's key handler sees to
    // it.
    runOrPause =
        make(tr("&Run") + QStringLiteral("\t") + QKeySequence(Qt::Key_Space).toString(QKeySequence::NativeText));
    step = make(tr("One &step"), QKeySequence(Qt::CTRL | Qt::Key_Right));
    reset = make(tr("R&eset"), QKeySequence(Qt::CTRL | Qt::Key_R));
    branch = make(tr("&Branch from this step"), QKeySequence(Qt::CTRL | Qt::Key_B));
    branch->setToolTip(tr("What is changed from now on goes on from what the replicas have learnt so far"));
    runWhenOpened = make(tr("Run when &opened"), {}, true);
    nextQuestion = make(tr("&Next question"), QKeySequence(Qt::CTRL | Qt::Key_Return));
    quizOverview = make(tr("&Overview of topics"), QKeySequence(Qt::CTRL | Qt::Key_L));
    goToQuestion = make(tr("&Go to question…"), QKeySequence(Qt::CTRL | Qt::Key_G));
    keys = make(tr("&Keys"), QKeySequence::HelpContents);
    about = make(tr("&About Lockstep"));
    makeGroups();
}

QAction* WindowActions::make(const QString& text, const QKeySequence& shortcut, bool checkable) {
    auto* action = new QAction(text, this);
    action->setShortcut(shortcut);
    action->setCheckable(checkable);
    return action;
}

QAction* WindowActions::choice(QActionGroup* group, const QString& text, const QVariant& data) {
    auto* action = new QAction(text, group);
    action->setCheckable(true);
    action->setData(data);
    return action;
}

void WindowActions::makeGroups() {
    themes = new QActionGroup(this);
    choice(themes, tr("&Light"), static_cast<int>(ThemeKind::Light));
    choice(themes, tr("&Dark"), static_cast<int>(ThemeKind::Dark));
    choice(themes, tr("&High contrast"), static_cast<int>(ThemeKind::HighContrast));
    presentedChart = new QActionGroup(this);
    using Chart = ChartsPanel::Chart;
    choice(presentedChart, tr("&Throughput against workers"), static_cast<int>(Chart::Throughput))->setChecked(true);
    choice(presentedChart, tr("&Where an iteration's time goes"), static_cast<int>(Chart::Breakdown));
    choice(presentedChart, tr("&Loss and accuracy"), static_cast<int>(Chart::Learning));
    choice(presentedChart, tr("&Distance of replicas"), static_cast<int>(Chart::Divergence));
    speeds = new QActionGroup(this);
    choice(speeds, tr("As fast as this computer can"), 0.0)->setChecked(true);
    for (const int rate : {50, 20, 5, 1}) choice(speeds, tr("%n step(s) per second", nullptr, rate), double{1} * rate);
    presets = new QActionGroup(this);
    presets->setExclusionPolicy(QActionGroup::ExclusionPolicy::None);
}

void WindowActions::addPreset(const QString& key, const QString& title, const QString& description) {
    auto* action = new QAction(title, presets);
    action->setData(key);
    action->setToolTip(description);
    action->setStatusTip(description);
}

void WindowActions::fill(QMenuBar& bar) const {
    QMenu* file = bar.addMenu(tr("&File"));
    file->addActions({startOver, open, save, saveAs});
    file->addSeparator();
    file->addAction(quit);
    QMenu* edit = bar.addMenu(tr("&Edit"));
    edit->addActions({undo, redo});
    edit->addSeparator();
    edit->addActions({copyExperiment, pasteExperiment});
    QMenu* view = bar.addMenu(tr("&View"));
    view->addAction(present);
    view->addMenu(tr("Chart when presenting"))->addActions(presentedChart->actions());
    view->addSeparator();
    view->addActions({showControls, showQuiz});
    view->addSeparator();
    view->addMenu(tr("&Theme"))->addActions(themes->actions());
    view->addAction(reducedMotion);
    QMenu* experiment = bar.addMenu(tr("E&xperiment"));
    experiment->addActions({runOrPause, step, branch, reset});
    experiment->addSeparator();
    QMenu* scenes = experiment->addMenu(tr("S&cenes"));
    scenes->setToolTipsVisible(true);
    scenes->addActions(presets->actions());
    experiment->addMenu(tr("Training &speed"))->addActions(speeds->actions());
    experiment->addAction(runWhenOpened);
    bar.addMenu(tr("&Quiz"))->addActions({nextQuestion, quizOverview, goToQuestion});
    bar.addMenu(tr("&Help"))->addActions({keys, about});
}

}  // namespace lockstep::ui
