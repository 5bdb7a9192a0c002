#include "stage/packets.h"

#include <algorithm>
#include <cmath>

namespace lockstep::ui {
namespace {

using Kind = TimelineSpan::Kind;

/// Share of a phase that one packet spends on its link.
constexpr double kFlight = 0.4;

QPointF between(const QPointF& from, const QPointF& to, double share) { return from + (to - from) * share; }

/// Where a link leaves a card: towards the other card's middle, at the card's edge.
QPointF edgeOf(const QRectF& card, const QPointF& towards) {
    const QPointF d = towards - card.center();
    const double sx = std::abs(d.x()) > 1e-9 ? card.width() / 2 / std::abs(d.x()) : INFINITY;
    const double sy = std::abs(d.y()) > 1e-9 ? card.height() / 2 / std::abs(d.y()) : INFINITY;
    return card.center() + d * std::min({sx, sy, 1.0});
}

struct Wire {
    QPointF from, to;
};

Wire wireOf(const ClusterLayout& layout, const LaidEdge& edge) {
    const LaidNode &a = layout.nodes[static_cast<size_t>(edge.from)], &b = layout.nodes[static_cast<size_t>(edge.to)];
    if (layout.counts.shape == ClusterShape::Servers || layout.counts.shape == ClusterShape::Star) {
        const double foot = std::max(a.card.bottom(), a.caption.bottom());
        return {{a.card.center().x(), foot}, {b.card.center().x(), b.card.top()}};
    }
    return {edgeOf(a.card.united(a.caption), b.card.center()), edgeOf(b.card.united(b.caption), a.card.center())};
}

double progressOf(const TimelineSpan& span, double time_s) {
    return span.end_s > span.start_s ? std::clamp((time_s - span.start_s) / (span.end_s - span.start_s), 0.0, 1.0) : 0;
}

/// Long links carry more packets at once than short ones.
int streamCount(const Wire& wire, int most) {
    return std::clamp(static_cast<int>(std::hypot(wire.to.x() - wire.from.x(), wire.to.y() - wire.from.y()) / 48), 1,
                      most);
}

/// A stream of `count` packets over a whole phase; `stagger` shifts it so that the links do not move in step.
void addStream(std::vector<Packet>& packets, const Wire& wire, double progress, int count, double stagger,
               Packet packet) {
    for (int i = 0; i < count; ++i) {
        const double leaves = (i + stagger) / count * (1 - kFlight);
        const double flown = (progress - leaves) / kFlight;
        if (flown <= 0 || flown >= 1) continue;
        packet.at = between(wire.from, wire.to, flown);
        packets.push_back(packet);
    }
}

/// A repeatable number in [0, 1) that looks unordered: multiples of the golden ratio.
double spread(int i) { return std::fmod(i * 0.6180339887498949, 1.0); }

void addServerPackets(const ClusterLayout& layout, const Traffic& traffic, double time_s, int perEdge, double share,
                      std::vector<Packet>& packets) {
    for (size_t e = 0; e < layout.edges.size(); ++e) {
        // Of very many links a repeatable choice shows its traffic; all would be a cloud.
        if (spread(static_cast<int>(e)) > share) continue;
        const LaidEdge& edge = layout.edges[e];
        const LaidNode& server = layout.nodes[static_cast<size_t>(edge.from)];
        const TimelineSpan span = traffic.at(false, layout.nodes[static_cast<size_t>(edge.to)].first, time_s);
        if (span.kind != Kind::Pull && span.kind != Kind::Push) continue;
        Wire wire = wireOf(layout, edge);
        const bool push = span.kind == Kind::Push;
        if (push) std::swap(wire.from, wire.to);
        addStream(packets, wire, progressOf(span, time_s), streamCount(wire, perEdge), spread(static_cast<int>(e)),
                  {{}, server.first, push});
    }
}

void addRingPackets(const ClusterLayout& layout, const Round& round, std::vector<Packet>& packets) {
    const int n = static_cast<int>(layout.nodes.size());
    for (const LaidEdge& edge : layout.edges) {
        const Wire wire = wireOf(layout, edge);
        // In round s, rank i passes on chunk i - s.
        const int chunk = ((edge.from - round.index) % n + n) % n;
        packets.push_back({between(wire.from, wire.to, round.share), chunk, true});
    }
}

void addTreePackets(const ClusterLayout& layout, const Round& round, std::vector<Packet>& packets) {
    const bool up = round.index < layout.levels;
    const int level = up ? round.index : 2 * layout.levels - 1 - round.index;
    for (const LaidEdge& edge : layout.edges) {
        if (edge.level != level) continue;
        Wire wire = wireOf(layout, edge);
        if (!up) std::swap(wire.from, wire.to);
        packets.push_back({between(wire.from, wire.to, round.share),
                           layout.nodes[static_cast<size_t>(up ? edge.from : edge.to)].first, true});
    }
}

void addExchangePackets(const ClusterLayout& layout, const Round& round, std::vector<Packet>& packets) {
    // Halving begins with the farthest partner and doubling ends with it.
    const bool halving = round.index < layout.levels;
    const int level = halving ? layout.levels - 1 - round.index : round.index - layout.levels;
    for (const LaidEdge& edge : layout.edges) {
        if (edge.level != level) continue;
        const Wire wire = wireOf(layout, edge);
        packets.push_back(
            {between(wire.from, wire.to, round.share), layout.nodes[static_cast<size_t>(edge.from)].first, true});
        packets.push_back(
            {between(wire.to, wire.from, round.share), layout.nodes[static_cast<size_t>(edge.to)].first, true});
    }
}

void addStarPackets(const ClusterLayout& layout, double progress, int perEdge, std::vector<Packet>& packets) {
    const bool gathering = progress < 0.5;
    for (size_t e = 0; e < layout.edges.size(); ++e) {
        Wire wire = wireOf(layout, layout.edges[e]);
        if (gathering) std::swap(wire.from, wire.to);
        const int colour = gathering ? layout.nodes[static_cast<size_t>(layout.edges[e].to)].first : 0;
        addStream(packets, wire, gathering ? progress * 2 : progress * 2 - 1, streamCount(wire, perEdge),
                  spread(static_cast<int>(e)), {{}, colour, true});
    }
}

}  // namespace

Traffic::Traffic(const Timeline& timeline) : m_timeline(timeline) {
    int workers = 0, servers = 0;
    for (size_t lane = 0; lane < timeline.lanes.size(); ++lane) {
        const TimelineLane& l = timeline.lanes[lane];
        int& next = l.server ? servers : workers;
        m_lanes.push_back({next, l.count, static_cast<int>(lane), l.server});
        next += l.count;
    }
}

TimelineSpan Traffic::at(bool server, int index, double time_s) const {
    TimelineSpan none{-1, Kind::Wait, 0, m_timeline.duration_s};
    for (const LaneRange& range : m_lanes) {
        if (range.server != server || index < range.first || index >= range.first + range.count) continue;
        const auto& spans = m_timeline.spans;
        auto span = std::lower_bound(spans.begin(), spans.end(), range.lane,
                                     [](const TimelineSpan& s, int lane) { return s.lane < lane; });
        for (; span != spans.end() && span->lane == range.lane; ++span)
            if (span->start_s <= time_s && time_s < span->end_s) return *span;
        return none;
    }
    return none;
}

Round roundAt(double progress, int rounds) {
    Round round;
    round.rounds = std::max(1, rounds);
    const double at = std::clamp(progress, 0.0, 1.0) * round.rounds;
    round.index = std::min(static_cast<int>(at), round.rounds - 1);
    round.share = at - round.index;
    return round;
}

int visibleRounds(const ClusterLayout& layout) {
    switch (layout.counts.shape) {
        case ClusterShape::Ring:
            return std::max(1, (layout.counts.gathersOnly ? 1 : 2) * (static_cast<int>(layout.nodes.size()) - 1));
        case ClusterShape::Tree:
        case ClusterShape::Exchange:
            return std::max(1, 2 * layout.levels);
        case ClusterShape::Star:
            return 2;
        case ClusterShape::Single:
        case ClusterShape::Servers:
            return 1;
    }
    return 1;
}

std::vector<Packet> packetsAt(const ClusterLayout& layout, const Traffic& traffic, double time_s, int limit) {
    std::vector<Packet> packets;
    if (layout.edges.empty() || traffic.empty()) return packets;
    const int edges = static_cast<int>(layout.edges.size());
    const int perEdge = std::clamp(limit / edges, 1, 5);
    if (layout.counts.shape == ClusterShape::Servers) {
        addServerPackets(layout, traffic, time_s, perEdge, static_cast<double>(limit) / edges, packets);
    } else {
        const TimelineSpan span = traffic.at(false, 0, time_s);
        if (span.kind != Kind::AllReduce) return packets;
        const double progress = progressOf(span, time_s);
        const Round round = roundAt(progress, visibleRounds(layout));
        switch (layout.counts.shape) {
            case ClusterShape::Ring:
                addRingPackets(layout, round, packets);
                break;
            case ClusterShape::Tree:
                addTreePackets(layout, round, packets);
                break;
            case ClusterShape::Exchange:
                addExchangePackets(layout, round, packets);
                break;
            case ClusterShape::Star:
                addStarPackets(layout, progress, perEdge, packets);
                break;
            case ClusterShape::Single:
            case ClusterShape::Servers:
                break;
        }
    }
    if (static_cast<int>(packets.size()) > limit) packets.resize(static_cast<size_t>(limit));
    return packets;
}

}  // namespace lockstep::ui
