#include "stage/timeline_panel.h"

#include <QVBoxLayout>

#include "stage/playback.h"
#include "stage/timeline_view.h"
#include "theme/theme.h"
#include "widgets/panel.h"

namespace lockstep::ui {

TimelinePanel::TimelinePanel(Theme& theme, ExperimentStore& store, RunController&, Playback& playback, QWidget* parent)
    : QWidget(parent), m_view(new TimelineView(theme, store, playback)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    auto* panel = new Panel(theme, tr("One iteration"), NumberSource::Modelled, this);
    panel->body()->addWidget(m_view);
    layout->addWidget(panel);
}

}  // namespace lockstep::ui
