#include "controls/setting_check.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QSignalBlocker>

#include "controls/availability.h"
#include "controls/help_texts.h"
#include "controls/key_text.h"
#include "experiment/experiment_json.h"
#include "experiment_store.h"
#include "theme/theme.h"
#include "widgets/check_box.h"
#include "widgets/help_button.h"

namespace lockstep::ui {

SettingCheck::SettingCheck(Theme& theme, ExperimentStore& store, const QString& key, QWidget* parent)
    : QWidget(parent), m_store(store), m_key(key), m_box(new CheckBox(theme, this)) {
    setObjectName(key);
    auto* help = new HelpButton(theme, helpFor(key), this);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(theme.metrics().px(6));
    row->addWidget(m_box);
    row->addWidget(help);
    row->addStretch(1);
    m_box->setText(keyLabel(key));
    m_box->setAccessibleName(keyLabel(key));
    m_box->setAccessibleDescription(help->content().text);
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
