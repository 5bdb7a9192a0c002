#include "widgets/labeled_slider.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "theme/theme.h"
#include "widgets/help_button.h"

namespace lockstep::ui {

LabeledSlider::LabeledSlider(Theme& theme, Spec spec, QWidget* parent)
    : QWidget(parent),
      m_theme(theme),
      m_labelText(spec.label),
      m_label(new QLabel(spec.label, this)),
      m_help(new HelpButton(theme, spec.help, this)),
      m_box(new QuantityBox(spec.scale, spec.range, spec.unit, this)),
      m_slider(new ValueSlider(theme, spec.scale, this)) {
    m_slider->setTicksVisible(spec.ticks);
    m_label->setBuddy(m_box);
    m_row = new QHBoxLayout;
    m_row->addWidget(m_label);
    m_row->addWidget(m_help);
    m_row->addStretch(1);
    m_row->addWidget(m_box);
    m_column = new QVBoxLayout(this);
    m_column->setContentsMargins(0, 0, 0, 0);
    m_column->addLayout(m_row);
    m_column->addWidget(m_slider);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setTabOrder(m_slider, m_box);
    connect(m_slider, &ValueSlider::moved, this, &LabeledSlider::edited);
    connect(m_box, &QuantityBox::typed, this, &LabeledSlider::edited);
    connect(m_box, &QuantityBox::refused, this, &LabeledSlider::refused);
    connect(&theme, &Theme::themeChanged, this, &LabeledSlider::restyle);
    restyle();
    describe();
}

void LabeledSlider::showValue(double value, const QString& suffix) {
    m_slider->showValue(value);
    m_box->showValue(value, suffix);
    describe();
}

void LabeledSlider::setLimits(ValueScale scale, QuantityBox::Range range) {
    m_box->setScale(scale);
    m_box->setRange(std::move(range));
    m_slider->setScale(std::move(scale));
}

void LabeledSlider::setDisabledReason(const QString& reason) {
    m_slider->setEnabled(reason.isEmpty());
    m_box->setEnabled(reason.isEmpty());
    m_label->setEnabled(reason.isEmpty());
    setToolTip(reason);
    setAccessibleDescription(reason);
}

/// A screen reader hears the quantity with its unit, not the position of the handle.
void LabeledSlider::describe() {
    const QString value = m_box->text();
    m_slider->setAccessibleName(tr("%1: %2", "name and value of a slider").arg(m_labelText, value));
    m_slider->setAccessibleDescription(m_help->content().text);
    m_box->setAccessibleName(m_labelText);
    m_box->setAccessibleDescription(m_help->content().unit);
}

void LabeledSlider::restyle() {
    m_row->setSpacing(m_theme.metrics().px(6));
    m_column->setSpacing(m_theme.metrics().px(1));
}

}  // namespace lockstep::ui
