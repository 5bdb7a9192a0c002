#include "charts/charts_panel.h"

#include <QGridLayout>
#include <QVBoxLayout>

#include "charts/breakdown_plot.h"
#include "charts/measured_charts.h"
#include "charts/modelled_charts.h"
#include "charts/plot.h"
#include "experiment/resolved.h"
#include "experiment_store.h"
#include "run_controller.h"
#include "theme/theme.h"
#include "widgets/panel.h"

namespace lockstep::ui {

ChartsPanel::ChartsPanel(Theme& theme, ExperimentStore& store, RunController& run, QWidget* parent)
    : QWidget(parent),
      m_theme(theme),
      m_store(store),
      m_run(run),
      m_grid(new QGridLayout(this)),
      m_throughput(new Plot(theme)),
      m_breakdown(new BreakdownPlot(theme)),
      m_learning(new Plot(theme)),
      m_divergence(new Plot(theme)),
      m_curves(std::make_unique<ThroughputChart>()) {
    const auto add = [this](Chart chart, const QString& title, NumberSource source, QWidget* content) {
        auto* panel = new Panel(m_theme, title, source, this);
        panel->body()->addWidget(content);
        m_panels[static_cast<size_t>(chart)] = panel;
    };
    add(Chart::Throughput, tr("Throughput against workers"), NumberSource::Modelled, m_throughput);
    add(Chart::Breakdown, tr("Where an iteration's time goes"), NumberSource::Modelled, m_breakdown);
    add(Chart::Learning, tr("Loss and accuracy"), NumberSource::Measured, m_learning);
    add(Chart::Divergence, tr("Spread of the replicas"), NumberSource::Measured, m_divergence);
    m_throughput->setSubject(tr("Throughput against workers (modelled)"));
    m_breakdown->setSubject(tr("Where an iteration's time goes (modelled)"));
    m_grid->setContentsMargins(0, 0, 0, 0);
    connect(&store, &ExperimentStore::experimentChanged, this, &ChartsPanel::showModelled);
    connect(&run, &RunController::snapshotChanged, this, &ChartsPanel::showMeasured);
    connect(&run, &RunController::ghostsChanged, this, &ChartsPanel::showMeasured);
    connect(&run, &RunController::stateChanged, this, &ChartsPanel::showMeasured);
    connect(&theme, &Theme::themeChanged, this, &ChartsPanel::restyle);
    arrange();
    restyle();
    showModelled();
    showMeasured();
}

ChartsPanel::~ChartsPanel() = default;

void ChartsPanel::restyle() { m_grid->setSpacing(m_theme.metrics().gapPx); }

void ChartsPanel::setPresenting(bool presenting) {
    if (presenting == m_presenting) return;
    m_presenting = presenting;
    arrange();
}

void ChartsPanel::setPresentedChart(Chart chart) {
    if (chart == m_presented) return;
    m_presented = chart;
    arrange();
}

void ChartsPanel::arrange() {
    for (size_t i = 0; i < m_panels.size(); ++i) {
        m_grid->removeWidget(m_panels[i]);
        const bool alone = m_presenting && i == static_cast<size_t>(m_presented);
        if (alone)
            m_grid->addWidget(m_panels[i], 0, 0, 2, 2);
        else
            m_grid->addWidget(m_panels[i], static_cast<int>(i / 2), static_cast<int>(i % 2));
        m_panels[i]->setVisible(!m_presenting || alone);
    }
    for (int k = 0; k < 2; ++k) m_grid->setColumnStretch(k, 1), m_grid->setRowStretch(k, 1);
}

void ChartsPanel::showModelled() {
    m_throughput->setData(m_curves->update(m_store.experiment(), m_store.prediction(), m_store.catalogue()));
    m_breakdown->setData(breakdownChart(m_store.experiment(), m_store.prediction(), m_store.catalogue()));
}

/// As much of the run's title as stands beside the panel's own without cutting either.
void ChartsPanel::tagMeasured() {
    const Metrics& m = m_theme.metrics();
    const QString title = m_run.runTitle();
    for (const Chart chart : {Chart::Learning, Chart::Divergence}) {
        Panel* panel = m_panels[static_cast<size_t>(chart)];
        const int room = panel->width() - QFontMetrics(m.heading).horizontalAdvance(panel->title()) - m.px(64);
        QString detail;
        for (const QString& candidate :
             {title, title.section(QLatin1Char(','), 0, 0), title.section(QLatin1Char(' '), 0, 0)})
            if (detail.isEmpty() &&
                QFontMetrics(m.small).horizontalAdvance(tr("measured") + QStringLiteral(" · ") + candidate) <= room)
                detail = candidate;
        panel->setSource(NumberSource::Measured, detail);
    }
}

void ChartsPanel::resizeEvent(QResizeEvent*) {
    QMetaObject::invokeMethod(this, &ChartsPanel::tagMeasured, Qt::QueuedConnection);
}

void ChartsPanel::showMeasured() {
    const auto history = m_run.history();
    MeasuredInput input;
    input.history = history.get();
    if (history && !history->empty()) input.samplesPerStep = samplesPerStep(*history);
    for (const Ghost& ghost : m_run.ghosts()) input.ghosts.push_back({ghost.label, ghost.history.get()});
    ChartData learning = learningChart(input), divergence = divergenceChart(input);
    const bool prepares =
        m_run.state() == RunController::State::Loading || m_run.state() == RunController::State::Running;
    for (ChartData* chart : {&learning, &divergence})
        if (prepares && !chart->notice.isEmpty()) chart->notice = tr("The replicas are being prepared …");
    m_learning->setData(learning);
    m_divergence->setData(divergence);
    const QString title = m_run.runTitle();
    tagMeasured();
    m_learning->setSubject(tr("Loss and accuracy (measured: %1)").arg(title));
    m_divergence->setSubject(tr("Spread of the replicas (measured: %1)").arg(title));
}

}  // namespace lockstep::ui
