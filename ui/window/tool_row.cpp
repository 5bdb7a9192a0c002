#include "window/tool_row.h"

#include <QAction>
#include <QActionGroup>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QPushButton>

#include "charts/number_text.h"
#include "quiz/glyph.h"
#include "run_controller.h"
#include "stage/fault_menu.h"
#include "stage/playback.h"
#include "theme/theme.h"
#include "widgets/value_slider.h"
#include "window/window_actions.h"

namespace lockstep::ui {
namespace {

constexpr double kSlowest = 1000, kFastest = 1;

}  // namespace

ToolRow::ToolRow(const Parts& parts, QWidget* parent)
    : QWidget(parent), m_parts(parts), m_row(new QHBoxLayout(this)), m_progress(new QLabel(this)) {
    const WindowActions& actions = parts.actions;
    m_run = button(actions.runOrPause, tr("Run"), QStringLiteral("run"));
    m_run->setProperty("role", "primary");
    m_step = button(actions.step, tr("Step"), QStringLiteral("step"));
    m_reset = button(actions.reset, tr("Reset"), QStringLiteral("reset"));
    m_undo = button(actions.undo, {}, QStringLiteral("undo"));
    m_redo = button(actions.redo, {}, QStringLiteral("redo"));
    m_scene = new QPushButton(this);
    m_scene->setFocusPolicy(Qt::TabFocus);
    auto* menu = new QMenu(m_scene);
    menu->setToolTipsVisible(true);
    menu->addActions(actions.presets->actions());
    m_scene->setMenu(menu);
    m_slowMotion = slowMotion();
    m_present = button(actions.present, tr("Present"), QStringLiteral("present"));
    m_help = button(actions.keys, {}, QStringLiteral("help"));
    for (QWidget* widget : {m_run, m_step, m_reset, m_undo, m_redo, m_scene}) m_row->addWidget(widget);
    m_row->addWidget(m_slowMotion);
    m_row->addWidget(m_progress, 1);
    m_row->addWidget(m_present);
    m_row->addWidget(m_help);
    m_progress->setProperty("role", "muted");
    m_progress->setMinimumWidth(1);
    m_progress->installEventFilter(this);
    m_progress->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    connect(&parts.run, &RunController::stateChanged, this, &ToolRow::showRun);
    connect(&parts.run, &RunController::snapshotChanged, this, &ToolRow::showProgress);
    connect(&parts.theme, &Theme::themeChanged, this, &ToolRow::restyle);
    setSceneTitle(tr("Default"));
    restyle();
}

/// A click on a button leaves the keyboard where it was, so that Space keeps its meaning.
QPushButton* ToolRow::button(QAction* action, const QString& text, const QString& icon) {
    // Qt puts no room between icon and text.
    auto* button = new QPushButton(text.isEmpty() ? text : QLatin1Char(' ') + text, this);
    button->setProperty("glyph", icon);
    button->setFocusPolicy(Qt::TabFocus);
    button->setCheckable(action->isCheckable());
    const auto follow = [button, action] {
        const QString name = action->text().section(QLatin1Char('\t'), 0, 0).remove(QLatin1Char('&'));
        const QString keys = action->shortcut().toString(QKeySequence::NativeText);
        const QString detail = action->toolTip().isEmpty() ? name : action->toolTip();
        button->setToolTip(keys.isEmpty() ? detail : QStringLiteral("%1 (%2)").arg(detail, keys));
        button->setAccessibleName(name);
        button->setEnabled(action->isEnabled());
        if (button->isCheckable()) button->setChecked(action->isChecked());
    };
    connect(action, &QAction::changed, button, follow);
    connect(button, &QPushButton::clicked, action, [action] { action->trigger(); });
    follow();
    return button;
}

QWidget* ToolRow::slowMotion() {
    auto* group = new QWidget(this);
    auto* row = new QHBoxLayout(group);
    row->setContentsMargins(0, 0, 0, 0);
    m_slowLabel = new QLabel(tr("Slow motion"), group);
    m_slowLabel->setProperty("role", "muted");
    ValueScale scale(ScaleKind::Decades, kFastest, kSlowest, 1);
    m_slowSlider = new ValueSlider(m_parts.theme, scale, group);
    m_slowSlider->setAccessibleName(tr("Slow motion of the modelled iteration"));
    m_slowSlider->setToolTip(tr("How much slower than modelled the diagram and the timeline play one iteration"));
    m_slowSlider->setFocusPolicy(Qt::TabFocus);
    m_slowLabel->setBuddy(m_slowSlider);
    m_slowValue = new QLabel(group);
    row->addWidget(m_slowLabel);
    row->addWidget(m_slowSlider);
    row->addWidget(m_slowValue);
    connectSlowMotion();
    return group;
}

void ToolRow::connectSlowMotion() {
    Playback& playback = m_parts.playback;
    const auto show = [this, &playback] {
        const double factor = playback.slowMotion();
        m_slowSlider->showValue(factor);
        m_slowValue->setText(factor >= 1 ? QStringLiteral("1/%1").arg(numberText(factor))
                                         : QStringLiteral("%1×").arg(numberText(1 / factor)));
        m_slowSlider->setAccessibleDescription(m_slowValue->text());
    };
    connect(&playback, &Playback::slowMotionChanged, this, show);
    connect(m_slowSlider, &ValueSlider::moved, &playback,
            [&playback](double factor) { playback.setSlowMotion(factor); });
    show();
}

void ToolRow::setSceneTitle(const QString& title) {
    m_scene->setText(tr("Scene: %1").arg(title) + QStringLiteral(" ▾"));
    m_scene->setAccessibleName(tr("Scene: %1").arg(title));
}

QString ToolRow::progressText() const { return m_progressText; }

void ToolRow::showRun() {
    using State = RunController::State;
    const State state = m_parts.run.state();
    const bool active = state == State::Running || state == State::Loading;
    m_run->setText(QLatin1Char(' ') + (active ? tr("Pause") : state == State::Paused ? tr("Continue") : tr("Run")));
    m_run->setProperty("glyph", active ? "pause" : "run");
    m_run->setAccessibleName(m_run->text().trimmed());
    restyle();
}

void ToolRow::showProgress() {
    const RunController& run = m_parts.run;
    const auto latest = run.latest();
    using State = RunController::State;
    if (run.state() == State::Loading) {
        m_progressText = tr("loading images …");
    } else if (!latest) {
        m_progressText = run.state() == State::Idle ? tr("nothing is trained yet") : tr("preparing the replicas …");
    } else {
        QStringList parts{run.plannedSteps() > 0 ? tr("step %1 of %2").arg(latest->step).arg(run.plannedSteps())
                                                 : tr("step %1").arg(latest->step)};
        const auto result = run.result();
        if (result && result->divergedAtStep) parts << tr("diverged at step %1").arg(*result->divergedAtStep);
        if (run.state() == State::Paused) parts << tr("paused");
        if (!run.isCurrent()) parts = QStringList{tr("starts anew with what was changed …")};
        // First, as what comes last goes first where there is little room.
        if (!latest->waitingFor.empty()) parts.prepend(tr("waits for %1").arg(missingText(latest->health)));
        if (latest->restarts > 0)
            parts << tr("%n restart(s)", nullptr, latest->restarts) +
                         tr(", %n step(s) done again", nullptr, static_cast<int>(latest->lostSteps));
        if (latest->measuredSamplesPerS > 0)
            parts << tr("%1 images/s measured here").arg(roundedText(latest->measuredSamplesPerS));
        m_progressText = parts.join(QStringLiteral(" · "));
    }
    m_progress->setText(fittingProgress());
    m_progress->setToolTip(run.runTitle() + QLatin1Char('\n') + m_progressText);
    m_progress->setAccessibleName(m_progressText);
}

/// As many of the parts as there is room for, the first ones first.
QString ToolRow::fittingProgress() const {
    QStringList parts = m_progressText.split(QStringLiteral(" · "));
    const QFontMetrics metrics(m_progress->font());
    while (!parts.isEmpty() && metrics.horizontalAdvance(parts.join(QStringLiteral(" · "))) > m_progress->width())
        parts.removeLast();
    return parts.join(QStringLiteral(" · "));
}

bool ToolRow::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_progress && event->type() == QEvent::Resize) showProgress();
    return QWidget::eventFilter(watched, event);
}

