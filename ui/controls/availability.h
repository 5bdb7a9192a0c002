#pragma once

#include <QString>

#include "catalogue/catalogue.h"
#include "experiment/experiment.h"

namespace lockstep::ui {

/// Whether a setting does anything under the others, and why not.
struct Availability {
    bool shown = true;  ///< false: belongs to another architecture; the control is hidden
    QString reason;     ///< not empty: the control is disabled and says this
    bool operator==(const Availability&) const = default;
};

[[nodiscard]] Availability availabilityOf(const QString& key, const Experiment& experiment, const Catalogue& catalogue);

/// Why one of a key's choices cannot be taken under the present settings; empty when it can.
[[nodiscard]] QString choiceReason(const QString& key, const QString& choice, const Experiment& experiment);

}  // namespace lockstep::ui
