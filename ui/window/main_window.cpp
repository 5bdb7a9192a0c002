#include "window/main_window.h"

#include <QAction>
#include <QActionGroup>
#include <QCloseEvent>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QMenuBar>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "charts/charts_panel.h"
#include "controls/controls_panel.h"
#include "experiment_store.h"
#include "quiz/quiz_dock.h"
#include "run_controller.h"
#include "stage/playback.h"
#include "stage/stage_panel.h"
#include "stage/timeline_panel.h"
#include "widgets/panel.h"
#include "window/experiment_files.h"
#include "window/fold_strip.h"
#include "window/notice_bar.h"
#include "window/status_panel.h"
#include "window/tool_row.h"
#include "window/window_actions.h"

namespace lockstep::ui {
namespace {

constexpr int kSaveDelay_ms = 1000;
constexpr QSize kDefaultSize{1440, 900}, kSmallestSize{1024, 640};

QWidget* blackScreen(QWidget* parent) {
    auto* black = new QWidget(parent);
    black->setAutoFillBackground(true);
    black->setPalette(QPalette(Colours::blackout()));
    black->setAccessibleName(MainWindow::tr("Black screen; any key brings the window back"));
    black->hide();
    return black;
}

}  // namespace

MainWindow::MainWindow(Theme& theme, const WindowContent& content)
    : m_theme(theme), m_settingsPath(content.settingsPath), m_presets(content.presets) {
    setObjectName(QStringLiteral("main-window"));
    setFocusPolicy(Qt::StrongFocus);
    buildParts(content);
    arrangeParts();
    connectParts();
    m_save.setSingleShot(true);
    m_save.setInterval(kSaveDelay_ms);
    showRunState();
    showUndo();
    showTitle();
    restyle();
    resize(kDefaultSize);
    setMinimumSize(kSmallestSize);
    setFocus();
}

MainWindow::~MainWindow() = default;

void MainWindow::buildParts(const WindowContent& content) {
    m_store = new ExperimentStore(content.catalogue, this);
    m_run = new RunController(*m_store, this);
    m_playback = new Playback(m_theme, *m_store, this);
    m_actions = new WindowActions(this);
    for (const Preset& preset : m_presets)
        m_actions->addPreset(QString::fromStdString(preset.key), QString::fromStdString(preset.title),
                             QString::fromStdString(preset.description));
    m_files = new ExperimentFiles(*m_store, *this);
    m_notices = new NoticeBar(m_theme);
    m_toolRow = new ToolRow({m_theme, *m_run, *m_playback, *m_actions});
    m_status = new StatusPanel(m_theme, *m_store);
    m_controls = new ControlsPanel(m_theme, *m_store);
    m_stage = new StagePanel(m_theme, *m_store, *m_run, *m_playback);
    m_timeline = new TimelinePanel(m_theme, *m_store, *m_run, *m_playback);
    m_charts = new ChartsPanel(m_theme, *m_store, *m_run);
    m_quiz = new QuizDock(m_theme, content.bank, content.progressPath);
    m_quizPanel = quizPanel();
    m_controlsStrip = new FoldStrip(m_theme, tr("Controls"));
    m_quizStrip = new FoldStrip(m_theme, tr("Quiz"));
    m_black = blackScreen(this);
}

QWidget* MainWindow::quizPanel() {
    auto* panel = new Panel(m_theme, QString(), NumberSource::None);
    panel->setAccessibleName(tr("Quiz"));
    panel->setFlush();
    panel->body()->addWidget(m_quiz);
    return panel;
}

void MainWindow::arrangeParts() {
    m_actions->fill(*menuBar());
    addActions(m_actions->findChildren<QAction*>());  // so that their keys work while the menus are hidden
    m_rows = new QSplitter(Qt::Vertical);
    m_rows->addWidget(m_stage);
    m_rows->addWidget(m_timeline);
    m_rows->addWidget(m_charts);
    m_rows->setStretchFactor(0, 5);
    m_rows->setStretchFactor(1, 2);
    m_rows->setStretchFactor(2, 5);
    m_columns = new QSplitter(Qt::Horizontal);
    m_columns->addWidget(m_controls);
    m_columns->addWidget(m_rows);
    m_columns->addWidget(m_quizPanel);
    m_columns->setStretchFactor(1, 1);
    m_rows->setChildrenCollapsible(false);
    m_columns->setChildrenCollapsible(false);
    auto* middle = new QHBoxLayout;
    middle->addWidget(m_controlsStrip);
    middle->addWidget(m_columns, 1);
    middle->addWidget(m_quizStrip);
    middle->setObjectName(QStringLiteral("middle"));
    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_toolRow);
    column->addLayout(middle, 1);
    column->addWidget(m_status);
    setCentralWidget(content);
    m_notices->setParent(content);
    m_columns->setSizes({300, 780, 330});
    m_rows->setSizes({300, 130, 330});
    arrangePanels();
}

