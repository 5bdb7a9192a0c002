#pragma once

#include <functional>

#include "experiment/experiment.h"
#include "widgets/labeled_slider.h"

namespace lockstep::ui {

class ExperimentStore;

/// A labelled slider bound to one key of the store.
class SettingSlider : public LabeledSlider {
    Q_OBJECT
public:
    struct Binding {
        QString key;
        ValueScale scale;  ///< the slider's range; typed values may go to the contract's limits
        bool ticks = false;
        bool lastIsUnlimited = false;  ///< the slider's right end means 0, "unlimited"
        /// The value shown; by default the key's own.
        std::function<double(const Experiment&)> shown{};
        /// Sets it; by default edits the key.
        std::function<void(ExperimentStore&, double value, int gesture)> set{};
        /// Written behind the value, as " × 8".
        std::function<QString(const Experiment&)> suffix{};
        /// Limits that depend on other settings.
        std::function<ValueScale(const Experiment&)> scaleFor{};
    };
    SettingSlider(Theme& theme, ExperimentStore& store, Binding binding, QWidget* parent = nullptr);

    [[nodiscard]] const QString& key() const { return m_binding.key; }

private:
    void take(double value, int gesture);
    void refresh();

    ExperimentStore& m_store;
    Binding m_binding;
    QuantityBox::Range m_range;
};

}  // namespace lockstep::ui
