#include "widgets/value_slider.h"

#include <QDateTime>
#include <QKeyEvent>
#include <QPainter>
#include <QSignalBlocker>
#include <cmath>

#include "theme/theme.h"

namespace lockstep::ui {
namespace {

constexpr int kPositions = 10000;  // resolution of the QSlider underneath, which accessibility reads
constexpr double kMagnetismPx = 4;
constexpr qint64 kSameGestureMs = 700;  // keys or wheel notches closer than this belong together

}  // namespace

ValueSlider::ValueSlider(Theme& theme, ValueScale scale, QWidget* parent)
    : QSlider(Qt::Horizontal, parent), m_theme(theme), m_scale(std::move(scale)) {
    setRange(0, kPositions);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(&theme, &Theme::themeChanged, this, [this] { updateGeometry(), update(); });
}

void ValueSlider::setScale(ValueScale scale) {
    m_scale = std::move(scale);
    showValue(m_value);
}

void ValueSlider::showValue(double value) {
    const QSignalBlocker blocker(this);
    m_value = value;
    setValue(static_cast<int>(std::lround(m_scale.positionOf(value) * kPositions)));
    update();
}

void ValueSlider::setTicksVisible(bool visible) {
    m_ticks = visible;
    updateGeometry();
}

QSize ValueSlider::sizeHint() const { return {m_theme.metrics().px(180), m_theme.metrics().px(m_ticks ? 22 : 18)}; }

QSize ValueSlider::minimumSizeHint() const { return {m_theme.metrics().px(60), sizeHint().height()}; }

double ValueSlider::grooveStart() const { return m_theme.metrics().px(7); }

double ValueSlider::grooveLength() const { return std::max(1.0, width() - 2 * grooveStart()); }

void ValueSlider::moveTo(double value) {
    if (value == m_value) return;
    showValue(value);
    emit moved(value, m_gesture);
}

void ValueSlider::dragTo(double x) {
    const double magnetism = kMagnetismPx * m_theme.metrics().scale / grooveLength();
    moveTo(m_scale.valueAt((x - grooveStart()) / grooveLength(), magnetism));
}

void ValueSlider::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return event->ignore();
    ++m_gesture;
    m_lastKeyMs = 0;
    setSliderDown(true);
    dragTo(event->position().x());
}

void ValueSlider::mouseMoveEvent(QMouseEvent* event) {
    if (isSliderDown()) dragTo(event->position().x());
}

void ValueSlider::mouseReleaseEvent(QMouseEvent*) {
    setSliderDown(false);
    update();
}

void ValueSlider::keyPressEvent(QKeyEvent* event) {
    double target = m_value;
    switch (event->key()) {
        case Qt::Key_Right:
        case Qt::Key_Up:
            target = m_scale.stepped(m_value, 1);
            break;
        case Qt::Key_Left:
        case Qt::Key_Down:
            target = m_scale.stepped(m_value, -1);
            break;
        case Qt::Key_PageUp:
            target = m_scale.paged(m_value, 1);
            break;
        case Qt::Key_PageDown:
            target = m_scale.paged(m_value, -1);
            break;
        case Qt::Key_Home:
            target = m_scale.minimum();
            break;
        case Qt::Key_End:
            target = m_scale.maximum();
            break;
        default:
            return QSlider::keyPressEvent(event);
    }
    const qint64 now = QDateTime::currentMSecsSinceEpoch();
    if (now - m_lastKeyMs > kSameGestureMs) ++m_gesture;
    m_lastKeyMs = now;
    moveTo(target);
}

void ValueSlider::wheelEvent(QWheelEvent* event) {
    if (!hasFocus()) return event->ignore();  // a turn of the wheel over the panel scrolls it
    m_wheelRest += event->angleDelta().y() / 120.0;
    const int notches = static_cast<int>(m_wheelRest);
    if (notches == 0) return;
    m_wheelRest -= notches;
    const qint64 now = QDateTime::currentMSecsSinceEpoch();
    if (now - m_lastKeyMs > kSameGestureMs) ++m_gesture;
    m_lastKeyMs = now;
    moveTo(m_scale.stepped(m_value, notches));
}

void ValueSlider::paintTicks(QPainter& painter) const {
    painter.setPen(Colours::blend(m_theme.colours().mutedText, m_theme.colours().surface, 0.45));
    const int bottom = height() - 1;
    for (const double value : m_scale.roundValues()) {
        const int x = static_cast<int>(std::lround(grooveStart() + m_scale.positionOf(value) * grooveLength()));
        painter.drawLine(x, bottom - m_theme.metrics().px(3), x, bottom);
    }
}

void ValueSlider::paintEvent(QPaintEvent*) {
    const Colours& colours = m_theme.colours();
    const Metrics& metrics = m_theme.metrics();
    const QColor ground = colours.surface;
    const QColor fill = isEnabled() ? colours.accent : Colours::blend(colours.mutedText, ground, 0.4);
    const double y = metrics.px(9), x = grooveStart() + m_scale.positionOf(m_value) * grooveLength();
    QPainter painter(this);
    if (m_ticks) paintTicks(painter);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    const double thickness = metrics.px(3);
    painter.setBrush(Colours::blend(colours.hairline, ground, 0.9));
    painter.drawRoundedRect(QRectF(grooveStart(), y - thickness / 2, grooveLength(), thickness), thickness / 2,
                            thickness / 2);
    painter.setBrush(fill);
    painter.drawRoundedRect(QRectF(grooveStart(), y - thickness / 2, x - grooveStart(), thickness), thickness / 2,
                            thickness / 2);
    const double radius = metrics.px(isSliderDown() || underMouse() ? 7 : 6);
    if (hasFocus()) {
        painter.setBrush(Colours::blend(colours.focus, ground, 0.3));
        painter.drawEllipse(QPointF(x, y), radius + metrics.px(2), radius + metrics.px(2));
    }
    painter.setPen(QPen(fill, 2 * metrics.scale));
    painter.setBrush(isEnabled() ? colours.raised : ground);
    painter.drawEllipse(QPointF(x, y), radius - metrics.scale, radius - metrics.scale);
}

}  // namespace lockstep::ui
