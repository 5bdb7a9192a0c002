#pragma once

#include <QString>

#include "theme/theme.h"

namespace lockstep::ui {

/// The application's style sheet, made from colours and sizes alone. Widgets that need more paint themselves.
/// Object names and properties that it knows:
///   QPushButton[role="primary"]   the one thing to do here
///   QToolButton[role="plain"]     flat until hovered
///   QLabel[role="muted"|"small"|"strong"|"heading"|"section"|"title"]
[[nodiscard]] QString makeStyleSheet(const Colours& colours, const Metrics& metrics);

}  // namespace lockstep::ui
