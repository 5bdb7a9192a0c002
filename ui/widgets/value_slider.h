#pragma once

#include <QSlider>

#include "widgets/value_scale.h"

namespace lockstep::ui {

class Theme;

/// A horizontal slider over a ValueScale: thin groove, round handle, ticks at round values that attract the handle.
/// Arrow keys step, PageUp and PageDown go to the next round value, Home and End to the ends.
class ValueSlider : public QSlider {
    Q_OBJECT
public:
    ValueSlider(Theme& theme, ValueScale scale, QWidget* parent = nullptr);

    [[nodiscard]] const ValueScale& scale() const { return m_scale; }
    void setScale(ValueScale scale);
    /// Shows a value without announcing it.
    void showValue(double value);
    [[nodiscard]] double shownValue() const { return m_value; }
    void setTicksVisible(bool visible);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

signals:
    /// The person moved it. Moves of one drag, of one held key or of one turn of the wheel share a `gesture` (> 0).
    void moved(double value, int gesture);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    void moveTo(double value);
    void dragTo(double x);
    [[nodiscard]] double grooveStart() const;
    [[nodiscard]] double grooveLength() const;
    void paintTicks(class QPainter& painter) const;

    Theme& m_theme;
    ValueScale m_scale;
    double m_value = 0;
    double m_wheelRest = 0;
    int m_gesture = 0;
    qint64 m_lastKeyMs = 0;
    bool m_ticks = false;
};

}  // namespace lockstep::ui
