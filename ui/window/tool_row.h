#pragma once

#include <QWidget>

class QAction;
class QHBoxLayout;
class QLabel;
class QPushButton;
class QToolButton;

namespace lockstep::ui {

class Playback;
class RunController;
class Theme;
class ValueSlider;
class WindowActions;

/// The row below the menus: the run's levers, the scenes, slow motion, and how far the run is.
class ToolRow : public QWidget {
    Q_OBJECT
public:
    struct Parts {
        Theme& theme;
        RunController& run;
        Playback& playback;
        WindowActions& actions;
    };
    explicit ToolRow(const Parts& parts, QWidget* parent = nullptr);

    [[nodiscard]] QPushButton* runButton() const { return m_run; }
    [[nodiscard]] QString progressText() const;
    /// The name of the scene that is shown, or of the file; a mark says that it has been changed.
    void setSceneTitle(const QString& title);

protected:
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QPushButton* button(QAction* action, const QString& text, const QString& icon);
    QWidget* slowMotion();
    void connectSlowMotion();
    void showRun();
    void showProgress();
    [[nodiscard]] QString fittingProgress() const;
    void restyle();

    Parts m_parts;
    QHBoxLayout* m_row;
    QPushButton *m_run, *m_step, *m_reset, *m_undo, *m_redo, *m_scene, *m_present, *m_help;
    QWidget* m_slowMotion = nullptr;
    QLabel *m_slowLabel = nullptr, *m_slowValue = nullptr, *m_progress;
    ValueSlider* m_slowSlider = nullptr;
    QString m_progressText;
};

}  // namespace lockstep::ui
