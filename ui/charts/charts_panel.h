#pragma once

#include <QWidget>
#include <array>
#include <memory>

class QGridLayout;

namespace lockstep::ui {

class BreakdownPlot;
class ExperimentStore;
class Panel;
class Plot;
class RunController;
class Theme;
class ThroughputChart;

/// The four charts. The upper two are modelled and follow the store in the same frame; the lower two are measured and
/// follow the run.
class ChartsPanel : public QWidget {
    Q_OBJECT
public:
    enum class Chart { Throughput, Breakdown, Learning, Divergence };

    ChartsPanel(Theme& theme, ExperimentStore& store, RunController& run, QWidget* parent = nullptr);
    ~ChartsPanel() override;

    /// One chart alone, large; otherwise all four.
    void setPresenting(bool presenting);
    /// Which one stands alone when presenting.
    void setPresentedChart(Chart chart);
    [[nodiscard]] Chart presentedChart() const { return m_presented; }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void tagMeasured();
    void arrange();
    void restyle();
    void showModelled();
    void showMeasured();

    Theme& m_theme;
    ExperimentStore& m_store;
    RunController& m_run;
    QGridLayout* m_grid;
    std::array<Panel*, 4> m_panels{};
    Plot* m_throughput;
    BreakdownPlot* m_breakdown;
    Plot* m_learning;
    Plot* m_divergence;
    std::unique_ptr<ThroughputChart> m_curves;
    Chart m_presented = Chart::Throughput;
    bool m_presenting = false;
};

}  // namespace lockstep::ui
