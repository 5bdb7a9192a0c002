#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "cluster/prediction.h"
#include "experiment/experiment.h"

namespace lockstep::ui {

/// The one mutable Experiment of the window, with undo. A change is validated, predicted in the same call, and then
/// announced once with everything that follows from it, so that controls, stage, charts and sentence move in one frame.
class ExperimentStore : public QObject {
    Q_OBJECT
public:
    /// Starts with the default experiment.
    explicit ExperimentStore(Catalogue catalogue, QObject* parent = nullptr);

    [[nodiscard]] const Experiment& experiment() const { return m_experiment; }
    [[nodiscard]] const Catalogue& catalogue() const { return m_catalogue; }
    [[nodiscard]] const Prediction& prediction() const { return *m_prediction; }
    [[nodiscard]] std::shared_ptr<const Prediction> sharedPrediction() const { return m_prediction; }
    [[nodiscard]] const Timeline& timeline() const { return m_timeline; }
    [[nodiscard]] const Explanation& explanation() const { return m_explanation; }

    /// Sets one key. Refused (false, and `refused` with the line) when the result is invalid. Consecutive edits of the
    /// same key with the same non-zero `gesture` are one undo step (a drag).
    bool edit(const QString& key, const nlohmann::json& value, int gesture = 0);
    /// Several keys as one change and one undo step; refused as a whole. `text` names the step. With a gesture it is
    /// one with the edits of the first key: a drag that takes other settings along, and is named by that key.
    bool editTogether(const std::vector<std::pair<QString, nlohmann::json>>& values, const QString& text,
                      int gesture = 0);
    /// Replaces the whole experiment (a file, a scene, a restored session); one undo step.
    bool replace(const Experiment& experiment, const QString& description);
    /// Begins with an experiment, without an undo step: what a restart brings back.
    bool start(const Experiment& experiment);
    /// What Reset returns to.
    void setBaseline(const Experiment& experiment);
    void resetToBaseline();
    [[nodiscard]] const Experiment& baseline() const { return m_baseline; }
    /// Whether nothing has been changed since.
    [[nodiscard]] bool isBaseline() const { return m_experiment == m_baseline; }

    [[nodiscard]] bool canUndo() const;
    [[nodiscard]] bool canRedo() const;
    [[nodiscard]] QString undoText() const;  ///< "Workers 8 -> 16"
    [[nodiscard]] QString redoText() const;
    void undo();
    void redo();

signals:
    void experimentChanged(const lockstep::Experiment& experiment, const QStringList& changedKeys);
    void refused(const QString& line);
    void undoChanged();
    void baselineChanged();

private:
    struct Step {
        Experiment before, after;
        QString text, key;
        int gesture = 0;
    };
    /// Predicts `next` and makes it the present; false and `refused` when it cannot be.
    bool apply(const Experiment& next);
    bool change(const Experiment& next, const QString& text, const QString& key, int gesture);
    void record(Step step);

    Catalogue m_catalogue;
    Experiment m_experiment, m_baseline;
    std::shared_ptr<const Prediction> m_prediction;
    Timeline m_timeline;
    Explanation m_explanation;
    std::vector<Step> m_steps;      ///< at most 500
    bool m_followsGesture = false;  ///< the newest step may still take further edits of its gesture
    size_t m_position = 0;          ///< steps before it are done, those from it on can be redone
};

}  // namespace lockstep::ui
