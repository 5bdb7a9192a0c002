#pragma once

#include <QByteArray>
#include <QList>
#include <QString>

#include "base/result.h"
#include "experiment/experiment.h"
#include "theme/theme.h"

namespace lockstep::ui {

/// What survives a restart of the window.
struct WindowSettings {
    QByteArray geometry;       ///< as QWidget::saveGeometry()
    QList<int> columns, rows;  ///< sizes of the two splitters in pixels; empty: the defaults
    ThemeKind theme = ThemeKind::Light;
    bool controlsShown = true, quizShown = true;
    bool reducedMotion = false;
    bool runWhenOpened = true;
    double presentingScale = 1.6;  ///< 1.2..3
    Experiment experiment;
    Experiment baseline;  ///< what Reset returns to
    QString sceneTitle;
    QString file;  ///< the experiment's; empty when it has none
};

/// Settings as read, and a line for the person when they are not those that were saved.
struct RestoredSettings {
    WindowSettings settings;
    QString notice;
};

/// Reads the file. Where there is none: defaults. A damaged one is renamed (NAME.damaged, NAME.damaged-2, ...), said,
/// and replaced by defaults; an experiment that is not valid any more is replaced by the default one, and said.
[[nodiscard]] RestoredSettings restoreSettings(const QString& path);

/// Writes the file atomically, making its folder where there is none.
[[nodiscard]] Result<void> saveSettings(const QString& path, const WindowSettings& settings);

}  // namespace lockstep::ui
