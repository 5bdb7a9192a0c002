#pragma once

#include <QKeySequence>
#include <QObject>
#include <QVariant>

class QAction;
class QActionGroup;
class QMenuBar;

namespace lockstep::ui {

/// Everything that can be done from menus, toolbar and keyboard, each once. What happens is connected by the window.
class WindowActions : public QObject {
    Q_OBJECT
public:
    explicit WindowActions(QObject* parent);

    QAction *open, *save, *saveAs, *startOver, *quit;
    QAction *undo, *redo, *copyExperiment, *pasteExperiment;
    QAction *present, *reducedMotion, *showControls, *showQuiz;
    QActionGroup* themes;          ///< each action's data is a ThemeKind as int
    QActionGroup* presentedChart;  ///< each action's data is a ChartsPanel::Chart as int
    QAction *runOrPause, *step, *reset, *branch, *runWhenOpened;
    QActionGroup* speeds;   ///< each action's data is steps per second, 0 without limit
    QActionGroup* presets;  ///< each action's data is a preset's key
    QAction *nextQuestion, *quizOverview, *goToQuestion;
    QAction *keys, *about;

    /// Adds a preset to the menus.
    void addPreset(const QString& key, const QString& title, const QString& description);
    /// The menus, filled.
    void fill(QMenuBar& bar) const;

private:
    QAction* make(const QString& text, const QKeySequence& shortcut = {}, bool checkable = false);
    QAction* choice(QActionGroup* group, const QString& text, const QVariant& data);
    void makeGroups();
};

}  // namespace lockstep::ui
