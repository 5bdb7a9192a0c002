#include "charts/plot.h"

#include <QVBoxLayout>
#include <cmath>

#include "charts/number_text.h"
#include "charts/plot_view.h"
#include "theme/theme.h"

namespace lockstep::ui {

Plot::Plot(Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme), m_view(new PlotView(theme, this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_view);
    setFocusPolicy(Qt::TabFocus);
    connect(&theme, &Theme::themeChanged, m_view, &PlotView::restyle);
}

void Plot::setData(const ChartData& data) {
    m_view->setData(data);
    describe();
}

const ChartData& Plot::data() const { return m_view->data(); }

void Plot::setSubject(const QString& subject) {
    m_subject = subject;
    setAccessibleName(subject);
}

void Plot::resetView() { m_view->resetView(); }

QSize Plot::sizeHint() const {
    const Metrics& m = m_theme.metrics();
    return {m.px(340), m.px(130)};
}

QSize Plot::minimumSizeHint() const {
    const int line = QFontMetrics(m_theme.metrics().small).height();
    return {line * 10, line * 5};
}

std::vector<Plot::PlacedText> Plot::placedTexts() const { return m_view->placedTexts(); }

void Plot::describe() {
    const ChartData& shown = data();
    QStringList parts;
    if (!shown.notice.isEmpty()) parts << shown.notice;
    if (shown.present)
        parts
            << tr("now %1 at %2 %3").arg(numberText(shown.present->y()), numberText(shown.present->x()), shown.x.title);
    for (const Curve& curve : shown.curves) {
        if (curve.points.empty() || !std::isfinite(curve.points.back().y())) continue;
        parts << tr("%1: %2 at %3")
                     .arg(curve.name, numberText(curve.points.back().y()), numberText(curve.points.back().x()));
    }
    setAccessibleDescription(parts.join(QStringLiteral("; ")));
}

}  // namespace lockstep::ui
