#include "controls/section.h"

#include <QLabel>
#include <QPainter>
#include <QToolButton>
#include <QVBoxLayout>

#include "theme/theme.h"

namespace lockstep::ui {

Section::Section(Theme& theme, const QString& title, Kind kind, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_content(new QWidget(this)) {
    m_outer = new QVBoxLayout(this);
    if (kind == Kind::Collapsible) {
        m_button = new QToolButton(this);
        m_button->setProperty("role", "plain");
        m_button->setText(title);
        m_button->setCheckable(true);
        m_button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        m_button->setArrowType(Qt::RightArrow);
        m_outer->addWidget(m_button, 0, Qt::AlignLeft);
        connect(m_button, &QToolButton::toggled, this, &Section::setExpanded);
    } else {
        auto* label = new QLabel(title.toUpper(), this);
        label->setProperty("role", "section");
        label->setAccessibleName(title);
        m_outer->addWidget(label);
    }
    m_inner = new QVBoxLayout(m_content);
    m_inner->setContentsMargins(0, 0, 0, 0);
    m_outer->addWidget(m_content);
    m_content->setVisible(kind == Kind::Fixed);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    connect(&theme, &Theme::themeChanged, this, &Section::restyle);
    restyle();
}

void Section::add(QWidget* widget) { m_inner->addWidget(widget); }

void Section::setExpanded(bool expanded) {
    if (!m_button) return;
    m_button->setChecked(expanded);
    m_button->setArrowType(expanded ? Qt::DownArrow : Qt::RightArrow);
    m_content->setVisible(expanded);
}

bool Section::isExpanded() const { return !m_button || m_button->isChecked(); }

void Section::restyle() {
    const Metrics& m = m_theme.metrics();
    const bool collapsible = m_button != nullptr;
    m_outer->setContentsMargins(m.marginPx, m.px(collapsible ? 2 : 8), m.marginPx, m.px(collapsible ? 2 : 6));
    m_outer->setSpacing(m.px(5));
    m_inner->setSpacing(m.px(5));
}

void Section::paintEvent(QPaintEvent*) {
    if (m_first) return;
    QPainter painter(this);
    painter.setPen(m_theme.colours().hairline);
    painter.drawLine(0, 0, width(), 0);
}

}  // namespace lockstep::ui