void ToolRow::restyle() {
    const Metrics& m = m_parts.theme.metrics();
    const Colours& c = m_parts.theme.colours();
    m_row->setContentsMargins(m.px(12), m.px(6), m.px(12), m.px(6));
    m_row->setSpacing(m.px(6));
    for (QPushButton* button : {m_undo, m_redo, m_help}) button->setVisible(!m_parts.theme.presenting());
    for (QPushButton* button : {m_run, m_step, m_reset, m_undo, m_redo, m_present, m_help})
        button->setIconSize({m.px(14), m.px(14)}),
            button->setIcon(glyphIcon(button->property("glyph").toString(), m.px(14),
                                      button == m_run ? c.onAccent : c.text,
                                      Colours::blend(c.mutedText, c.surface, 0.5)));
    for (QLabel* label : {m_slowLabel, m_slowValue, m_progress}) label->setFont(m.small);
    m_slowSlider->setFixedWidth(m.px(110));
    m_slowValue->setMinimumWidth(QFontMetrics(m.small).horizontalAdvance(QStringLiteral("1/1,000")));
    showProgress();
    update();
}

void ToolRow::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), m_parts.theme.colours().surface);
    painter.fillRect(QRect(0, height() - 1, width(), 1), m_parts.theme.colours().hairline);
}

}  // namespace lockstep::ui
