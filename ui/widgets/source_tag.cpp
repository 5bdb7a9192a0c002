#include "widgets/source_tag.h"

#include <QPainter>

#include "theme/theme.h"

namespace lockstep::ui {

SourceTag::SourceTag(Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    connect(&theme, &Theme::themeChanged, this, [this] { updateGeometry(), update(); });
    setVisible(false);
}

void SourceTag::setSource(NumberSource source, const QString& detail) {
    m_source = source;
    m_shortText = source == NumberSource::Measured ? tr("measured") : tr("modelled");
    m_text = detail.isEmpty() ? m_shortText : m_shortText + QStringLiteral(" · ") + detail;
    setAccessibleName(m_text);
    setToolTip(source == NumberSource::Measured ? tr("%1: counted in a real run on this computer.").arg(m_text)
                                                : tr("Modelled: computed from the described cluster."));
    setVisible(source != NumberSource::None);
    updateGeometry();
    update();
}

QSize SourceTag::sizeHint() const {
    const QFontMetrics metrics(m_theme.metrics().small);
    return {metrics.horizontalAdvance(m_text) + m_theme.metrics().px(20), metrics.height() + m_theme.metrics().px(5)};
}

QSize SourceTag::minimumSizeHint() const {
    const QFontMetrics metrics(m_theme.metrics().small);
    return {metrics.horizontalAdvance(m_shortText) + m_theme.metrics().px(20), sizeHint().height()};
}

void SourceTag::paintEvent(QPaintEvent*) {
    const Colours& colours = m_theme.colours();
    const bool measured = m_source == NumberSource::Measured;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QPen pen(measured ? Colours::blend(colours.good, colours.goodSoft, 0.5)
                      : Colours::blend(colours.mutedText, colours.surface, 0.5));
    if (!measured) pen.setDashPattern({3, 3});
    painter.setPen(pen);
    painter.setBrush(measured ? colours.goodSoft : colours.surface);
    const QRectF pill = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
    painter.drawRoundedRect(pill, pill.height() / 2, pill.height() / 2);
    painter.setFont(m_theme.metrics().small);
    painter.setPen(measured ? colours.good : colours.mutedText);
    const QFontMetrics metrics(m_theme.metrics().small);
    const int room = width() - m_theme.metrics().px(14);
    painter.drawText(rect(), Qt::AlignCenter, metrics.elidedText(m_text, Qt::ElideRight, room));
}

}  // namespace lockstep::ui
