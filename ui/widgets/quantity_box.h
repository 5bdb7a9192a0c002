#pragma once

#include <QAbstractSpinBox>

#include "widgets/value_scale.h"

namespace lockstep::ui {

/// A spin box for a quantity with its unit: shows "10 Gbit/s", takes "10G", "25 Gbps", "5 µs". Arrow keys step along
/// the scale, page keys go to the next round value.
class QuantityBox : public QAbstractSpinBox {
    Q_OBJECT
public:
    /// `minimum`..`maximum` bound what can be typed; `zeroAllowed` adds 0.
    struct Range {
        double minimum = 0, maximum = 1;
        bool integer = false, zeroAllowed = false;
        QString zeroText{};  ///< what 0 is shown as: "unlimited"
    };
    QuantityBox(ValueScale scale, Range range, QString unit, QWidget* parent = nullptr);

    void setRange(Range range) { m_range = std::move(range); }
    void setScale(ValueScale scale) { m_scale = std::move(scale); }
    /// Shows a value without announcing it. `suffix` follows the formatted value ("0.01 × 8").
    void showValue(double value, const QString& suffix = {});
    [[nodiscard]] double shownValue() const { return m_value; }
    /// The text of a value in this box.
    [[nodiscard]] QString textOf(double value) const;

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;
    void stepBy(int steps) override;
    QValidator::State validate(QString& input, int& position) const override;

signals:
    void typed(double value, int gesture);
    /// What was typed is not a value; the line says what is allowed.
    void refused(const QString& line);

protected:
    [[nodiscard]] StepEnabled stepEnabled() const override { return StepUpEnabled | StepDownEnabled; }
    void keyPressEvent(QKeyEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    void takeText();
    void announce(double value, int gesture);
    void showText();

    ValueScale m_scale;
    Range m_range;
    QString m_unit, m_suffix;
    double m_value = 0;
    int m_gesture = 1 << 20;  // apart from the slider's, which count from 1
    qint64 m_lastStepMs = 0;
};

}  // namespace lockstep::ui
