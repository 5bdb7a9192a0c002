#pragma once

#include <QWidget>

namespace lockstep::ui {

class ExperimentStore;
class Playback;
class RunController;
class Theme;
class TimelineView;

/// "One iteration": the modelled iteration as lanes, with the cursor that it shares with the cluster diagram.
class TimelinePanel : public QWidget {
    Q_OBJECT
public:
    TimelinePanel(Theme& theme, ExperimentStore& store, RunController& run, Playback& playback,
                  QWidget* parent = nullptr);
    [[nodiscard]] TimelineView* view() const { return m_view; }

private:
    TimelineView* m_view;
};

}  // namespace lockstep::ui
