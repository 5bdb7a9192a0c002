#include "stage/cluster_text.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "charts/number_text.h"
#include "stage/packets.h"
#include "stage/phase_style.h"

namespace lockstep::ui {
namespace {

using Kind = TimelineSpan::Kind;

QString tr(const char* text, const char* comment = nullptr) {
    return QCoreApplication::translate("ClusterText", text, comment);
}
QString bitRate(double value) { return siText(value, tr("bit/s")); }

QString roundText(const ClusterLayout& layout, const Round& round) {
    const bool first = !layout.counts.gathersOnly && round.index < round.rounds / 2;
    const int half = layout.counts.gathersOnly ? round.rounds : std::max(1, round.rounds / 2);
    const int step = (first || layout.counts.gathersOnly ? round.index : round.index - half) + 1;
    const bool whole = static_cast<int>(layout.nodes.size()) == layout.counts.workers;
    QString stage;
    switch (layout.counts.shape) {
        case ClusterShape::Tree:
            stage = first ? tr("reduce up the tree") : tr("broadcast down the tree");
            break;
        case ClusterShape::Star:
            return first ? tr("W1 gathers all gradients") : tr("W1 sends the sum back");
        default:
            stage = first ? tr("reduce-scatter") : tr("all-gather");
            break;
    }
    return whole ? tr("%1, step %2 of %3").arg(stage).arg(step).arg(half) : stage;
}

const LinkUse* findLink(const Prediction& prediction, bool server, bool outgoing) {
    for (const LinkUse& link : prediction.links)
        if (link.outgoing == outgoing && link.node.starts_with(server ? "server" : "worker")) return &link;
    return nullptr;
}

}  // namespace

QString phaseSentence(const Phase& phase, const ClusterLayout& layout, double position_s) {
    switch (phase.kind) {
        case Kind::Load:
            return tr("Load: each worker reads its next batch");
        case Kind::Forward:
            return tr("Forward: each worker runs its own batch through its own copy");
        case Kind::Backward:
            return tr("Backward: each worker computes its gradients");
        case Kind::Pull:
            return tr("Pull: weights fan out to the workers");
        case Kind::Push:
            return tr("Push: gradients fan in to the servers");
        case Kind::AllReduce: {
            const double length = phase.end_s - phase.start_s;
            const double progress = length > 0 ? (position_s - phase.start_s) / length : 0;
            return tr("All-reduce: %1").arg(roundText(layout, roundAt(progress, visibleRounds(layout))));
        }
        case Kind::Aggregate:
            return tr("Aggregate: each server averages the gradients of its slice");
        case Kind::Update:
            return layout.counts.shape == ClusterShape::Servers
                       ? tr("Update: each server applies the mean gradient to its slice")
                       : tr("Update: each worker applies the same mean gradient");
        case Kind::Wait:
            return tr("Wait");
    }
    return {};
}

double linkUse(const Prediction& prediction, bool server, bool outgoing) {
    const LinkUse* link = findLink(prediction, server, outgoing);
    return link ? std::clamp(link->busyFraction, 0.0, 1.0) : 0;
}

QString linkUseText(const Prediction& prediction) {
    const bool server = prediction.servers > 0;
    if (!prediction.fits || !findLink(prediction, server, true)) return {};
    return tr("link %1 out, %2 in")
        .arg(percentText(std::round(linkUse(prediction, server, true) * 100) / 100),
             percentText(std::round(linkUse(prediction, server, false) * 100) / 100));
}

QString shareText(const Prediction& prediction) {
    if (!prediction.fits || prediction.servers == 0 || !prediction.pullBandwidthPerWorkerBitPerS) return {};
    const double rate = *prediction.pullBandwidthPerWorkerBitPerS;
    if (prediction.workers <= prediction.servers)
        return tr("each worker gets its whole link, B = %1").arg(bitRate(rate));
    const QString formula = prediction.servers == 1 ? tr("B/N") : tr("S·B/N");
    return tr("each worker gets %1 = %2").arg(formula, bitRate(rate));
}

QString sliceText(int servers) {
    if (servers <= 1) return tr("all of the weights");
    if (servers == 2) return tr("half of the weights");
    return tr("1/%1 of the weights").arg(servers);
}

QString nodeName(const LaidNode& node) {
    const QString letter = node.server ? tr("S%1", "short for server") : tr("W%1", "short for worker");
    if (node.count > 1) return tr("%1 … %2").arg(letter.arg(node.first + 1), letter.arg(node.first + node.count));
    if (node.server && node.detail == NodeDetail::Full) return tr("Server %1").arg(node.first + 1);
    return letter.arg(node.first + 1);
}

QString nodeDetails(const LaidNode& node, const ClusterLayout& layout, const Prediction& prediction, Kind doing) {
    QStringList lines;
    const QString name = node.server ? tr("Server %1") : tr("Worker %1");
    if (node.count > 1)
        lines << tr("%1 nodes: %2. Click to open.").arg(numberText(node.count), nodeName(node));
    else
        lines << name.arg(node.first + 1);
    if (node.server)
        lines << tr("holds %1").arg(sliceText(prediction.servers));
    else
        lines << tr("its own copy of the model and data shard %1 of %2").arg(node.first + 1).arg(prediction.workers);
    if (prediction.fits && layout.counts.shape != ClusterShape::Single) {
        lines << tr("link %1 each way").arg(bitRate(prediction.experiment.cluster.linkBandwidthBitPerS));
        lines << tr("busy %1 out, %2 in")
                     .arg(percentText(linkUse(prediction, node.server, true)),
                          percentText(linkUse(prediction, node.server, false)));
        if (const LinkUse* link = findLink(prediction, node.server, true))
            lines << tr("%1 sent per iteration").arg(siText(link->bytes, tr("B")));
    }
    if (!node.server)
        lines << tr("memory %1 of %2")
                     .arg(siText(prediction.memory.totalBytes(), tr("B")),
                          siText(prediction.memory.capacityBytes, tr("B")));
    lines << tr("now: %1").arg(phaseState(doing));
    return lines.join(QLatin1Char('\n'));
}

QString clusterDescription(const ClusterLayout& layout, const Prediction& prediction) {
    QString arrangement;
    switch (layout.counts.shape) {
        case ClusterShape::Single:
            arrangement = tr("One device.");
            break;
        case ClusterShape::Servers:
            arrangement =
                tr("%1 workers below %2 parameter servers, each with %3.")
                    .arg(numberText(prediction.workers), numberText(prediction.servers), sliceText(prediction.servers));
            break;
        case ClusterShape::Ring:
            arrangement = tr("%1 workers in a ring.").arg(numberText(prediction.workers));
            break;
        case ClusterShape::Tree:
            arrangement = tr("%1 workers in a tree.").arg(numberText(prediction.workers));
            break;
        case ClusterShape::Star:
            arrangement = tr("%1 workers; the first gathers and sends back.").arg(numberText(prediction.workers));
            break;
        case ClusterShape::Exchange:
            arrangement = tr("%1 workers that exchange with partners.").arg(numberText(prediction.workers));
            break;
    }
    if (!prediction.fits) return arrangement + QLatin1Char(' ') + tr("The batch does not fit in memory.");
    QStringList parts{arrangement, linkUseText(prediction), shareText(prediction)};
    parts.removeAll(QString());
    return parts.join(QLatin1Char(' '));
}

}  // namespace lockstep::ui
