#pragma once

#include "theme/theme.h"

namespace lockstep::ui {

/// The colours of one theme. `textContrast` is what every text colour reaches on every surface it is written on: 4.5,
/// or 7 for a class room.
[[nodiscard]] Colours makeColours(ThemeKind kind, double textContrast);

}  // namespace lockstep::ui
