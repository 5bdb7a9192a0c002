#pragma once

#include <QWidget>
#include <functional>
#include <utility>
#include <vector>

class QHBoxLayout;
class QLabel;

namespace lockstep::ui {

class ChoiceBox;
class ExperimentStore;
class Theme;

/// Label, "?" and a drop-down, bound to one key of the store.
class SettingChoice : public QWidget {
    Q_OBJECT
public:
    /// A value of the key and its words.
    using Entries = std::vector<std::pair<QString, QString>>;
    /// `set` replaces the plain edit of the key.
    SettingChoice(Theme& theme, ExperimentStore& store, const QString& key, const Entries& entries,
                  std::function<void(const QString& value)> set = {}, QWidget* parent = nullptr);

    [[nodiscard]] ChoiceBox* box() const { return m_box; }

private:
    void refresh();

    ExperimentStore& m_store;
    QString m_key;
    QLabel* m_label;
    ChoiceBox* m_box;
};

/// The choices of a key that can be used now.
[[nodiscard]] SettingChoice::Entries availableChoices(const QString& key);

}  // namespace lockstep::ui
