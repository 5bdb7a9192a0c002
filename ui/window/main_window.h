#pragma once

#include <QMainWindow>
#include <QTimer>
#include <vector>

#include "catalogue/catalogue.h"
#include "experiment/presets.h"
#include "quiz/bank.h"
#include "window/window_settings.h"

class QSplitter;

namespace lockstep::ui {

class ChartsPanel;
class ControlsPanel;
class ExperimentFiles;
class ExperimentStore;
class FoldStrip;
class NoticeBar;
class Playback;
class QuizDock;
class RunController;
class StagePanel;
class StatusPanel;
class TimelinePanel;
class ToolRow;
class WindowActions;

/// What the window is made from, read by the program before it opens.
struct WindowContent {
    Catalogue catalogue;
    QuestionBank bank;
    std::vector<Preset> presets;
    QString settingsPath, progressPath;
};

/// The one window: controls, stage with timeline and charts, quiz, and the sentence below.
class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    MainWindow(Theme& theme, const WindowContent& content);
    ~MainWindow() override;

    /// Brings back what was saved, and starts the run if that is wanted.
    void restore();
    /// Opens an experiment file; false, and a notice in the window, when it cannot be.
    bool openFile(const QString& path);
    bool loadPreset(const QString& key);
    void setPresenting(bool presenting);
    void goToQuestion(int number);

    [[nodiscard]] ExperimentStore& store() const { return *m_store; }
    [[nodiscard]] RunController& run() const { return *m_run; }
    [[nodiscard]] Playback& playback() const { return *m_playback; }
    [[nodiscard]] WindowActions& actions() const { return *m_actions; }
    [[nodiscard]] StagePanel* stage() const { return m_stage; }
    [[nodiscard]] ChartsPanel* charts() const { return m_charts; }
    [[nodiscard]] QuizDock* quiz() const { return m_quiz; }
    [[nodiscard]] NoticeBar* notices() const { return m_notices; }
    [[nodiscard]] StatusPanel* status() const { return m_status; }
    [[nodiscard]] ToolRow* toolRow() const { return m_toolRow; }

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void buildParts(const WindowContent& content);
    void arrangeParts();
    QWidget* quizPanel();
    void connectParts();
    void connectFileActions();
    void connectViewActions();
    void connectRunActions();
    void connectQuizActions();
    void showRunState();
    void showUndo();
    void showTitle();
    void arrangePanels();
    void fitPresentingScale();
    void placeNotice();
    void restyle();
    void setBlack(bool black);
    void showKeys();
    void showAbout();
    bool handleGlobalKey(QKeyEvent* event);
    [[nodiscard]] WindowSettings currentSettings() const;
    void saveSettingsNow();

    Theme& m_theme;
    QString m_settingsPath;
    std::vector<Preset> m_presets;
    ExperimentStore* m_store;
    RunController* m_run;
    Playback* m_playback;
    WindowActions* m_actions;
    ExperimentFiles* m_files;
    NoticeBar* m_notices;
    ToolRow* m_toolRow;
    StatusPanel* m_status;
    ControlsPanel* m_controls;
    StagePanel* m_stage;
    TimelinePanel* m_timeline;
    ChartsPanel* m_charts;
    QuizDock* m_quiz;
    QWidget *m_quizPanel, *m_black;
    FoldStrip *m_controlsStrip, *m_quizStrip;
    QSplitter *m_columns, *m_rows;
    QTimer m_save;
    QString m_sceneTitle, m_refusal;
    WindowSettings m_beforePresenting;
    double m_presentingScale = 1.6;
    bool m_presenting = false, m_restored = false;
};

}  // namespace lockstep::ui
