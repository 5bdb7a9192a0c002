#pragma once

#include <QScrollArea>

class QVBoxLayout;

namespace lockstep::ui {

class Theme;

/// A column that scrolls up and down. The scroll bar comes and goes inside the right margin, so that no line breaks
/// anew when it does.
class MarginScrollArea : public QScrollArea {
    Q_OBJECT
public:
    explicit MarginScrollArea(Theme& theme, QWidget* parent = nullptr);

    [[nodiscard]] QVBoxLayout* column() const { return m_column; }

private:
    void placeMargins();

    Theme& m_theme;
    QVBoxLayout* m_column;
};

}  // namespace lockstep::ui
