#include "theme/style_sheet.h"

namespace lockstep::ui {
namespace {

/// Sections of the sheet; @name is replaced by a colour, #n# by n design pixels.
constexpr const char* kFrame = R"(
QMainWindow, QDialog { background: @window; }
QToolTip { background: @raised; color: @text; border: 1px solid @hairline; padding: #4#; }
QMenuBar { background: @surface; color: @text; padding: #2# #6#; border: none; }
QMenuBar::item { background: transparent; padding: #4# #8#; border-radius: #4#; }
QMenuBar::item:selected { background: @accentSoft; color: @text; }
QMenu { background: @raised; color: @text; border: 1px solid @hairline; padding: #4#; }
QMenu::item { padding: #5# #24# #5# #24#; border-radius: #4#; }
QMenu::item:selected { background: @accentSoft; color: @text; }
QMenu::item:disabled { color: @disabled; }
QMenu::separator { height: 1px; background: @hairline; margin: #4# #8#; }
QSplitter::handle { background: transparent; }
QSplitter::handle:hover { background: @accentSoft; }
QScrollArea { background: transparent; border: none; }
)";

constexpr const char* kButtons = R"(
QPushButton, QToolButton { background: @raised; color: @text; border: 1px solid @hairline; border-radius: #6#;
    padding: #4# #12#; min-height: #18#; }
QPushButton:hover, QToolButton:hover { background: @accentSoft; border-color: @accent; }
QPushButton:pressed, QToolButton:pressed, QPushButton:checked, QToolButton:checked { background: @accentSoft;
    border-color: @accent; color: @accent; }
QPushButton:focus, QToolButton:focus { border: 2px solid @focus; padding: #3# #11#; }
QPushButton:disabled, QToolButton:disabled { color: @disabled; }
QPushButton[role="primary"] { background: @accent; color: @onAccent; border-color: @accent; font-weight: 600; }
QPushButton[role="primary"]:hover { background: @accentStrong; }
QPushButton[role="primary"]:focus { border: 2px solid @text; }
QPushButton[role="primary"]:disabled { background: @accentSoft; color: @disabled; border-color: @hairline; }
QToolButton::menu-indicator, QPushButton::menu-indicator { image: none; width: 0; }
QToolButton[role="plain"] { background: transparent; border: 1px solid transparent; padding: #2# #4#; min-height: 0; }
QToolButton[role="plain"]:hover { background: @accentSoft; }
QToolButton[role="plain"]:focus { border: 1px solid @focus; }
)";

constexpr const char* kFields = R"(
QLineEdit, QAbstractSpinBox, QPlainTextEdit, QTextEdit { background: @surface; color: @text;
    border: 1px solid @hairline; border-radius: #4#; padding: #1# #6#; selection-background-color: @accent;
    selection-color: @onAccent; }
QLineEdit:focus, QAbstractSpinBox:focus, QPlainTextEdit:focus, QTextEdit:focus { border: 2px solid @focus;
    padding: 0px #5#; }
QLineEdit:disabled, QAbstractSpinBox:disabled { color: @disabled; background: @window; }
QCheckBox, QRadioButton { color: @text; spacing: #8#; }
QCheckBox:disabled { color: @disabled; }
QAbstractItemView { background: @raised; color: @text; border: 1px solid @hairline; outline: none;
    selection-background-color: @accentSoft; selection-color: @text; }
QTabWidget::pane { border: none; border-top: 1px solid @hairline; }
QTabBar { background: transparent; qproperty-drawBase: 0; }
QTabBar::tab { background: transparent; color: @mutedText; border: none; border-bottom: 2px solid transparent;
    padding: #7# #12#; margin: 0; }
QTabBar::tab:selected { color: @accent; border-bottom: 2px solid @accent; font-weight: 600; }
QTabBar::tab:hover { color: @text; }
QTabBar::tab:focus { color: @accent; background: @accentSoft; }
QProgressBar { background: @hairline; border: none; border-radius: #2#; max-height: #4#; min-height: #4#; }
QProgressBar::chunk { background: @accent; border-radius: #2#; }
)";

constexpr const char* kScrollAndText = R"(
QScrollBar:vertical { background: transparent; width: #10#; margin: 0; }
QScrollBar:horizontal { background: transparent; height: #10#; margin: 0; }
QScrollBar::handle { background: @scroll; border-radius: #3#; margin: #2#; }
QScrollBar::handle:vertical { min-height: #28#; } QScrollBar::handle:horizontal { min-width: #28#; }
QScrollBar::handle:hover { background: @mutedText; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; border: none; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QLabel { background: transparent; }
QLabel[role="muted"] { color: @mutedText; }
QLabel:disabled { color: @disabled; }
QLabel[role="section"] { color: @mutedText; font-weight: 600; }
QLabel[role="strong"], QLabel[role="heading"], QLabel[role="title"] { font-weight: 600; }
)";

QString filled(QString sheet, const Colours& c, const Metrics& m) {
    const QColor disabled = Colours::blend(c.mutedText, c.surface, 0.75);
    const std::pair<const char*, QColor> colours[] = {{"@window", c.window},
                                                      {"@surface", c.surface},
                                                      {"@raised", c.raised},
                                                      {"@hairline", c.hairline},
                                                      {"@text", c.text},
                                                      {"@mutedText", c.mutedText},
                                                      {"@accentSoft", c.accentSoft},
                                                      {"@accentStrong", Colours::blend(c.text, c.accent, 0.2)},
                                                      {"@accent", c.accent},
                                                      {"@onAccent", c.onAccent},
                                                      {"@focus", c.focus},
                                                      {"@disabled", disabled},
                                                      {"@scroll", Colours::blend(c.mutedText, c.surface, 0.4)}};
    for (const auto& [name, colour] : colours) sheet.replace(QLatin1String(name), colour.name());
    for (int n = 0; n <= 30; ++n) sheet.replace(QStringLiteral("#%1#").arg(n), QStringLiteral("%1px").arg(m.px(n)));
    return sheet;
}

QString labelFonts(const Metrics& m) {
    const std::pair<const char*, const QFont&> roles[] = {
        {"small", m.small}, {"section", m.small}, {"heading", m.heading}, {"title", m.title}};
    QString sheet;
    for (const auto& [role, font] : roles)
        sheet += QStringLiteral("QLabel[role=\"%1\"] { font-size: %2pt; }\n")
                     .arg(QLatin1String(role))
                     .arg(font.pointSizeF());
    return sheet;
}

}  // namespace

QString makeStyleSheet(const Colours& colours, const Metrics& metrics) {
    const QString sheet =
        QLatin1String(kFrame) + QLatin1String(kButtons) + QLatin1String(kFields) + QLatin1String(kScrollAndText);
    return filled(sheet, colours, metrics) + labelFonts(metrics);
}

}  // namespace lockstep::ui
