#include "controls/setting_choice.h"

#include <QHBoxLayout>
#include <QLabel>

#include "controls/availability.h"
#include "controls/help_texts.h"
#include "controls/key_text.h"
#include "experiment/experiment_json.h"
#include "experiment/keys.h"
#include "experiment_store.h"
#include "theme/theme.h"
#include "widgets/choice_box.h"
#include "widgets/help_button.h"

namespace lockstep::ui {

SettingChoice::SettingChoice(Theme& theme, ExperimentStore& store, const QString& key, const Entries& entries,
                             std::function<void(const QString&)> set, QWidget* parent)
    : QWidget(parent),
      m_store(store),
      m_key(key),
      m_label(new QLabel(keyLabel(key), this)),
      m_box(new ChoiceBox(theme, this)) {
    setObjectName(key);
    auto* help = new HelpButton(theme, helpFor(key), this);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(theme.metrics().px(6));
    row->addWidget(m_label);
    row->addWidget(help);
    row->addStretch(1);
    row->addWidget(m_box);
    m_label->setBuddy(m_box);
    m_box->setAccessibleName(keyLabel(key));
    m_box->setAccessibleDescription(help->content().text);
    for (const auto& [value, text] : entries) m_box->addItem(text, value);
    connect(m_box, &QComboBox::activated, this, [this, set](int index) {
        const QString value = m_box->itemData(index).toString();
        if (set)
            set(value);
        else
            m_store.edit(m_key, value.toStdString());
        refresh();
    });
    connect(&store, &ExperimentStore::experimentChanged, this, &SettingChoice::refresh);
    refresh();
}

void SettingChoice::refresh() {
    const Experiment& experiment = m_store.experiment();
    const nlohmann::json stored = valueOfKey(experiment, m_key.toStdString());
    const QString value = stored.is_string() ? QString::fromStdString(stored.get<std::string>()) : QString();
    if (m_box->findData(value) < 0)
        m_box->addItem(value.contains(QLatin1Char('/')) ? tr("A folder") : choiceText(m_key, value),
                       value);  // a path, or what a file brought
    m_box->showData(value);
    m_box->setToolTip(value.contains(QLatin1Char('/')) ? value : m_box->currentText());
    for (int i = 0; i < m_box->count(); ++i)
        m_box->setEntryDisabled(i, choiceReason(m_key, m_box->itemData(i).toString(), experiment));
    const Availability availability = availabilityOf(m_key, experiment, m_store.catalogue());
    setVisible(availability.shown);
    m_box->setEnabled(availability.reason.isEmpty());
    m_label->setEnabled(availability.reason.isEmpty());
    setToolTip(availability.reason);
}

SettingChoice::Entries availableChoices(const QString& key) {
    SettingChoice::Entries entries;
    const KeyDescription* description = findKey(key.toStdString());
    for (const std::string_view choice : description->choices) {
        if (!description->isChoiceAvailable(choice)) continue;
        const QString value = QString::fromUtf8(choice.data(), static_cast<qsizetype>(choice.size()));
        entries.emplace_back(value, choiceText(key, value));
    }
    return entries;
}

}  // namespace lockstep::ui
