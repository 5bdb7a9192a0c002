#include "controls/controls_panel.h"

#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>

#include "controls/architecture_choice.h"
#include "controls/section.h"
#include "controls/setting_choice.h"
#include "controls/setting_slider.h"
#include "theme/theme.h"

namespace lockstep::ui {

ControlsPanel::ControlsPanel(Theme& theme, ExperimentStore& store, QWidget* parent)
    : Panel(theme, QString(), NumberSource::None, parent), m_theme(theme), m_store(store) {
    setAccessibleName(tr("Experiment"));
    setFlush();
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setFocusPolicy(Qt::NoFocus);
    QWidget* content = makeContent();
    scroll->setWidget(content);
    scroll->viewport()->setAutoFillBackground(false);
    content->setAutoFillBackground(false);
    body()->addWidget(scroll);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Expanding);
    // Wide enough for the settings of folded sections, too, so that unfolding one moves nothing.
    const auto fit = [this, content, scroll] {
        int widest = content->minimumSizeHint().width();
        for (const QWidget* setting : content->findChildren<QWidget*>())
            if (setting->objectName().contains(QLatin1Char('.')))
                widest = std::max(widest, setting->minimumSizeHint().width() + 2 * m_theme.metrics().marginPx);
        setMinimumWidth(widest + scroll->verticalScrollBar()->sizeHint().width() + 2);
    };
    connect(&theme, &Theme::themeChanged, this, fit);
    fit();
}

QWidget* ControlsPanel::makeContent() {
    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    for (Section* section :
         {architectureSection(), clusterSection(), trainingSection(), limitsSection(), dataSection(), moreSection()})
        column->addWidget(section);
    column->addStretch(1);
    return content;
}

SettingSlider* ControlsPanel::watched(SettingSlider* slider) {
    connect(slider, &LabeledSlider::refused, this, &ControlsPanel::noticeRaised);
    return slider;
}

Section* ControlsPanel::architectureSection() {
    auto* section = new Section(m_theme, tr("Architecture"), Section::Kind::Fixed);
    section->setFirst();
    section->add(new ArchitectureChoice(m_theme, m_store));
    return section;
}

QStringList ControlsPanel::keys() const {
    QStringList keys;
    for (const QWidget* widget : findChildren<QWidget*>())
        if (widget->objectName().contains(QLatin1Char('.'))) keys << widget->objectName();
    return keys;
}

}  // namespace lockstep::ui
