#pragma once

#include <QWidget>

class QCheckBox;

namespace lockstep::ui {

class ExperimentStore;
class Theme;

/// A check box with its "?", bound to one key of the store that is true or false.
class SettingCheck : public QWidget {
    Q_OBJECT
public:
    SettingCheck(Theme& theme, ExperimentStore& store, const QString& key, QWidget* parent = nullptr);

    [[nodiscard]] QCheckBox* box() const { return m_box; }

private:
    void refresh();

    ExperimentStore& m_store;
    QString m_key;
    QCheckBox* m_box;
};

}  // namespace lockstep::ui
