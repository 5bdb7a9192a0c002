#include "quiz/margin_scroll_area.h"

#include <QScrollBar>
#include <QVBoxLayout>

#include "theme/theme.h"

namespace lockstep::ui {

MarginScrollArea::MarginScrollArea(Theme& theme, QWidget* parent) : QScrollArea(parent), m_theme(theme) {
    auto* content = new QWidget;
    m_column = new QVBoxLayout(content);
    setWidget(content);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::NoFocus);
    viewport()->setAutoFillBackground(false);
    content->setAutoFillBackground(false);
    connect(verticalScrollBar(), &QScrollBar::rangeChanged, this, &MarginScrollArea::placeMargins);
    connect(&theme, &Theme::themeChanged, this, &MarginScrollArea::placeMargins);
    placeMargins();
}

void MarginScrollArea::placeMargins() {
    const Metrics& m = m_theme.metrics();
    const QScrollBar* bar = verticalScrollBar();
    const int barWidth = bar->maximum() > 0 ? bar->sizeHint().width() : 0;
    m_column->setContentsMargins(m.marginPx, m.px(8), std::max(0, m.marginPx - barWidth), m.px(10));
    verticalScrollBar()->setSingleStep(m.px(24));
}

}  // namespace lockstep::ui
