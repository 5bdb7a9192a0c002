#pragma once

#include <QString>

namespace lockstep::ui {

class MainWindow;
class Theme;
class WindowScript;

/// Adds steps that bring the window into each of its states and write a picture of each into `folder`, which exists.
void addShots(WindowScript& script, MainWindow& window, Theme& theme, const QString& folder);

}  // namespace lockstep::ui
