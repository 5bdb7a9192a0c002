#include "widgets/panel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QVBoxLayout>

#include "theme/theme.h"
#include "widgets/source_tag.h"

namespace lockstep::ui {

Panel::Panel(Theme& theme, const QString& title, NumberSource source, QWidget* parent)
    : QFrame(parent), m_theme(theme), m_title(new QLabel(this)), m_tag(new SourceTag(theme, this)) {
    m_title->setProperty("role", "heading");
    m_title->setMinimumWidth(1);
    m_outer = new QVBoxLayout(this);
    m_titleRow = new QHBoxLayout;
    m_titleRow->addWidget(m_title);
    m_titleRow->addStretch(1);
    m_titleRow->addWidget(m_tag);
    m_body = new QVBoxLayout;
    m_outer->addLayout(m_titleRow);
    m_outer->addLayout(m_body, 1);
    setTitle(title);
    setSource(source);
    restyle();
    connect(&theme, &Theme::themeChanged, this, &Panel::restyle);
}

void Panel::setTitle(const QString& title) {
    m_title->setText(title);
    m_title->setVisible(!title.isEmpty());
    setAccessibleName(title);
}

QString Panel::title() const { return m_title->text(); }

void Panel::setSource(NumberSource source, const QString& detail) { m_tag->setSource(source, detail); }

void Panel::setFlush() {
    m_flush = true;
    m_tag->hide();
    restyle();
}

void Panel::restyle() {
    const Metrics& m = m_theme.metrics();
    if (m_flush)
        m_outer->setContentsMargins(1, 1, 1, 1);
    else
        m_outer->setContentsMargins(m.px(12), m.px(6), m.px(12), m.px(6));
    m_outer->setSpacing(m_flush ? 0 : m.px(4));
    m_titleRow->setSpacing(m.px(6));
    update();
}

void Panel::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(m_theme.colours().hairline);
    painter.setBrush(m_theme.colours().surface);
    const double radius = m_theme.metrics().radiusPx;
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius);
}

}  // namespace lockstep::ui
