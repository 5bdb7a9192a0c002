#pragma once

#include <QWidget>

#include "widgets/popover.h"
#include "widgets/quantity_box.h"
#include "widgets/value_slider.h"

class QHBoxLayout;
class QLabel;
class QVBoxLayout;

namespace lockstep::ui {

class HelpButton;

/// A setting: label and "?" on the left, value box on the right, slider below. Slider and box are one value.
class LabeledSlider : public QWidget {
    Q_OBJECT
public:
    struct Spec {
        QString label;
        QString unit;              ///< as formatQuantity knows it
        ValueScale scale;          ///< what the slider covers
        QuantityBox::Range range;  ///< what can be typed
        Popover::Content help;
        bool ticks = false;
    };
    LabeledSlider(Theme& theme, Spec spec, QWidget* parent = nullptr);

    /// Shows a value without announcing it.
    void showValue(double value, const QString& suffix = {});
    [[nodiscard]] double shownValue() const { return m_slider->shownValue(); }
    void setLimits(ValueScale scale, QuantityBox::Range range);
    /// With a reason the setting is disabled and says why; an empty reason enables it.
    void setDisabledReason(const QString& reason);

    [[nodiscard]] ValueSlider* slider() const { return m_slider; }
    [[nodiscard]] QuantityBox* box() const { return m_box; }
    [[nodiscard]] HelpButton* help() const { return m_help; }

signals:
    /// The person set a value; consecutive ones with the same `gesture` belong together (one drag).
    void edited(double value, int gesture);
    void refused(const QString& line);

private:
    void describe();
    void restyle();

    Theme& m_theme;
    QString m_labelText;
    QLabel* m_label;
    HelpButton* m_help;
    QuantityBox* m_box;
    ValueSlider* m_slider;
    QHBoxLayout* m_row;
    QVBoxLayout* m_column;
};

}  // namespace lockstep::ui
