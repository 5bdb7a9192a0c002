#pragma once

#include <QString>

#include "experiment/experiment.h"

namespace lockstep::ui {

/// What a key is called in the window: "cluster.workers" is "Workers".
[[nodiscard]] QString keyLabel(const QString& key);
/// A choice's word in the window: "bulk-synchronous" is "Bulk-synchronous". The key decides where two share a word.
[[nodiscard]] QString choiceText(const QString& key, const QString& choice);
/// The unit in which the window shows a key, as formatQuantity knows it.
[[nodiscard]] QString keyUnit(const QString& key);
/// A key's value as text: "10 Gbit/s", "Ring", "on".
[[nodiscard]] QString valueText(const Experiment& experiment, const QString& key);
/// "Workers 8 → 16".
[[nodiscard]] QString changeText(const Experiment& before, const Experiment& after, const QString& key);
/// The settings in which two experiments differ, at most three of them: "4 workers, ring" as "Workers 4, Algorithm
/// Ring".
[[nodiscard]] QString differenceText(const Experiment& shown, const Experiment& other);

}  // namespace lockstep::ui
