#pragma once

#include <QPointF>
#include <vector>

#include "cluster/prediction.h"
#include "stage/cluster_layout.h"

namespace lockstep::ui {

/// Something on its way between two nodes.
struct Packet {
    QPointF at;
    int colour = 0;         ///< series: the server's for parameter slices, the chunk's for an all-reduce
    bool gradient = false;  ///< gradients are round, weights square
};

/// What moves, read from the modelled timeline. Pure: the same time gives the same picture.
class Traffic {
public:
    Traffic() = default;
    explicit Traffic(const Timeline& timeline);

    /// What worker or server number `index` (0-based) does at `time_s`; Wait where the timeline says nothing.
    [[nodiscard]] TimelineSpan at(bool server, int index, double time_s) const;
    [[nodiscard]] bool empty() const { return m_timeline.spans.empty(); }

private:
    Timeline m_timeline;
    struct LaneRange {
        int first, count, lane;
        bool server;
    };
    std::vector<LaneRange> m_lanes;
};

/// How far a collective has come: the visible round of `rounds`, and the share of it that is done.
struct Round {
    int index = 0, rounds = 1;
    double share = 0;
};
/// `progress` 0..1 of a phase with `rounds` rounds.
[[nodiscard]] Round roundAt(double progress, int rounds);
/// The rounds of the layout's collective as the diagram can show them: those of its shown nodes.
[[nodiscard]] int visibleRounds(const ClusterLayout& layout);

/// Packets at `time_s`, at most `limit`: along every link in use several on their way at once, leaving the sender at
/// the phase's start and the last arriving at its end; in collectives one per link and round.
[[nodiscard]] std::vector<Packet> packetsAt(const ClusterLayout& layout, const Traffic& traffic, double time_s,
                                            int limit = 320);

}  // namespace lockstep::ui
