#include "stage/cluster_view.h"

#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <cmath>

#include "charts/number_text.h"
#include "experiment_store.h"
#include "stage/cluster_painter.h"
#include "stage/cluster_text.h"
#include "stage/fault_menu.h"
#include "stage/phase_style.h"
#include "stage/playback.h"
#include "theme/theme.h"

namespace lockstep::ui {
namespace {

constexpr int kSpriteKinds = 2;  ///< square weights, round gradients

LayoutMetrics layoutMetrics(const Metrics& m, const ClusterCounts& counts) {
    const QFontMetricsF small(m.small), strong(m.strong);
    const LaidNode last{true, std::max(0, counts.servers - 1), 1, NodeDetail::Full, {}, {}};
    const double serverText = std::max(small.horizontalAdvance(sliceText(counts.servers)),
                                       strong.horizontalAdvance(nodeName(last)) + 44 * m.scale);
    return {small.height(), strong.height(), small.averageCharWidth() * 1.12, m.scale, serverText};
}

}  // namespace

ClusterView::ClusterView(Theme& theme, ExperimentStore& store, Playback& playback, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_store(store), m_playback(playback) {
    setMouseTracking(true);
    setFocusPolicy(Qt::TabFocus);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(tr("Cluster diagram (modelled)"));
    connect(&store, &ExperimentStore::experimentChanged, this, &ClusterView::follow);
    connect(&theme, &Theme::themeChanged, this, &ClusterView::restyle);
    connect(&playback, &Playback::positionChanged, this, qOverload<>(&QWidget::update));
    playback.watch(this);
    follow();
}

void ClusterView::follow() {
    const ClusterCounts counts = clusterCounts(m_store.experiment());
    if (counts.shape != m_layout.counts.shape || m_page.firstWorker >= counts.workers ||
        m_page.firstServer >= counts.servers)
        m_page = {};
    m_traffic = Traffic(m_store.timeline());
    if (!(counts == m_layout.counts)) m_layoutStale = true;
    m_staticStale = true;
    describe();
    update();
}

void ClusterView::restyle() {
    m_layoutStale = m_staticStale = m_spritesStale = true;
    updateGeometry();
    update();
}

void ClusterView::describe() {
    const ClusterLayout counted{clusterCounts(m_store.experiment()), {}, {}, {}, 0};
    setAccessibleDescription(clusterDescription(counted, m_store.prediction()));
}

QSize ClusterView::sizeHint() const {
    const Metrics& m = m_theme.metrics();
    return {m.px(740), m.px(260)};
}

QSize ClusterView::minimumSizeHint() const {
    const Metrics& m = m_theme.metrics();
    return {m.px(260), m.px(150)};
}

QRectF ClusterView::legendRect() const {
    const QFontMetricsF small(m_theme.metrics().small);
    const double needed = small.height() + m_theme.metrics().px(4);
    if (height() < 10 * small.height()) return {};
    return {0.0, height() - needed, static_cast<double>(width()), needed};
}

void ClusterView::layOut() {
    const Metrics& m = m_theme.metrics();
    const QFontMetricsF small(m.small);
    m_titleRect = QRectF(0, 0, width(), small.height() + m.px(4));
    const double bottom = legendRect().isNull() ? height() - m.px(2) : legendRect().top() - m.px(4);
    const QRectF area(m.px(2), m_titleRect.bottom() + m.px(4), width() - m.px(4),
                      bottom - m_titleRect.bottom() - m.px(4));
    const ClusterCounts counts = clusterCounts(m_store.experiment());
    m_layout = layoutCluster(counts, area, layoutMetrics(m, counts), m_page);
    m_layoutStale = false;
    m_staticStale = true;
    m_hovered = -1;
}

void ClusterView::renderStatic() {
    const double ratio = devicePixelRatioF();
    const QSize wanted(static_cast<int>(std::ceil(width() * ratio)), static_cast<int>(std::ceil(height() * ratio)));
    if (m_static.size() != wanted) m_static = QPixmap(wanted);
    m_static.setDevicePixelRatio(ratio);
    m_static.fill(m_theme.colours().surface);
    QPainter painter(&m_static);
    painter.setRenderHint(QPainter::Antialiasing);
    const ClusterPainter cluster(m_theme, m_layout, m_store.prediction());
    if (m_store.experiment().training.synchronization != SynchronizationKind::None) cluster.paintLinks(painter);
    cluster.paintNodes(painter);
    paintNotes(painter);
    paintLegend(painter);
    if (!m_store.prediction().fits) paintMisfit(painter);
    m_staticStale = false;
}

/// The link's use and each worker's share: beside the servers where there is room, else at the end of the top line.
void ClusterView::paintNotes(QPainter& painter) {
    const Metrics& m = m_theme.metrics();
    const Prediction& prediction = m_store.prediction();
    const QFontMetricsF small(m.small);
    m_titleRoom = width();
    const QString use = linkUseText(prediction), share = shareText(prediction);
    const bool limits =
        prediction.bottleneck == Bottleneck::ServerLink || prediction.bottleneck == Bottleneck::WorkerLink;
    const QColor useColour = limits ? m_theme.colours().warning : m_theme.colours().mutedText;
    painter.setFont(limits ? m.strong : m.small);
    const double useWidth = painter.fontMetrics().horizontalAdvance(use) + 2,
                 shareWidth = small.horizontalAdvance(share) + 2;

    QRectF servers;
    for (const LaidNode& node : m_layout.nodes)
        if (node.server) servers = servers.united(node.card);
    const double gap = m.px(10);
    if (!servers.isNull() && useWidth + gap <= servers.left() && shareWidth + gap <= width() - servers.right()) {
        painter.setPen(useColour);
        painter.drawText(QRectF(0, servers.top(), servers.left() - gap, servers.height()),
                         Qt::AlignRight | Qt::AlignVCenter, use);
        painter.setFont(m.small);
        painter.setPen(m_theme.colours().mutedText);
        painter.drawText(
            QRectF(servers.right() + gap, servers.top(), width() - servers.right() - gap, servers.height()),
            Qt::AlignLeft | Qt::AlignVCenter, share);
        return;
    }
    // The phase's sentence comes first; what fits beside its usual length stands at the right.
    double right = width();
    const double phaseRoom = small.averageCharWidth() * 44;
    const auto addRight = [&](const QString& text, const QFont& font, const QColor& colour, double w) {
        if (text.isEmpty() || right - w < phaseRoom) return;
        painter.setFont(font);
        painter.setPen(colour);
        painter.drawText(QRectF(right - w, m_titleRect.top(), w, m_titleRect.height()),
                         Qt::AlignRight | Qt::AlignVCenter, text);
        right -= w + m.px(16);
    };
    addRight(use, limits ? m.strong : m.small, useColour, useWidth);
    addRight(share, m.small, m_theme.colours().mutedText, shareWidth);
    m_titleRoom = right;
}

void ClusterView::paintLegend(QPainter& painter) {
    const QRectF line = legendRect();
    if (line.isNull()) return;
    const Metrics& m = m_theme.metrics();
    const Colours& colours = m_theme.colours();
    const QFontMetricsF small(m.small);
    const bool servers = m_layout.counts.shape == ClusterShape::Servers;
    const double side = m.px(8), middle = line.center().y();
    double x = 0;
    painter.setFont(m.small);
    const auto add = [&](int shape, const QString& text) {
        const double swatch = shape == 1 ? 2 * side : side;
        const double w = swatch + m.px(5) + small.horizontalAdvance(text);
        if (x + w > line.width()) return;
        const QRectF box(x, middle - side / 2, side, side);
        painter.setPen(Qt::NoPen);
        if (shape == 0) {
            painter.fillRect(box, colours.seriesColour(0));
        } else if (shape == 1) {
            // Each worker's has its own colour: here stand two of them.
            painter.fillRect(QRectF(x, middle - side / 4, side, side / 2), colours.seriesColour(2));
            painter.fillRect(QRectF(x + side, middle - side / 4, side, side / 2), colours.seriesColour(3));
        } else {
            // What travels has its server's or its rank's colour: here stands the shape alone.
            painter.setPen(QPen(colours.mutedText, 1.5));
            painter.setBrush(colours.surface);
            painter.drawEllipse(box);
        }
        painter.setPen(colours.mutedText);
        painter.drawText(QRectF(x + swatch + m.px(5), line.top(), w, line.height()), Qt::AlignLeft | Qt::AlignVCenter,
                         text);
        x += w + m.px(14);
    };
    add(0, servers ? tr("weights, coloured by server") : tr("weights: each worker's own copy"));
    add(1, tr("data shards"));
    if (!m_layout.edges.empty()) add(2, tr("weights or gradients on the wire"));
}

void ClusterView::paintMisfit(QPainter& painter) {
    const Prediction& prediction = m_store.prediction();
    const Metrics& m = m_theme.metrics();
    const QString text =
        prediction.maxBatchPerWorker > 0
            ? tr("A batch of %1 per worker does not fit in the device's memory.\nThe largest that fits is %2.")
                  .arg(numberText(prediction.experiment.training.batchPerWorker),
                       numberText(static_cast<double>(prediction.maxBatchPerWorker)))
            : tr("This model does not fit in the device's memory, whatever the batch.");
    painter.setFont(m.strong);
    const QRectF room(width() * 0.1, 0, width() * 0.8, height());
    const QRectF needed = painter.boundingRect(room, Qt::AlignCenter | Qt::TextWordWrap, text);
    painter.setPen(QPen(m_theme.colours().warning, m.scale));
    painter.setBrush(m_theme.colours().warningSoft);
    painter.drawRoundedRect(needed.adjusted(-m.px(14), -m.px(8), m.px(14), m.px(8)), m.radiusPx, m.radiusPx);
    painter.setPen(m_theme.colours().warning);
    painter.drawText(room, Qt::AlignCenter | Qt::TextWordWrap, text);
}

/// One row per kind, one column per series colour; each packet is a fragment of this.
void ClusterView::renderSprites() {
    const double ratio = devicePixelRatioF();
    const int side = static_cast<int>(std::ceil(m_theme.metrics().px(12) * ratio));
    const auto& series = m_theme.colours().series;
    m_sprites = QPixmap(side * static_cast<int>(series.size()), side * kSpriteKinds);
    m_sprites.fill(Qt::transparent);
    QPainter painter(&m_sprites);
    painter.setRenderHint(QPainter::Antialiasing);
    const double inset = side * 0.12;
    for (size_t i = 0; i < series.size(); ++i) {
        painter.setPen(QPen(m_theme.colours().surface, std::max(1.0, side * 0.1)));
        painter.setBrush(series[i]);
        const QRectF cell(static_cast<double>(i) * side, 0, side, side);
        painter.drawRoundedRect(cell.adjusted(inset, inset, -inset, -inset), side * 0.1, side * 0.1);
        painter.drawEllipse(cell.translated(0, side).adjusted(inset, inset, -inset, -inset));
    }
    m_spritesStale = false;
}

void ClusterView::paintPackets(QPainter& painter) {
    const std::vector<Packet> packets = packetsAt(m_layout, m_traffic, m_playback.position_s());
    m_packetCount = static_cast<int>(packets.size());
    if (packets.empty()) return;
    const int columns = static_cast<int>(m_theme.colours().series.size());
    const double side = m_sprites.width() / columns;
    // Many links want smaller packets.
    const double scale = (m_layout.edges.size() > 120 ? 0.6 : 1.0) / devicePixelRatioF();
    std::vector<QPainter::PixmapFragment> fragments;
    fragments.reserve(packets.size());
    for (const Packet& packet : packets)
        fragments.push_back(QPainter::PixmapFragment::create(
            packet.at, QRectF((packet.colour % columns) * side, packet.gradient ? side : 0, side, side), scale, scale));
    painter.drawPixmapFragments(fragments.data(), static_cast<int>(fragments.size()), m_sprites);
}

void ClusterView::paintStates(QPainter& painter) {
    painter.setFont(m_theme.metrics().small);
    painter.setPen(m_theme.colours().mutedText);
    if (m_traffic.empty()) return;
    for (const LaidNode& node : m_layout.nodes) {
        if (node.server || node.caption.isNull() || !stateOfHealth(node).isEmpty()) continue;
        painter.drawText(node.caption, Qt::AlignHCenter | Qt::AlignBottom,
                         phaseState(m_traffic.at(false, node.first, m_playback.position_s()).kind));
    }
}

QString ClusterView::stateOfHealth(const LaidNode& node) const {
    const std::vector<MachineHealth>& machines = node.server ? m_health.servers : m_health.workers;
    const auto index = static_cast<size_t>(node.first);
    return node.count == 1 && index < machines.size() ? healthText(machines[index]) : QString();
}

void ClusterView::setHealth(const ClusterHealth& health) {
    if (health.workers == m_health.workers && health.servers == m_health.servers) return;
    m_health = health;
    update();
}

/// A frame around the card, and where there is room the state in words; the tool tip has them always.
void ClusterView::paintHealth(QPainter& painter) {
    const Metrics& m = m_theme.metrics();
    painter.setFont(m.small);
    for (const LaidNode& node : m_layout.nodes) {
        const QString state = stateOfHealth(node);
        if (state.isEmpty()) continue;
        painter.setPen(QPen(m_theme.colours().warning, m.px(2)));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(node.card, m.px(4), m.px(4));
        // A worker's words have a place below its card; a server's stand for its last line, where the card has several.
        if (!node.server && !node.caption.isNull()) {
            painter.drawText(node.caption, Qt::AlignHCenter | Qt::AlignBottom, state);
        } else if (node.detail == NodeDetail::Full) {
            QRectF place = node.card.adjusted(m.px(3), 0, -m.px(3), -m.px(3));
            place.setTop(node.card.center().y() - m.px(2));
            painter.fillRect(place, m_theme.colours().surface);
            painter.drawText(place, Qt::AlignCenter, state);
        }
    }
}

void ClusterView::contextMenuEvent(QContextMenuEvent* event) {
    const bool byKey = event->reason() == QContextMenuEvent::Keyboard;
    const int index = byKey ? m_hovered : m_layout.nodeAt(event->pos());
    if (index < 0) return event->ignore();
    const LaidNode& node = m_layout.nodes[static_cast<size_t>(index)];
    if (node.count > 1) return event->ignore();
    emit machineMenuAsked(node.server, node.first,
                          byKey ? mapToGlobal(node.card.center().toPoint()) : event->globalPos());
}

void ClusterView::paintPhase(QPainter& painter) {
    const int index = m_playback.currentPhase();
    if (index < 0) return;
    const Metrics& m = m_theme.metrics();
    const Phase& phase = m_playback.phases()[static_cast<size_t>(index)];
    const double side = m.px(10);
    const QRectF swatch(1, m_titleRect.center().y() - side / 2, side, side);
    lockstep::ui::paintPhase(painter, swatch, phase.kind, m_theme.colours());
    painter.setFont(m.small);
    painter.setPen(m_theme.colours().text);
    const QRectF room(side + m.px(7), m_titleRect.top(), m_titleRoom - side - m.px(7), m_titleRect.height());
    const QString text = phaseSentence(phase, m_layout, m_playback.position_s());
    painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(text, Qt::ElideRight, static_cast<int>(room.width())));
    // In a ring the middle is free: the same words where everybody looks.
    if (phase.kind == TimelineSpan::Kind::AllReduce && m_layout.centre.width() > m.px(120) &&
        m_layout.centre.height() > 2 * painter.fontMetrics().height()) {
        painter.setPen(m_theme.colours().mutedText);
        if (m_layout.counts.shape == ClusterShape::Ring)
            painter.drawText(m_layout.centre, Qt::AlignCenter | Qt::TextWordWrap,
                             text.section(QStringLiteral(": "), 1));
    }
}

void ClusterView::paintEvent(QPaintEvent*) {
    if (m_layoutStale) layOut();
    if (m_spritesStale) renderSprites();
    if (m_staticStale) renderStatic();
    QPainter painter(this);
    painter.drawPixmap(0, 0, m_static);
    if (m_store.prediction().fits) {
        paintPhase(painter);
        paintStates(painter);
        paintPackets(painter);
    }
    paintHealth(painter);
    if (m_hovered >= 0 || hasFocus())
        ClusterPainter(m_theme, m_layout, m_store.prediction()).paintHighlight(painter, m_hovered);
}

void ClusterView::resizeEvent(QResizeEvent*) { m_layoutStale = true; }

void ClusterView::openGroup(int node) {
    const ClusterPage opened = openedPage(m_layout, node, m_page);
    if (opened == m_page) return;
    m_page = opened;
    m_layoutStale = true;
    update();
}

void ClusterView::closeGroups() {
    m_page = {};
    m_layoutStale = true;
    update();
}

void ClusterView::mouseMoveEvent(QMouseEvent* event) {
    const int node = m_layout.nodeAt(event->position());
    if (node == m_hovered) return;
    m_hovered = node;
    const bool group = node >= 0 && m_layout.nodes[static_cast<size_t>(node)].count > 1;
    setCursor(group ? Qt::PointingHandCursor : Qt::ArrowCursor);
    update();
}

void ClusterView::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) openGroup(m_layout.nodeAt(event->position()));
}

