#include "window/status_panel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <algorithm>

#include "base/format.h"
#include "charts/number_text.h"
#include "experiment_store.h"
#include "theme/theme.h"
#include "widgets/stat_tile.h"

namespace lockstep::ui {
namespace {

const QString kNothing = QStringLiteral("–");

QString sampleRateUnit(const Prediction& prediction, const Catalogue& catalogue) {
    const auto found = std::find_if(catalogue.models.begin(), catalogue.models.end(), [&](const ModelSpec& model) {
        return model.key() == prediction.experiment.workload.model;
    });
    return found != catalogue.models.end() && found->readsText() ? StatusPanel::tr("sequences/s")
                                                                 : StatusPanel::tr("images/s");
}

QString bytesText(double bytes) { return QString::fromStdString(formatQuantity(bytes, "B")); }

}  // namespace

StatusPanel::StatusPanel(Theme& theme, ExperimentStore& store, QWidget* parent)
    : QWidget(parent),
      m_theme(theme),
      m_store(store),
      m_row(new QHBoxLayout(this)),
      m_sentence(new QLabel(this)),
      m_throughput(new StatTile(theme, tr("throughput, modelled"), this)),
      m_iteration(new StatTile(theme, tr("per iteration, modelled"), this)),
      m_efficiency(new StatTile(theme, tr("of linear scaling"), this)),
      m_globalBatch(new StatTile(theme, tr("global batch"), this)),
      m_memory(new StatTile(theme, tr("per device, modelled"), this)) {
    setAccessibleName(tr("What the modelled cluster does"));
    m_sentence->setWordWrap(true);
    m_sentence->setTextFormat(Qt::RichText);
    m_sentence->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_sentence->setFocusPolicy(Qt::NoFocus);
    m_sentence->setMinimumWidth(1);
    m_row->addWidget(m_sentence, 1);
    for (StatTile* tile : {m_throughput, m_iteration, m_efficiency, m_globalBatch, m_memory}) m_row->addWidget(tile);
    connect(&store, &ExperimentStore::experimentChanged, this, &StatusPanel::follow);
    connect(&theme, &Theme::themeChanged, this, &StatusPanel::restyle);
    restyle();
}

QString StatusPanel::sentence() const { return m_sentence->accessibleName(); }

void StatusPanel::follow() {
    const Prediction& p = m_store.prediction();
    const Explanation& why = m_store.explanation();
    const QString headline = QString::fromStdString(why.headline), detail = QString::fromStdString(why.detail);
    m_sentence->setText(QStringLiteral("<b style=\"color:%1\">%2</b> %3")
                            .arg(m_theme.colours().warning.name(), headline.toHtmlEscaped(), detail.toHtmlEscaped()));
    m_sentence->setAccessibleName(headline + QLatin1Char(' ') + detail);
    m_throughput->setValue(p.throughputSamplesPerS ? roundedText(*p.throughputSamplesPerS) + QLatin1Char(' ') +
                                                         sampleRateUnit(p, m_store.catalogue())
                                                   : kNothing);
    m_iteration->setValue(p.iterationTime_s ? durationText(*p.iterationTime_s) : kNothing);
    m_efficiency->setValue(p.scalingEfficiency ? percentText(*p.scalingEfficiency) : kNothing);
    m_globalBatch->setValue(QLocale().toString(p.globalBatch));
    m_memory->setValue(tr("%1 of %2", "memory used of the memory there is")
                           .arg(bytesText(p.memory.totalBytes()), bytesText(p.memory.capacityBytes)));
}

void StatusPanel::restyle() {
    const Metrics& m = m_theme.metrics();
    m_row->setContentsMargins(m.px(m.marginPx), m.px(6), m.px(m.marginPx), m.px(6));
    m_row->setSpacing(m.px(20));
    m_sentence->setFont(m.body);
    follow();
    update();
}

void StatusPanel::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.colours().surface);
    painter.fillRect(QRect(0, 0, width(), 1), m_theme.colours().hairline);
}

}  // namespace lockstep::ui
