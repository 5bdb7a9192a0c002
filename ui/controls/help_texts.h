#pragma once

#include <QString>

#include "widgets/popover.h"

namespace lockstep::ui {

/// What stands behind a control's "?": two sentences, the unit with the allowed range, and the formula where there is
/// one.
[[nodiscard]] Popover::Content helpFor(const QString& key);

}  // namespace lockstep::ui
