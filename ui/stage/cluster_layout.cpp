#include "stage/cluster_layout.h"

#include <algorithm>
#include <cmath>

#include "experiment/resolved.h"
#include "stage/ring_path.h"

namespace lockstep::ui {
namespace {

struct Range {
    int first = 0, count = 1;
};

/// `total` things in at most `places` places: each alone, or a run of them from `first` with a group on either side.
std::vector<Range> rangesOf(int total, int places, int first) {
    std::vector<Range> ranges;
    places = std::max(2, places);
    if (total <= places) {
        for (int i = 0; i < total; ++i) ranges.push_back({i, 1});
        return ranges;
    }
    first = std::clamp(first, 0, total - 1);
    int singles = places - 1;
    if (first > 0) {
        ranges.push_back({0, first});
        --singles;
    }
    singles = std::max(1, singles);
    const int end = std::min(total, first + singles);
    for (int i = first; i < end; ++i) ranges.push_back({i, 1});
    if (end < total) ranges.push_back({end, total - end});
    return ranges;
}

struct CardSize {
    double width = 0, height = 0, caption = 0;
    [[nodiscard]] double total() const { return height + caption; }
};

double widthOfNumber(int number) { return static_cast<double>(QString::number(number).size()); }

CardSize workerCard(NodeDetail detail, const LayoutMetrics& m, int largest) {
    const double u = m.unit;
    switch (detail) {
        case NodeDetail::Full:
            return {std::max(80 * u, m.em * (widthOfNumber(largest) + 2.5) + 44 * u), m.strongLine + m.line + 20 * u,
                    m.line + 3 * u};
        case NodeDetail::Compact:
            return {m.em * (widthOfNumber(largest) + 2.2) + 8 * u, m.line + 14 * u, 0};
        case NodeDetail::Mini:
            return {13 * u, 13 * u, 0};
    }
    return {};
}

CardSize serverCard(NodeDetail detail, const LayoutMetrics& m, int largest) {
    const double u = m.unit;
    switch (detail) {
        case NodeDetail::Full:
            return {std::max(118 * u, m.serverText + 18 * u), m.strongLine + m.line + 16 * u, 7 * u};
        case NodeDetail::Compact:
            return {m.em * (widthOfNumber(largest) + 2.2) + 8 * u, m.line + 14 * u, 7 * u};
        case NodeDetail::Mini:
            return {13 * u, 13 * u, 5 * u};
    }
    return {};
}

constexpr NodeDetail kDetails[] = {NodeDetail::Full, NodeDetail::Compact, NodeDetail::Mini};
double gapOf(NodeDetail detail, const LayoutMetrics& m) {
    return (detail == NodeDetail::Full ? 12 : detail == NodeDetail::Compact ? 8 : 5) * m.unit;
}

void addNode(ClusterLayout& layout, const Range& range, bool server, NodeDetail detail, const CardSize& size,
             const QPointF& topLeft) {
    LaidNode node{server, range.first, range.count, detail, {topLeft, QSizeF(size.width, size.height)}, {}};
    if (size.caption > 0)
        node.caption = QRectF(topLeft.x() - 6, topLeft.y() + size.height, size.width + 12, size.caption);
    layout.nodes.push_back(node);
}

/// Cards in rows that fill `area`, evenly spread and centred; groups are as wide as the others.
struct Rows {
    std::vector<Range> ranges;
    NodeDetail detail = NodeDetail::Mini;
    CardSize size;
    int perRow = 1, rows = 1;
    double gap = 0;
    [[nodiscard]] double height() const { return rows * size.total() + (rows - 1) * gap; }
};

using CardOf = CardSize (*)(NodeDetail, const LayoutMetrics&, int);

/// The most telling rows that fit; grouped where nothing does or where there are more than may be shown one by one.
Rows fitRows(int total, int first, bool grouped, double width, double height, const LayoutMetrics& m, CardOf cardOf) {
    constexpr int kMostRows[] = {1, 2, 4};
    for (int d = 0; d < 3 && !grouped; ++d) {
        const NodeDetail detail = kDetails[d];
        const CardSize size = cardOf(detail, m, total);
        const double gap = gapOf(detail, m);
        const int perRow = static_cast<int>((width + gap) / (size.width + gap));
        for (int rows = 1; rows <= kMostRows[d] && perRow > 0; ++rows) {
            if (perRow * rows < total) continue;
            const Rows fitted{rangesOf(total, total, 0), detail, size, (total + rows - 1) / rows, rows, gap};
            if (fitted.height() <= height) return fitted;
        }
    }
    // Grouped: as many telling cards as one row takes.
    for (const NodeDetail detail : {NodeDetail::Full, NodeDetail::Compact}) {
        CardSize size = cardOf(detail, m, total);
        // A group's name is longer than a card's: "W9 … W1024".
        size.width = std::max(size.width, m.em * (2 * widthOfNumber(total) + 5.5) + 10 * m.unit);
        const double gap = gapOf(detail, m);
        const int places = std::min(static_cast<int>((width + gap) / (size.width + gap)), 9);
        if ((places < 3 || size.total() > height) && detail == NodeDetail::Full) continue;
        Rows fitted{rangesOf(total, std::max(2, places), first), detail, size, 0, 1, gap};
        fitted.perRow = static_cast<int>(fitted.ranges.size());
        const double fits = (width - gap * (fitted.perRow - 1)) / fitted.perRow;
        fitted.size.width = std::min(fitted.size.width, std::max(4.0, fits));
        return fitted;
    }
    return {};
}

void placeRows(ClusterLayout& layout, const Rows& rows, bool server, const QRectF& area, double widestPitch) {
    const int count = static_cast<int>(rows.ranges.size());
    const double pitchY = rows.rows > 1 ? std::min((area.height() - rows.size.total()) / (rows.rows - 1),
                                                   rows.size.total() + 3 * rows.gap)
                                        : 0;
    for (int i = 0; i < count; ++i) {
        const int row = i / rows.perRow;
        const int inRow = std::min(rows.perRow, count - row * rows.perRow);
        const double pitch =
            std::min(widestPitch, rows.perRow > 1 ? (area.width() - rows.size.width) / (rows.perRow - 1) : 0);
        const double left = area.center().x() - (pitch * (inRow - 1) + rows.size.width) / 2;
        const double top = area.bottom() - rows.size.total() - pitchY * (rows.rows - 1 - row);
        addNode(layout, rows.ranges[static_cast<size_t>(i)], server, rows.detail, rows.size,
                {left + pitch * (i - row * rows.perRow), top});
    }
}

void layServers(ClusterLayout& layout, const QRectF& area, const LayoutMetrics& m, const ClusterPage& page) {
    const ClusterCounts& counts = layout.counts;
    const bool star = counts.shape == ClusterShape::Star;
    const bool many = counts.workers + counts.servers > kIndividualNodes;
    const double u = m.unit;
    const double topHeight = area.height() * 0.4;
    Rows top;
    if (star)
        top = Rows{{{0, 1}}, NodeDetail::Full, workerCard(NodeDetail::Full, m, 1), 1, 1, 0};
    else
        top = fitRows(counts.servers, page.firstServer, many && counts.servers > 16, area.width(), topHeight, m,
                      serverCard);
    if (star && top.size.total() > topHeight)
        top.detail = NodeDetail::Compact, top.size = workerCard(NodeDetail::Compact, m, 1);
    const double wires = std::clamp(area.height() * 0.28, 20 * u, 110 * u);
    const QRectF topArea(area.left(), area.top(), area.width(), top.height());
    const QRectF bottomArea(area.left(), topArea.bottom() + wires, area.width(),
                            area.bottom() - topArea.bottom() - wires);
    const int below = star ? counts.workers - 1 : counts.workers;
    Rows bottom =
        fitRows(below, page.firstWorker, many && below > 32, bottomArea.width(), bottomArea.height(), m, workerCard);
    if (star)
        for (Range& range : bottom.ranges) ++range.first;

    placeRows(layout, top, !star, topArea, top.size.width + 76 * u);
    const size_t tops = layout.nodes.size();
    placeRows(layout, bottom, false, bottomArea, bottom.size.width + 90 * u);
    for (size_t s = 0; s < tops; ++s)
        for (size_t w = tops; w < layout.nodes.size(); ++w)
            layout.edges.push_back({static_cast<int>(s), static_cast<int>(w), 0});
}

bool overlapFree(const std::vector<LaidNode>& nodes, size_t from) {
    for (size_t i = from; i < nodes.size(); ++i)
        for (size_t j = i + 1; j < nodes.size(); ++j) {
            const QRectF a = nodes[i].card.united(nodes[i].caption), b = nodes[j].card.united(nodes[j].caption);
            if (a.adjusted(-2, -2, 2, 2).intersects(b)) return false;
        }
    return true;
}

void addRingEdges(ClusterLayout& layout) {
    const int n = static_cast<int>(layout.nodes.size());
    if (layout.counts.shape == ClusterShape::Ring) {
        for (int i = 0; i < n && n > 1; ++i) layout.edges.push_back({i, (i + 1) % n, 0});
        return;
    }
    // Partners of recursive halving-doubling, round by round; between groups one edge stands for all of theirs.
    for (int step = 1, level = 0; step < layout.counts.workers; step *= 2, ++level) {
        layout.levels = level + 1;
        for (int i = 0; i < n; ++i) {
            const LaidNode& node = layout.nodes[static_cast<size_t>(i)];
            const int partner = node.first ^ step;
            if (partner >= layout.counts.workers) continue;
            const int j = layout.nodeOfWorker(partner);
            const bool back = j >= 0 && layout.nodes[static_cast<size_t>(j)].count == 1 && j < i;
            if (j >= 0 && j != i && !back) layout.edges.push_back({i, j, level});
        }
    }
}

void layRing(ClusterLayout& layout, const QRectF& area, const LayoutMetrics& m, const ClusterPage& page) {
    const int total = layout.counts.workers;
    const bool many = total > kIndividualNodes;
    const bool chords = layout.counts.shape == ClusterShape::Exchange;
    const auto attempt = [&](const std::vector<Range>& ranges, NodeDetail detail, CardSize size) {
        layout.nodes.clear();
        if (size.width > area.width() || size.total() > area.height()) return false;
        const QRectF bounds(0, 0, area.width() - size.width, area.height() - size.total());
        const int n = static_cast<int>(ranges.size());
        if (!chords && detail != NodeDetail::Mini && n > 2 && n % 2 == 0) {
            // Two straight rows, clockwise: neighbours stay aligned.
            const double pitch = bounds.width() / (n / 2 - 1);
            for (int i = 0; i < n; ++i) {
                const int column = i < n / 2 ? i : n - 1 - i;
                addNode(layout, ranges[static_cast<size_t>(i)], false, detail, size,
                        area.topLeft() + QPointF(pitch * column, i < n / 2 ? 0 : bounds.height()));
            }
            return overlapFree(layout.nodes, 0);
        }
        // Chords need a curve: on a straight side they would run through the cards between.
        const RingPath path(bounds, chords ? RingPath::Form::Ellipse : RingPath::Form::Track);
        for (int i = 0; i < n; ++i) {
            const QPointF at = path.at((i + (n % 2 == 0 ? 0.5 : 0.0)) / n - (n % 2 == 0 ? 1.0 / n : 0.0));
            addNode(layout, ranges[static_cast<size_t>(i)], false, detail, size, area.topLeft() + at);
        }
        return overlapFree(layout.nodes, 0);
    };
    const auto centreOf = [&](const CardSize& size) {
        return area.adjusted(size.width + 10 * m.unit, size.total() + 4 * m.unit, -size.width - 10 * m.unit,
                             -size.total() - 4 * m.unit);
    };
    for (const NodeDetail detail : kDetails) {
        if (many) break;
        const CardSize size = workerCard(detail, m, total);
        if (!attempt(rangesOf(total, total, 0), detail, size)) continue;
        layout.centre = centreOf(size);
        return;
    }
    for (const NodeDetail detail : kDetails)
        for (int places = 12; places >= 3; --places) {
            CardSize size = workerCard(detail, m, total);
            if (detail != NodeDetail::Mini)
                size.width = std::max(size.width, m.em * (2 * widthOfNumber(total) + 5.5) + 10 * m.unit);
            if (places < 6 && detail == NodeDetail::Full) break;
            if (!attempt(rangesOf(total, places, page.firstWorker), detail, size)) continue;
            layout.centre = centreOf(size);
            return;
        }
}

/// Binomial tree over the shown ranks: a rank's parent is the rank without its lowest set bit.
void layTree(ClusterLayout& layout, const QRectF& area, const LayoutMetrics& m, const ClusterPage& page) {
    const int total = layout.counts.workers;
    const bool many = total > kIndividualNodes;
    for (int places : {total, 32, 17, 9, 5, 3}) {
        if (places > total || (many && places > 17)) continue;
        const std::vector<Range> ranges = rangesOf(total, places, places == total ? 0 : page.firstWorker);
        const int n = static_cast<int>(ranges.size());
        const auto indexOf = [&](int rank) {
            for (int i = 0; i < n; ++i)
                if (rank >= ranges[static_cast<size_t>(i)].first &&
                    rank < ranges[static_cast<size_t>(i)].first + ranges[static_cast<size_t>(i)].count)
                    return i;
            return 0;
        };
        std::vector<int> parent(static_cast<size_t>(n), -1), depth(static_cast<size_t>(n), 0);
        std::vector<std::vector<int>> children(static_cast<size_t>(n));
        int deepest = 0;
        for (int i = 1; i < n; ++i) {
            const int rank = ranges[static_cast<size_t>(i)].first;
            const int p = std::min(indexOf(rank & (rank - 1)), i - 1);
            parent[static_cast<size_t>(i)] = p;
            depth[static_cast<size_t>(i)] = depth[static_cast<size_t>(p)] + 1;
            children[static_cast<size_t>(p)].push_back(i);
            deepest = std::max(deepest, depth[static_cast<size_t>(i)]);
        }
        // Leaves take columns from left to right; a parent stands above the middle of its children.
        std::vector<double> column(static_cast<size_t>(n), 0);
        double columns = 0;
        const auto place = [&](auto&& self, int i) -> void {
            const auto& own = children[static_cast<size_t>(i)];
            if (own.empty()) {
                column[static_cast<size_t>(i)] = columns++;
                return;
            }
            for (auto child = own.rbegin(); child != own.rend(); ++child) self(self, *child);
            column[static_cast<size_t>(i)] =
                (column[static_cast<size_t>(own.front())] + column[static_cast<size_t>(own.back())]) / 2;
        };
        place(place, 0);
        for (const NodeDetail detail : kDetails) {
            if (places != total && detail == NodeDetail::Mini && places > 3) continue;
            CardSize size = workerCard(detail, m, total);
            if (places != total && detail != NodeDetail::Mini)
                size.width = std::max(size.width, m.em * (2 * widthOfNumber(total) + 5.5) + 10 * m.unit);
            const double gap = gapOf(detail, m);
            if (columns * (size.width + gap) - gap > area.width()) continue;
            if ((deepest + 1) * (size.total() + gap) - gap > area.height()) continue;
            const double pitchX =
                columns > 1 ? std::min((area.width() - size.width) / (columns - 1), size.width + 110 * m.unit) : 0;
            const double left = area.center().x() - (pitchX * (columns - 1) + size.width) / 2;
            const double pitchY = deepest > 0 ? (area.height() - size.total()) / deepest : 0;
            for (int i = 0; i < n; ++i)
                addNode(layout, ranges[static_cast<size_t>(i)], false, detail, size,
                        {left + pitchX * column[static_cast<size_t>(i)],
                         area.top() + pitchY * depth[static_cast<size_t>(i)]});
            for (int i = 1; i < n; ++i) {
                const int rank = ranges[static_cast<size_t>(i)].first;
                int level = 0;
                while (((rank >> level) & 1) == 0) ++level;
                layout.edges.push_back({i, parent[static_cast<size_t>(i)], level});
            }
            for (int p = 1; p < total; p *= 2) ++layout.levels;
            return;
        }
    }
}

}  // namespace

ClusterCounts clusterCounts(const Experiment& experiment) {
    ClusterCounts counts{ClusterShape::Single, clusterWorkers(experiment), clusterServers(experiment)};
    if (experiment.cluster.architecture == Architecture::ParameterServer && counts.servers > 0)
        counts.shape = ClusterShape::Servers;
    if (experiment.cluster.architecture == Architecture::AllReduce && counts.workers > 1) {
        switch (experiment.cluster.allreduce) {
            case AllReduceAlgorithm::Tree:
                counts.shape = ClusterShape::Tree;
                break;
            case AllReduceAlgorithm::Naive:
                counts.shape = ClusterShape::Star;
                break;
            case AllReduceAlgorithm::HalvingDoubling:
                counts.shape = ClusterShape::Exchange;
                break;
            case AllReduceAlgorithm::Ring:
            case AllReduceAlgorithm::Hierarchical:
            case AllReduceAlgorithm::Auto:
                counts.shape = ClusterShape::Ring;
                break;
        }
    }
    const TrainingSettings& training = experiment.training;
    if (experiment.cluster.architecture == Architecture::AllReduce && counts.workers > 1 &&
        training.compression == Compression::TopK && training.synchronization == SynchronizationKind::BulkSynchronous) {
        counts.shape = ClusterShape::Ring;
        counts.gathersOnly = true;
    }
    if (counts.shape == ClusterShape::Single) counts.workers = 1;
    if (counts.shape != ClusterShape::Servers) counts.servers = 0;
    return counts;
}

int ClusterLayout::nodeAt(const QPointF& position) const {
    for (size_t i = 0; i < nodes.size(); ++i)
        if (nodes[i].card.united(nodes[i].caption).contains(position)) return static_cast<int>(i);
    return -1;
}

int ClusterLayout::nodeOfWorker(int worker) const {
    for (size_t i = 0; i < nodes.size(); ++i)
        if (!nodes[i].server && worker >= nodes[i].first && worker < nodes[i].first + nodes[i].count)
            return static_cast<int>(i);
    return -1;
}

ClusterLayout layoutCluster(const ClusterCounts& counts, const QRectF& area, const LayoutMetrics& metrics,
                            const ClusterPage& page) {
    ClusterLayout layout;
    layout.counts = counts;
    switch (counts.shape) {
        case ClusterShape::Single: {
            CardSize size = workerCard(NodeDetail::Full, metrics, 1);
            size.width = std::min(size.width * 1.5, area.width());
            addNode(layout, {0, 1}, false, NodeDetail::Full, size,
                    {area.center().x() - size.width / 2, area.center().y() - size.total() / 2});
            break;
        }
        case ClusterShape::Servers:
        case ClusterShape::Star:
            layServers(layout, area, metrics, page);
            break;
        case ClusterShape::Ring:
        case ClusterShape::Exchange:
            layRing(layout, area, metrics, page);
            addRingEdges(layout);
            break;
        case ClusterShape::Tree:
            layTree(layout, area, metrics, page);
            break;
    }
    return layout;
}

ClusterPage openedPage(const ClusterLayout& layout, int groupNode, const ClusterPage& page) {
    ClusterPage opened = page;
    if (groupNode < 0 || groupNode >= static_cast<int>(layout.nodes.size())) return opened;
    const LaidNode& group = layout.nodes[static_cast<size_t>(groupNode)];
    if (group.count < 2) return opened;
    int& first = group.server ? opened.firstServer : opened.firstWorker;
    const int base = layout.counts.shape == ClusterShape::Star && !group.server ? 1 : 0;
    int singles = 0;
    for (const LaidNode& node : layout.nodes) singles += node.server == group.server && node.count == 1;
    singles = std::max(1, singles - base);
    // The group behind opens forwards, the one before opens the page before.
    if (group.first > base + first)
        first = group.first - base;
    else
        first = first - singles > 1 ? first - singles : 0;  // a group of one would be the card itself
    return opened;
}

}  // namespace lockstep::ui
