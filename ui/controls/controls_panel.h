#pragma once

#include "widgets/panel.h"

class QVBoxLayout;

namespace lockstep::ui {

class ExperimentStore;
class Section;
class SettingSlider;
class Theme;

/// Every setting of the experiment, in sections. What does nothing under the present architecture is hidden, or
/// disabled with its reason. Scrolls where the window is short.
class ControlsPanel : public Panel {
    Q_OBJECT
public:
    ControlsPanel(Theme& theme, ExperimentStore& store, QWidget* parent = nullptr);

    /// Keys of this panel that have a control, for tests and for the guided tour.
    [[nodiscard]] QStringList keys() const;

signals:
    /// Something that was typed cannot be taken.
    void noticeRaised(const QString& line);

private:
    QWidget* makeContent();
    SettingSlider* watched(SettingSlider* slider);
    Section* architectureSection();
    Section* clusterSection();
    Section* trainingSection();
    Section* dataSection();
    Section* limitsSection();
    Section* moreSection();

    Theme& m_theme;
    ExperimentStore& m_store;
};

}  // namespace lockstep::ui
