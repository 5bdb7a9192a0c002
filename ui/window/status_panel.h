#pragma once

#include <QWidget>

class QHBoxLayout;
class QLabel;

namespace lockstep::ui {

class ExperimentStore;
class StatTile;
class Theme;

/// The foot of the window: what limits the modelled cluster, in words, and its headline figures.
class StatusPanel : public QWidget {
    Q_OBJECT
public:
    StatusPanel(Theme& theme, ExperimentStore& store, QWidget* parent = nullptr);

    /// The sentence as plain text.
    [[nodiscard]] QString sentence() const;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void follow();
    void restyle();

    Theme& m_theme;
    ExperimentStore& m_store;
    QHBoxLayout* m_row;
    QLabel* m_sentence;
    StatTile *m_throughput, *m_iteration, *m_efficiency, *m_globalBatch, *m_memory;
};

}  // namespace lockstep::ui
