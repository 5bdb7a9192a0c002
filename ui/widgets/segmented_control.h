#pragma once

#include <QFrame>
#include <vector>

class QRadioButton;

namespace lockstep::ui {

class Theme;

/// One of a few options, side by side. Arrow keys move the choice; each option is a radio button to a screen reader.
class SegmentedControl : public QFrame {
    Q_OBJECT
public:
    SegmentedControl(Theme& theme, const QString& name, const QStringList& options, QWidget* parent = nullptr);

    [[nodiscard]] int current() const;
    /// Shows an option without announcing it.
    void showCurrent(int index);
    [[nodiscard]] QRadioButton* button(int index) const { return m_buttons[static_cast<size_t>(index)]; }

signals:
    void chosen(int index);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Theme& m_theme;
    std::vector<QRadioButton*> m_buttons;
};

}  // namespace lockstep::ui
