#pragma once

#include <QWidget>

namespace lockstep::ui {

class ExperimentStore;
class SegmentedControl;
class Theme;

/// Single node, parameter server or all-reduce. Choosing a parameter server where there are no servers brings one.
class ArchitectureChoice : public QWidget {
    Q_OBJECT
public:
    ArchitectureChoice(Theme& theme, ExperimentStore& store, QWidget* parent = nullptr);
    [[nodiscard]] SegmentedControl* control() const { return m_control; }

private:
    void choose(int index);
    void refresh();

    ExperimentStore& m_store;
    SegmentedControl* m_control;
};

}  // namespace lockstep::ui
