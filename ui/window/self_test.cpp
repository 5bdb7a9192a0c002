#include "window/self_test.h"

#include <QAction>
#include <QApplication>
#include <QKeyEvent>
#include <memory>

#include "controls/setting_slider.h"
#include "experiment_store.h"
#include "quiz/quiz_dock.h"
#include "quiz/quiz_header.h"
#include "run_controller.h"
#include "window/main_window.h"
#include "window/status_panel.h"
#include "window/window_actions.h"
#include "window/window_script.h"

namespace lockstep::ui {
namespace {

void press(QWidget& widget, int key) {
    QKeyEvent down(QEvent::KeyPress, key, Qt::NoModifier), up(QEvent::KeyRelease, key, Qt::NoModifier);
    QApplication::sendEvent(&widget, &down);
    QApplication::sendEvent(&widget, &up);
}

long long stepOf(const RunController& run) { return run.latest() ? run.latest()->step : -1; }

void addRunSteps(WindowScript& script, MainWindow& window) {
    RunController& run = window.run();
    using State = RunController::State;
    script.add({"a run has begun and takes steps",
                [&run] {
                    if (run.state() == State::Idle) run.run();
                },
                [&run] { return stepOf(run) >= 20; }, 120'000});
    script.add({"Space pauses the run", [&window] { press(window, Qt::Key_Space); },
                [&run] { return run.state() == State::Paused; }});
    auto before = std::make_shared<long long>();
    script.add({"a step goes on by one and pauses again",
                [&, before] {
                    *before = stepOf(run);
                    window.actions().step->trigger();
                },
                [&run, before] { return stepOf(run) > *before && run.state() == State::Paused; }});
    script.add({"Space goes on", [&window] { press(window, Qt::Key_Space); },
                [&run] { return run.state() == State::Running; }});
}

void addChangeSteps(WindowScript& script, MainWindow& window) {
    ExperimentStore& store = window.store();
    auto sentence = std::make_shared<QString>();
    script.add({"a key on the workers slider changes the modelled cluster and the sentence",
                [&, sentence] {
                    *sentence = window.status()->sentence();
                    if (auto* setting = window.findChild<SettingSlider*>(QStringLiteral("cluster.workers")))
                        press(*setting->slider(), Qt::Key_PageUp);
                },
                [&, sentence] { return store.prediction().workers == 8 && window.status()->sentence() != *sentence; }});
    script.add({"the run restarts by itself with eight workers and leaves a ghost", [] {},
                [&window] {
                    const auto latest = window.run().latest();
                    return latest && latest->replicas.size() == 8 && !window.run().ghosts().empty();
                },
                120'000});
    script.add({"undo brings the four workers back", [&window] { window.actions().undo->trigger(); },
                [&store] { return store.prediction().workers == 4; }});
    script.add({"redo brings the eight workers back", [&window] { window.actions().redo->trigger(); },
                [&store] { return store.prediction().workers == 8; }});
    script.add(
        {"reset returns to the start", [&window] { window.actions().reset->trigger(); },
         [&window] { return window.store().isBaseline() && window.run().state() == RunController::State::Idle; }});
}

void addSceneSteps(WindowScript& script, MainWindow& window) {
    script.add({"every scene opens",
                [&window] {
                    for (const Preset& preset : loadBuiltinPresets().value_or(std::vector<Preset>{}))
                        window.loadPreset(QString::fromStdString(preset.key));
                },
                [&window] { return window.store().canUndo(); }});
    script.add({"without synchronization the replicas drift apart",
                [&window] {
                    window.loadPreset(QStringLiteral("no_synchronization"));
                    window.run().run();
                },
                [&window] {
                    const auto latest = window.run().latest();
                    return latest && latest->step > 0 && latest->divergence.meanDistanceToAverage > 0;
                },
                120'000});
}

void addPresentingSteps(WindowScript& script, MainWindow& window) {
    script.add(
        {"F5 presents: larger type, controls and quiz folded", [&window] { window.actions().present->trigger(); },
         [&window] { return window.windowState().testFlag(Qt::WindowFullScreen) && !window.quiz()->isVisible(); }});
    script.add({"Escape ends presenting", [&window] { press(window, Qt::Key_Escape); },
                [&window] { return window.quiz()->isVisible(); }});
    auto place = std::make_shared<QString>();
    script.add({"a digit answers, Enter goes to the next question",
                [&window, place] {
                    window.goToQuestion(1);
                    *place = window.quiz()->header()->placeText();
                    press(window, Qt::Key_1);
                    press(window, Qt::Key_Return);
                },
                [&window, place] { return window.quiz()->header()->placeText() != *place; }});
}

}  // namespace

void addSelfTest(WindowScript& script, MainWindow& window) {
    addRunSteps(script, window);
    addChangeSteps(script, window);
    addSceneSteps(script, window);
    addPresentingSteps(script, window);
}

}  // namespace lockstep::ui