void ClusterView::leaveEvent(QEvent*) {
    m_hovered = -1;
    update();
}

void ClusterView::keyPressEvent(QKeyEvent* event) {
    const int count = static_cast<int>(m_layout.nodes.size());
    switch (event->key()) {
        case Qt::Key_Up:
        case Qt::Key_Down:
            if (count > 0)
                m_hovered = (m_hovered + (event->key() == Qt::Key_Down ? 1 : count - 1) +
                             (m_hovered < 0 && event->key() == Qt::Key_Up ? 1 : 0)) %
                            count;
            update();
            return;
        case Qt::Key_Return:
        case Qt::Key_Enter:
            openGroup(m_hovered);
            return;
        case Qt::Key_Home:
            closeGroups();
            return;
        default:
            QWidget::keyPressEvent(event);
    }
}

bool ClusterView::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    auto* help = static_cast<QHelpEvent*>(event);
    const int node = m_layout.nodeAt(help->pos());
    if (node < 0) {
        QToolTip::hideText();
        return true;
    }
    const LaidNode& shown = m_layout.nodes[static_cast<size_t>(node)];
    const auto doing = m_traffic.at(shown.server, shown.first, m_playback.position_s()).kind;
    QString details = nodeDetails(shown, m_layout, m_store.prediction(), doing);
    if (const QString state = stateOfHealth(shown); !state.isEmpty())
        details += QLatin1Char('\n') + tr("in the real run: %1").arg(state);
    QToolTip::showText(help->globalPos(), details, this);
    return true;
}

}  // namespace lockstep::ui
