#include "window/notice_bar.h"

#include <QAccessible>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QToolButton>

#include "quiz/glyph.h"
#include "theme/theme.h"

namespace lockstep::ui {
namespace {

constexpr int kShown_ms = 15'000;

}  // namespace

NoticeBar::NoticeBar(Theme& theme, QWidget* parent)
    : QFrame(parent), m_theme(theme), m_label(new QLabel(this)), m_close(new QToolButton(this)) {
    m_label->setWordWrap(true);
    m_label->setTextFormat(Qt::PlainText);
    m_label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_close->setProperty("role", "plain");
    m_close->setToolTip(tr("Close this notice"));
    m_close->setAccessibleName(m_close->toolTip());
    auto* layout = new QHBoxLayout(this);
    layout->addWidget(m_label, 1);
    layout->addWidget(m_close, 0, Qt::AlignTop);
    m_hide.setSingleShot(true);
    m_hide.setInterval(kShown_ms);
    connect(&m_hide, &QTimer::timeout, this, &QWidget::hide);
    connect(m_close, &QToolButton::clicked, this, &QWidget::hide);
    connect(&theme, &Theme::themeChanged, this, &NoticeBar::restyle);
    restyle();
    hide();
}

void NoticeBar::show(const QString& line) {
    m_label->setText(line);
    m_label->setAccessibleName(line);
    setVisible(!line.isEmpty());
    if (line.isEmpty()) return;
    m_hide.start();
    emit shown();
    QAccessibleEvent event(m_label, QAccessible::Alert);
    QAccessible::updateAccessibility(&event);
}

QString NoticeBar::text() const { return isHidden() ? QString() : m_label->text(); }

void NoticeBar::enterEvent(QEnterEvent*) { m_hide.stop(); }

void NoticeBar::leaveEvent(QEvent*) { m_hide.start(); }

void NoticeBar::restyle() {
    const Metrics& m = m_theme.metrics();
    layout()->setContentsMargins(m.gapPx + m.px(m.marginPx), m.gapPx + m.px(5), m.gapPx + m.px(6), m.px(5));
    m_label->setFont(m.body);
    m_close->setIcon(glyphIcon(QStringLiteral("close"), m.px(14), m_theme.colours().text, m_theme.colours().mutedText));
    update();
}

void NoticeBar::paintEvent(QPaintEvent*) {
    const Colours& c = m_theme.colours();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(c.warning);
    painter.setBrush(c.warningSoft);
    const double gap = m_theme.metrics().gapPx;
    const double radius = m_theme.metrics().radiusPx;
    painter.drawRoundedRect(QRectF(rect()).adjusted(gap + 0.5, gap + 0.5, -gap - 0.5, -0.5), radius, radius);
}

}  // namespace lockstep::ui
