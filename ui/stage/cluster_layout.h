#pragma once

#include <QRectF>
#include <QSizeF>
#include <vector>

#include "experiment/experiment.h"

namespace lockstep::ui {

/// How the nodes of a cluster are arranged. Pure geometry: nothing here paints.
enum class ClusterShape { Single, Servers, Ring, Tree, Star, Exchange };

struct ClusterCounts {
    ClusterShape shape = ClusterShape::Single;
    int workers = 1, servers = 0;
    bool gathersOnly = false;  ///< a ring on which lists go round as they are (top-k): no sums on the way
    bool operator==(const ClusterCounts&) const = default;
};
[[nodiscard]] ClusterCounts clusterCounts(const Experiment& experiment);

/// How much a card says: name, copy, shard and state; name and shard; only the shard's colour.
enum class NodeDetail { Full, Compact, Mini };

/// Sizes that follow from the type, in pixels.
struct LayoutMetrics {
    double line = 15;        ///< height of small text
    double strongLine = 16;  ///< height of names
    double em = 7;           ///< mean width of a character
    double unit = 1;         ///< the presenting scale
    double serverText = 0;   ///< width of the widest text on a server's card
};

/// Which part of a large cluster is looked at: the first worker and server shown one by one.
struct ClusterPage {
    int firstWorker = 0, firstServer = 0;
    bool operator==(const ClusterPage&) const = default;
};

struct LaidNode {
    bool server = false;
    int first = 0;  ///< 0-based
    int count = 1;  ///< more than one: a group
    NodeDetail detail = NodeDetail::Full;
    QRectF card;
    QRectF caption;  ///< for the state below the card; null where there is no room for one
};

struct LaidEdge {
    int from = 0, to = 0;  ///< indices into nodes; for servers: from the server to the worker
    int level = 0;         ///< the schedule's round it belongs to (tree, exchange), counted from the leaves
};

struct ClusterLayout {
    ClusterCounts counts;
    std::vector<LaidNode> nodes;  ///< servers first
    std::vector<LaidEdge> edges;
    QRectF centre;   ///< free room in the middle of a ring; null elsewhere
    int levels = 0;  ///< rounds of a tree or an exchange
    /// The node under `position`, -1 where there is none.
    [[nodiscard]] int nodeAt(const QPointF& position) const;
    /// Index of the node that shows (or groups) a worker.
    [[nodiscard]] int nodeOfWorker(int worker) const;
};

/// Up to this many nodes are shown one by one.
inline constexpr int kIndividualNodes = 64;

/// Cards never overlap and lie inside `area` (at least about 200 x 120 px at unit 1). Beyond kIndividualNodes, or where
/// cards would become too small, the rest is grouped before and after the page.
[[nodiscard]] ClusterLayout layoutCluster(const ClusterCounts& counts, const QRectF& area, const LayoutMetrics& metrics,
                                          const ClusterPage& page = {});

/// Whether the page can be turned for these counts, and by how many workers or servers a group opens.
[[nodiscard]] ClusterPage openedPage(const ClusterLayout& layout, int groupNode, const ClusterPage& page);

}  // namespace lockstep::ui
