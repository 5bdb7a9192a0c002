#include "controls/setting_check.h"

#include <QCheckBox>
#include <QSignalBlocker>

#include "controls/availability.h"
#include "controls/check_row.h"
#include "controls/key_text.h"
#include "experiment/experiment_json.h"
#include "experiment_store.h"
#include "widgets/check_box.h"

namespace lockstep::ui {

SettingCheck::SettingCheck(Theme& theme, ExperimentStore& store, const QString& key, QWidget* parent)
    : QWidget(parent), m_store(store), m_key(key), m_box(new CheckBox(theme, this)) {
    layOutCheckRow(*this, theme, *m_box, key);
    m_box->setText(keyLabel(key));
    m_box->setAccessibleName(keyLabel(key));
    connect(m_box, &QCheckBox::toggled, this, [this](bool on) {
        m_store.edit(m_key, on);
        refresh();
    });
    connect(&store, &ExperimentStore::experimentChanged, this, &SettingCheck::refresh);
    refresh();
}

void SettingCheck::refresh() {
    const Experiment& experiment = m_store.experiment();
    const QSignalBlocker blocker(m_box);
    m_box->setChecked(valueOfKey(experiment, m_key.toStdString()) == true);
    const Availability availability = availabilityOf(m_key, experiment, m_store.catalogue());
    setVisible(availability.shown);
    m_box->setEnabled(availability.reason.isEmpty());
    setToolTip(availability.reason);
}

}  // namespace lockstep::ui