void MainWindow::restyle() {
    const Metrics& m = m_theme.metrics();
    centralWidget()->layout()->setSpacing(0);
    if (auto* middle = centralWidget()->findChild<QHBoxLayout*>(QStringLiteral("middle"))) {
        middle->setContentsMargins(m.gapPx, m.gapPx, m.gapPx, m.gapPx);
        middle->setSpacing(m.gapPx);
    }
    m_rows->setHandleWidth(m.gapPx);
    m_columns->setHandleWidth(m.gapPx);
}

void MainWindow::arrangePanels() {
    const bool controls = m_actions->showControls->isChecked(), quiz = m_actions->showQuiz->isChecked();
    m_controls->setVisible(controls);
    m_quizPanel->setVisible(quiz);
    m_controlsStrip->setVisible(!controls);
    m_quizStrip->setVisible(!quiz);
    menuBar()->setVisible(!m_presenting);
    m_timeline->setVisible(!m_presenting);
    m_charts->setPresenting(m_presenting);
    const Metrics& m = m_theme.metrics();
    if (m_presenting) m_columns->setSizes({m.px(300), std::max(1, m_columns->width() - m.px(680)), m.px(380)});
}

void MainWindow::setPresenting(bool presenting) {
    if (presenting == m_presenting) return;
    if (presenting) m_beforePresenting = currentSettings();
    m_presenting = presenting;
    m_actions->present->setChecked(presenting);
    m_actions->showControls->setChecked(!presenting && m_beforePresenting.controlsShown);
    m_actions->showQuiz->setChecked(!presenting && m_beforePresenting.quizShown);
    if (!presenting) m_theme.setPresenting(false);
    m_quiz->setPresenting(presenting);
    fitPresentingScale();
    arrangePanels();
    setWindowState(presenting ? windowState() | Qt::WindowFullScreen : windowState() & ~Qt::WindowFullScreen);
    if (!presenting) {
        setBlack(false);
        if (!m_beforePresenting.columns.isEmpty()) m_columns->setSizes(m_beforePresenting.columns);
        if (!m_beforePresenting.rows.isEmpty()) m_rows->setSizes(m_beforePresenting.rows);
    }
    setFocus();
}

void MainWindow::goToQuestion(int number) {
    m_actions->showQuiz->setChecked(true);
    m_quiz->goToQuestion(number);
}

bool MainWindow::openFile(const QString& path) { return m_files->open(path); }

bool MainWindow::loadPreset(const QString& key) {
    const auto found = std::find_if(m_presets.begin(), m_presets.end(),
                                    [&](const Preset& preset) { return key == QString::fromStdString(preset.key); });
    if (found == m_presets.end()) return false;
    const QString title = QString::fromStdString(found->title);
    if (!m_store->replace(found->experiment, title)) return false;
    m_store->setBaseline(found->experiment);
    m_files->forgetPath();
    m_sceneTitle = title;
    showTitle();
    return true;
}

void MainWindow::setBlack(bool black) {
    m_black->setGeometry(rect());
    m_black->raise();
    m_black->setVisible(black);
}

void MainWindow::resizeEvent(QResizeEvent* event) {
    QMainWindow::resizeEvent(event);
    m_black->setGeometry(rect());
    fitPresentingScale();
    placeNotice();
}

