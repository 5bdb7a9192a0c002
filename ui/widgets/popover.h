#pragma once

#include <QFrame>

class QLabel;

namespace lockstep::ui {

class Theme;

/// A small card beside a widget that closes at a click elsewhere or Escape.
class Popover : public QFrame {
    Q_OBJECT
public:
    /// `formula` may be empty.
    struct Content {
        QString title, text, unit, formula;
    };
    Popover(Theme& theme, const Content& content, QWidget* parent);
    /// Beside `anchor`, inside the screen.
    void showBeside(const QWidget* anchor);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Theme& m_theme;
};

}  // namespace lockstep::ui
