#pragma once

class QCheckBox;
class QString;
class QWidget;

namespace lockstep::ui {

class Theme;

/// Lays the box out in `row`, with the "?" of the key beside it, and lets it speak the help's words.
void layOutCheckRow(QWidget& row, Theme& theme, QCheckBox& box, const QString& key);

}  // namespace lockstep::ui