/// Over the middle column, so that nothing moves away under the pointer.
void MainWindow::placeNotice() {
    const QPoint corner = m_rows->mapTo(centralWidget(), QPoint(0, 0));
    const int width = m_rows->width();
    m_notices->setGeometry(corner.x(), corner.y(), width, m_notices->layout()->totalHeightForWidth(width));
    m_notices->raise();
}

/// The chosen scale is meant for 1920 x 1080; what is projected with fewer pixels is enlarged by the projector.
void MainWindow::fitPresentingScale() {
    if (!m_presenting) return;
    const double share = std::min(width() / 1920.0, height() / 1080.0);
    const double scale = std::round(std::clamp(m_presentingScale * share, 1.0, 4.0) * 20) / 20;
    m_theme.setPresenting(true, scale);
}

void MainWindow::restore() {
    const RestoredSettings restored = restoreSettings(m_settingsPath);
    const WindowSettings& saved = restored.settings;
    if (!saved.geometry.isEmpty()) restoreGeometry(saved.geometry);
    m_theme.setKind(saved.theme);
    m_theme.setReducedMotion(saved.reducedMotion || m_theme.reducedMotion());
    for (QAction* action : m_actions->themes->actions())
        if (action->data().toInt() == static_cast<int>(saved.theme)) action->setChecked(true);
    m_actions->reducedMotion->setChecked(m_theme.reducedMotion());
    m_actions->runWhenOpened->setChecked(saved.runWhenOpened);
    m_actions->showControls->setChecked(saved.controlsShown);
    m_actions->showQuiz->setChecked(saved.quizShown);
    m_presentingScale = saved.presentingScale;
    if (saved.columns.size() == m_columns->count()) m_columns->setSizes(saved.columns);
    if (saved.rows.size() == m_rows->count()) m_rows->setSizes(saved.rows);
    m_store->start(saved.experiment);
    m_store->setBaseline(saved.baseline);
    m_files->setPath(saved.file);
    m_sceneTitle = saved.sceneTitle;
    showTitle();
    m_notices->show(restored.notice);
    QMetaObject::invokeMethod(this, &MainWindow::placeNotice, Qt::QueuedConnection);
    m_restored = true;
    if (saved.runWhenOpened) m_run->run();
}

WindowSettings MainWindow::currentSettings() const {
    if (m_presenting) {
        WindowSettings settings = m_beforePresenting;
        settings.experiment = m_store->experiment();
        settings.baseline = m_store->baseline();
        settings.file = m_files->path();
        settings.sceneTitle = m_sceneTitle;
        settings.theme = m_theme.kind();
        return settings;
    }
    WindowSettings settings;
    settings.geometry = saveGeometry();
    settings.columns = m_columns->sizes();
    settings.rows = m_rows->sizes();
    settings.theme = m_theme.kind();
    settings.controlsShown = m_actions->showControls->isChecked();
    settings.quizShown = m_actions->showQuiz->isChecked();
    settings.reducedMotion = m_actions->reducedMotion->isChecked();
    settings.runWhenOpened = m_actions->runWhenOpened->isChecked();
    settings.presentingScale = m_presentingScale;
    settings.experiment = m_store->experiment();
    settings.baseline = m_store->baseline();
    settings.file = m_files->path();
    settings.sceneTitle = m_sceneTitle;
    return settings;
}

void MainWindow::saveSettingsNow() {
    m_save.stop();
    if (!m_restored || m_settingsPath.isEmpty()) return;
    if (const Result<void> saved = saveSettings(m_settingsPath, currentSettings()); !saved)
        m_notices->show(tr("The settings were not saved: %1").arg(QString::fromStdString(saved.error().message)));
}

void MainWindow::closeEvent(QCloseEvent* event) {
    saveSettingsNow();
    QMainWindow::closeEvent(event);
}

void MainWindow::showTitle() {
    const QString file = m_files->path().isEmpty() ? QString() : QFileInfo(m_files->path()).fileName();
    const QString name = !file.isEmpty() ? file : m_sceneTitle.isEmpty() ? tr("Default") : m_sceneTitle;
    const QString mark = m_store->isBaseline() ? QString() : tr(" (changed)");
    m_toolRow->setSceneTitle(name + mark);
    setWindowTitle(QStringLiteral("%1%2 – Lockstep").arg(name, mark));
}

}  // namespace lockstep::ui
