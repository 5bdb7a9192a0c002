#include "widgets/quantity_box.h"

#include <QDateTime>
#include <QKeyEvent>
#include <QLineEdit>
#include <cmath>

#include "base/format.h"

namespace lockstep::ui {

QuantityBox::QuantityBox(ValueScale scale, Range range, QString unit, QWidget* parent)
    : QAbstractSpinBox(parent), m_scale(std::move(scale)), m_range(std::move(range)), m_unit(std::move(unit)) {
    setButtonSymbols(NoButtons);
    setAlignment(Qt::AlignRight);
    setKeyboardTracking(false);
    connect(this, &QAbstractSpinBox::editingFinished, this, &QuantityBox::takeText);
}

QString QuantityBox::textOf(double value) const {
    if (value == 0 && !m_range.zeroText.isEmpty()) return m_range.zeroText;
    if (m_range.integer && m_unit.isEmpty()) return QString::number(static_cast<qint64>(std::llround(value)));
    return QString::fromStdString(formatQuantity(value, m_unit.toStdString()));
}

void QuantityBox::showValue(double value, const QString& suffix) {
    const bool typing = hasFocus() && lineEdit()->isModified();
    if (value == m_value && suffix == m_suffix && typing) return;
    const bool resized = suffix.size() != m_suffix.size();
    m_value = value;
    m_suffix = suffix;
    showText();
    if (resized) updateGeometry();
}

void QuantityBox::showText() {
    const QString text = textOf(m_value) + m_suffix;
    if (lineEdit()->text() != text) lineEdit()->setText(text);
    lineEdit()->setModified(false);
}

void QuantityBox::takeText() {
    QString text = lineEdit()->text();
    if (text == textOf(m_value) + m_suffix) return;
    if (!m_suffix.isEmpty() && text.endsWith(m_suffix)) text.chop(m_suffix.size());
    if (!m_range.zeroText.isEmpty() && text.trimmed() == m_range.zeroText) return showText();
    const auto parsed = parseQuantity(text.trimmed().toStdString(), m_unit.toStdString());
    if (!parsed) {
        showText();
        emit refused(QString::fromStdString(parsed.error().message));
        return;
    }
    const double value = m_range.integer ? std::round(*parsed) : *parsed;
    const bool zero = value == 0 && m_range.zeroAllowed;
    if (!zero && (value < m_range.minimum || value > m_range.maximum)) {
        showText();
        emit refused(tr("%1 is out of range: %2 to %3 is allowed")
                         .arg(text.trimmed(), textOf(m_range.minimum), textOf(m_range.maximum)));
        return;
    }
    announce(value, ++m_gesture);
    showText();
}

void QuantityBox::announce(double value, int gesture) {
    if (value == m_value) return;
    m_value = value;
    emit typed(value, gesture);
}

void QuantityBox::stepBy(int steps) {
    const qint64 now = QDateTime::currentMSecsSinceEpoch();
    if (now - m_lastStepMs > 700) ++m_gesture;
    m_lastStepMs = now;
    double value = m_value;
    if (std::abs(steps) >= 10)
        value = m_scale.paged(value, steps);
    else
        value = m_scale.stepped(value, steps);
    announce(value, m_gesture);
    showText();
    selectAll();
}

QValidator::State QuantityBox::validate(QString&, int&) const { return QValidator::Acceptable; }

void QuantityBox::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape && lineEdit()->isModified()) {
        showText();
        selectAll();
        return;
    }
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
        // Kept from the window, where Enter means the next question.
        takeText();
        selectAll();
        return event->accept();
    }
    QAbstractSpinBox::keyPressEvent(event);
}

void QuantityBox::wheelEvent(QWheelEvent* event) {
    if (!hasFocus()) return event->ignore();
    QAbstractSpinBox::wheelEvent(event);
}

void QuantityBox::focusOutEvent(QFocusEvent* event) {
    takeText();
    QAbstractSpinBox::focusOutEvent(event);
}

QSize QuantityBox::sizeHint() const {
    const QFontMetrics metrics(font());
    const int widest = std::max(metrics.horizontalAdvance(QStringLiteral("400 Gbit/s")),
                                metrics.horizontalAdvance(textOf(m_value) + m_suffix));
    return {widest + metrics.averageCharWidth() * 2 + 4, metrics.height() + metrics.height() / 3};
}

QSize QuantityBox::minimumSizeHint() const { return sizeHint(); }

}  // namespace lockstep::ui
