#pragma once

#include <QCheckBox>

namespace lockstep::ui {

class Theme;

/// A check box in the program's colours, whose outline stands out in every theme.
class CheckBox : public QCheckBox {
    Q_OBJECT
public:
    explicit CheckBox(Theme& theme, QWidget* parent = nullptr);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Theme& m_theme;
};

}  // namespace lockstep::ui
