#include "stage/cluster_painter.h"

#include <QCoreApplication>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "charts/number_text.h"
#include "stage/cluster_text.h"

namespace lockstep::ui {
namespace {

QString tr(const char* text) { return QCoreApplication::translate("ClusterPainter", text); }
constexpr int kSquares = 8;  ///< a model copy is drawn as this many

}  // namespace

double linkWidth(double bandwidthBitPerS) {
    return std::clamp(1 + 0.25 * std::log2(std::max(bandwidthBitPerS, 1.0) / 1e9), 0.75, 4.0);
}

QColor ClusterPainter::borderOf(const LaidNode& node) const {
    if (node.server) return m_colours.seriesColour(node.first);
    return Colours::blend(m_colours.mutedText, m_colours.surface, 0.6);
}

void ClusterPainter::paintLinks(QPainter& painter) const {
    const double width = linkWidth(m_prediction.experiment.cluster.linkBandwidthBitPerS);
    const bool dense = m_layout.edges.size() > 200;
    const QColor colour = Colours::blend(m_colours.mutedText, m_colours.surface, dense ? 0.22 : 0.38);
    painter.setPen(QPen(colour, (dense ? std::min(width, 1.0) : width) * m_theme.metrics().scale));
    std::vector<QLineF> lines;
    lines.reserve(m_layout.edges.size());
    const bool rows = m_layout.counts.shape == ClusterShape::Servers || m_layout.counts.shape == ClusterShape::Star;
    for (const LaidEdge& edge : m_layout.edges) {
        const LaidNode &from = m_layout.nodes[static_cast<size_t>(edge.from)],
                       &to = m_layout.nodes[static_cast<size_t>(edge.to)];
        if (rows)
            lines.emplace_back(QPointF(from.card.center().x(), std::max(from.card.bottom(), from.caption.bottom())),
                               QPointF(to.card.center().x(), to.card.top()));
        else
            lines.emplace_back(from.card.center(), to.card.center());
    }
    painter.drawLines(lines.data(), static_cast<int>(lines.size()));
}

void ClusterPainter::paintNodes(QPainter& painter) const {
    for (const LaidNode& node : m_layout.nodes) {
        // States are written over links, on a plate of their own.
        if (!node.server && !node.caption.isNull())
            painter.fillRect(node.caption.adjusted(10, 2, -10, 0), m_colours.surface);
        node.count > 1 ? paintGroup(painter, node) : paintCard(painter, node);
    }
}

/// Squares coloured by the server that holds each part; one colour where no server does.
void ClusterPainter::paintModelCopy(QPainter& painter, const QRectF& area, int rows, int firstSlice, int slices) const {
    const double gap = std::max(1.0, std::floor(m_theme.metrics().scale * 2));
    const int columns = 4;
    const double side =
        std::floor(std::min((area.width() - gap * (columns - 1)) / columns, (area.height() - gap * (rows - 1)) / rows));
    if (side < 2) return;
    const double left = area.right() - columns * side - (columns - 1) * gap;
    for (int i = 0; i < rows * columns; ++i) {
        const int slice = slices <= 1 ? firstSlice : firstSlice + i * std::min(slices, kSquares) / (rows * columns);
        painter.fillRect(QRectF(left + (i % columns) * (side + gap),
                                std::floor(area.top()) + (i / columns) * (side + gap), side, side),
                         m_colours.seriesColour(slice));
    }
}

void ClusterPainter::paintShard(QPainter& painter, const QRectF& bar, int worker, bool named) const {
    const QColor colour = m_colours.seriesGrounds[static_cast<size_t>(worker) % m_colours.seriesGrounds.size()];
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawRoundedRect(bar, 2, 2);
    if (!named) return;
    const QFontMetricsF metrics(m_theme.metrics().small);
    QString text = m_layout.counts.workers == 1 ? tr("all data") : tr("shard %1").arg(worker + 1);
    if (metrics.horizontalAdvance(text) > bar.width() - 4) text = QString::number(worker + 1);
    if (metrics.height() > bar.height() + 3 || metrics.horizontalAdvance(text) > bar.width() - 4) return;
    painter.setFont(m_theme.metrics().small);
    painter.setPen(Colours::readableOn(colour));
    painter.drawText(bar, Qt::AlignCenter, text);
}

/// The link's use as a bar at the foot of a server: sending above, receiving below, thicker with capacity.
void ClusterPainter::paintUse(QPainter& painter, const LaidNode& node) const {
    if (!node.server || !m_prediction.fits || node.caption.isEmpty()) return;
    const double height =
        std::min(node.caption.height() / 2,
                 linkWidth(m_prediction.experiment.cluster.linkBandwidthBitPerS) * m_theme.metrics().scale * 1.4);
    const QRectF track(node.card.left(), node.card.bottom() + 1, node.card.width(), 2 * height);
    painter.fillRect(track, Colours::blend(m_colours.mutedText, m_colours.surface, 0.18));
    painter.fillRect(QRectF(track.topLeft(), QSizeF(track.width() * linkUse(m_prediction, true, true), height)),
                     m_colours.pull);
    painter.fillRect(
        QRectF(track.left(), track.top() + height, track.width() * linkUse(m_prediction, true, false), height),
        m_colours.push);
}

void ClusterPainter::paintCard(QPainter& painter, const LaidNode& node) const {
    const Metrics& m = m_theme.metrics();
    const double u = m.scale;
    const QRectF& card = node.card;
    if (node.detail == NodeDetail::Mini) {
        painter.setPen(QPen(m_colours.surface, 1));
        painter.setBrush(m_colours.seriesColour(node.first));
        painter.drawRoundedRect(card, node.server ? 0 : 3 * u, node.server ? 0 : 3 * u);
        paintUse(painter, node);
        return;
    }
    painter.setPen(QPen(borderOf(node), (node.server ? 1.75 : 1.25) * u));
    painter.setBrush(m_colours.surface);
    painter.drawRoundedRect(card, 5 * u, 5 * u);
    const QFontMetricsF strong(m.strong);
    if (node.detail == NodeDetail::Compact) {
        painter.setFont(m.small);
        painter.setPen(m_colours.text);
        painter.drawText(QRectF(card.left(), card.top() + 2 * u, card.width(), card.height() - 10 * u), Qt::AlignCenter,
                         nodeName(node));
        paintShard(painter, {card.left() + 5 * u, card.bottom() - 9 * u, card.width() - 10 * u, 5 * u}, node.first,
                   false);
        paintUse(painter, node);
        return;
    }
    const double pad = 8 * u;
    painter.setFont(m.strong);
    painter.setPen(m_colours.text);
    painter.drawText(QRectF(card.left() + pad, card.top() + 5 * u, card.width() - 2 * pad, strong.height()),
                     Qt::AlignLeft | Qt::AlignVCenter, nodeName(node));
    const double copyWidth = 36 * u;
    const QRectF copy(card.right() - pad - copyWidth, card.top() + 6 * u, copyWidth, strong.height() + 1 * u);
    if (node.server) {
        paintModelCopy(painter, copy, 1, node.first, 1);
        painter.setFont(m.small);
        painter.setPen(m_colours.mutedText);
        painter.drawText(QRectF(card.left() + pad, card.top() + 8 * u + strong.height(), card.width() - 1.2 * pad,
                                QFontMetricsF(m.small).height()),
                         Qt::AlignLeft | Qt::AlignVCenter, sliceText(m_layout.counts.servers));
        paintUse(painter, node);
        return;
    }
    const bool own = m_prediction.experiment.training.synchronization == SynchronizationKind::None;
    // A copy that nothing keeps equal to the others takes its worker's own colour.
    paintModelCopy(painter, copy, 2, own ? node.first : 0, own ? 1 : m_layout.counts.servers);
    const double barHeight = QFontMetricsF(m.small).height();
    paintShard(painter, {card.left() + pad, card.bottom() - barHeight - 7 * u, card.width() - 2 * pad, barHeight},
               node.first, true);
}

void ClusterPainter::paintGroup(QPainter& painter, const LaidNode& node) const {
    const Metrics& m = m_theme.metrics();
    const double u = m.scale;
    const QFontMetricsF small(m.small);
    // Two cards behind it say that there are more.
    painter.setBrush(m_colours.surface);
    painter.setPen(QPen(Colours::blend(m_colours.mutedText, m_colours.surface, 0.4), u));
    const double inset = std::min(6 * u, node.card.width() * 0.08);
    for (const double k : {2.0, 1.0, 0.0}) {
        const QRectF card = node.card.adjusted(k * inset / 2, 0, -k * inset / 2, -(2 - k) * 2 * u);
        if (k == 0) painter.setPen(QPen(m_colours.accent, 1.25 * u));
        painter.drawRoundedRect(card, 5 * u, 5 * u);
    }
    const QRectF text = node.card.adjusted(2 * u, 2 * u, -2 * u, -6 * u);
    const QString times = QStringLiteral("×") + numberText(node.count);
    const bool twoLines = text.height() >= 2 * small.height() - 2;
    painter.setFont(m.small);
    painter.setPen(m_colours.text);
    const QString name = small.elidedText(nodeName(node), Qt::ElideRight, text.width());
    if (!twoLines) {
        painter.drawText(text, Qt::AlignCenter, small.horizontalAdvance(times) <= text.width() ? times : QString());
        return;
    }
    painter.drawText(text.adjusted(0, 0, 0, -text.height() / 2), Qt::AlignHCenter | Qt::AlignBottom, name);
    painter.setFont(m.strong);
    painter.setPen(m_colours.accent);
    painter.drawText(text.adjusted(0, text.height() / 2, 0, 0), Qt::AlignHCenter | Qt::AlignTop, times);
}

void ClusterPainter::paintHighlight(QPainter& painter, int node) const {
    if (node < 0 || node >= static_cast<int>(m_layout.nodes.size())) return;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(m_colours.accent, 2 * m_theme.metrics().scale));
    painter.drawRoundedRect(m_layout.nodes[static_cast<size_t>(node)].card.adjusted(-1.5, -1.5, 1.5, 1.5), 6, 6);
}

}  // namespace lockstep::ui
