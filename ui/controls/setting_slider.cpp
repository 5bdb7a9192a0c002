#include "controls/setting_slider.h"

#include <cmath>

#include "controls/availability.h"
#include "controls/help_texts.h"
#include "controls/key_text.h"
#include "experiment/experiment_json.h"
#include "experiment/keys.h"
#include "experiment_store.h"

namespace lockstep::ui {
namespace {

constexpr double kUnboundedShown = 1e18;

QuantityBox::Range rangeOf(const QString& key, bool unlimited) {
    const KeyDescription* description = findKey(key.toStdString());
    QuantityBox::Range range{.minimum = description->minimum,
                             .maximum = std::min(description->maximum, kUnboundedShown),
                             .integer = description->type == KeyType::Integer,
                             .zeroAllowed = description->zeroAllowed || unlimited};
    if (description->minimumExcluded) range.minimum = 1e-12;
    if (unlimited) range.zeroText = SettingSlider::tr("unlimited");
    return range;
}

}  // namespace

SettingSlider::SettingSlider(Theme& theme, ExperimentStore& store, Binding binding, QWidget* parent)
    : LabeledSlider(theme,
                    {.label = keyLabel(binding.key),
                     .unit = keyUnit(binding.key),
                     .scale = binding.scale,
                     .range = rangeOf(binding.key, binding.lastIsUnlimited),
                     .help = helpFor(binding.key),
                     .ticks = binding.ticks},
                    parent),
      m_store(store),
      m_binding(std::move(binding)),
      m_range(rangeOf(m_binding.key, m_binding.lastIsUnlimited)) {
    setObjectName(m_binding.key);
    connect(this, &LabeledSlider::edited, this, &SettingSlider::take);
    connect(&store, &ExperimentStore::experimentChanged, this, &SettingSlider::refresh);
    connect(&store, &ExperimentStore::refused, this, &SettingSlider::refresh);
    refresh();
}

void SettingSlider::take(double value, int gesture) {
    if (m_binding.lastIsUnlimited && value >= slider()->scale().maximum() * (1 - 1e-9)) value = 0;
    if (m_binding.set) return m_binding.set(m_store, value, gesture);
    if (m_range.integer)
        m_store.edit(m_binding.key, static_cast<long long>(std::llround(value)), gesture);
    else
        m_store.edit(m_binding.key, value, gesture);
}

void SettingSlider::refresh() {
    const Experiment& experiment = m_store.experiment();
    if (m_binding.scaleFor) setLimits(m_binding.scaleFor(experiment), m_range);
    double value = 0;
    if (m_binding.shown)
        value = m_binding.shown(experiment);
    else if (const nlohmann::json stored = valueOfKey(experiment, m_binding.key.toStdString()); stored.is_number())
        value = stored.get<double>();
    showValue(value, m_binding.suffix ? m_binding.suffix(experiment) : QString());
    if (m_binding.lastIsUnlimited && value == 0) slider()->showValue(slider()->scale().maximum());
    const Availability availability = availabilityOf(m_binding.key, experiment, m_store.catalogue());
    setVisible(availability.shown);
    setDisabledReason(availability.reason);
}

}  // namespace lockstep::ui
