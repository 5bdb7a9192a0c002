#include "experiment_store.h"

#include "controls/key_text.h"
#include "experiment/experiment_json.h"

namespace lockstep::ui {
namespace {

constexpr size_t kMaxSteps = 500;
constexpr int kTimelineLanes = 24;

QStringList keysBetween(const Experiment& before, const Experiment& after) {
    QStringList keys;
    for (const std::string& key : changedKeys(before, after)) keys << QString::fromStdString(key);
    return keys;
}

}  // namespace

ExperimentStore::ExperimentStore(Catalogue catalogue, QObject* parent)
    : QObject(parent), m_catalogue(std::move(catalogue)) {
    apply(Experiment{});
}

bool ExperimentStore::apply(const Experiment& next) {
    Result<Prediction> prediction = predict(next, m_catalogue);
    if (!prediction) {
        emit refused(QString::fromStdString(prediction.error().message));
        return false;
    }
    m_experiment = next;
    m_prediction = std::make_shared<const Prediction>(std::move(*prediction));
    m_timeline = predictTimeline(next, m_catalogue, kTimelineLanes).value_or(Timeline{});
    m_explanation = explain(*m_prediction, m_catalogue);
    return true;
}

bool ExperimentStore::change(const Experiment& next, const QString& text, const QString& key, int gesture) {
    if (next == m_experiment) return true;
    const Experiment before = m_experiment;
    if (!apply(next)) return false;
    record({before, next, text, key, gesture});
    emit undoChanged();
    emit experimentChanged(m_experiment, keysBetween(before, next));
    return true;
}

void ExperimentStore::record(Step step) {
    const bool sameGesture = m_followsGesture && m_position > 0 && m_position == m_steps.size() && step.gesture != 0 &&
                             m_steps.back().gesture == step.gesture && m_steps.back().key == step.key;
    m_steps.resize(m_position);
    if (sameGesture) {
        step.before = m_steps.back().before;
        m_steps.pop_back();
    }
    if (!step.key.isEmpty()) step.text = changeText(step.before, step.after, step.key);
    if (step.before != step.after) m_steps.push_back(std::move(step));
    if (m_steps.size() > kMaxSteps) m_steps.erase(m_steps.begin());
    m_position = m_steps.size();
    m_followsGesture = true;
}

bool ExperimentStore::edit(const QString& key, const nlohmann::json& value, int gesture) {
    const Result<Experiment> next = withKey(m_experiment, key.toStdString(), value);
    if (!next) {
        emit refused(QString::fromStdString(next.error().message));
        return false;
    }
    return change(*next, {}, key, gesture);
}

bool ExperimentStore::editTogether(const std::vector<std::pair<QString, nlohmann::json>>& values, const QString& text,
                                   int gesture) {
    // By way of the whole document, so that keys that only hold together are judged together.
    nlohmann::json document = experimentToJson(m_experiment);
    for (const auto& [key, value] : values)
        document[key.section(QLatin1Char('.'), 0, 0).toStdString()][key.section(QLatin1Char('.'), 1).toStdString()] =
            value;
    const Result<Experiment> next = experimentFromJson(document);
    if (!next) {
        emit refused(QString::fromStdString(next.error().message));
        return false;
    }
    return change(*next, text, gesture != 0 ? values.front().first : QString(), gesture);
}

bool ExperimentStore::replace(const Experiment& experiment, const QString& description) {
    return change(experiment, description, {}, 0);
}

bool ExperimentStore::start(const Experiment& experiment) {
    const Experiment before = m_experiment;
    if (!apply(experiment)) return false;
    m_baseline = experiment;
    m_steps.clear();
    m_position = 0;
    emit undoChanged();
    emit experimentChanged(m_experiment, keysBetween(before, experiment));
    return true;
}

void ExperimentStore::setBaseline(const Experiment& experiment) {
    m_baseline = experiment;
    emit baselineChanged();
}

void ExperimentStore::resetToBaseline() { replace(m_baseline, tr("Reset")); }

bool ExperimentStore::canUndo() const { return m_position > 0; }

bool ExperimentStore::canRedo() const { return m_position < m_steps.size(); }

QString ExperimentStore::undoText() const { return canUndo() ? m_steps[m_position - 1].text : QString(); }

QString ExperimentStore::redoText() const { return canRedo() ? m_steps[m_position].text : QString(); }

void ExperimentStore::undo() {
    if (!canUndo() || !apply(m_steps[m_position - 1].before)) return;
    const Step step = m_steps[--m_position];
    m_followsGesture = false;
    emit undoChanged();
    emit experimentChanged(m_experiment, keysBetween(step.after, step.before));
}

void ExperimentStore::redo() {
    if (!canRedo() || !apply(m_steps[m_position].after)) return;
    const Step step = m_steps[m_position++];
    m_followsGesture = false;
    emit undoChanged();
    emit experimentChanged(m_experiment, keysBetween(step.before, step.after));
}

}  // namespace lockstep::ui
