#pragma once

namespace lockstep::ui {

class MainWindow;
class WindowScript;

/// Adds what a person would try in their first minutes: run, drag, undo, pause, step, reset, scenes, presenting, quiz.
void addSelfTest(WindowScript& script, MainWindow& window);

}  // namespace lockstep::ui
