#pragma once

#include <QWidget>

class QCheckBox;

namespace lockstep::ui {

class ExperimentStore;
class HelpButton;
class Theme;

/// "Fixed cluster: workers + servers = K". While it is checked, one slider moves the split.
class FixedCluster : public QWidget {
    Q_OBJECT
public:
    FixedCluster(Theme& theme, ExperimentStore& store, QWidget* parent = nullptr);
    [[nodiscard]] QCheckBox* box() const { return m_box; }

private:
    void refresh();

    ExperimentStore& m_store;
    QCheckBox* m_box;
};

}  // namespace lockstep::ui
