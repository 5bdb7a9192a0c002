#include <QTest>

#include "stage/cluster_layout.h"

using namespace lockstep;
using namespace lockstep::ui;

namespace {

ClusterCounts counts(ClusterShape shape, int workers, int servers = 0) { return {shape, workers, servers}; }

std::vector<ClusterCounts> manyCounts() {
    std::vector<ClusterCounts> all;
    for (const int workers : {1, 2, 3, 4, 7, 8, 12, 16, 31, 48, 64, 65, 256, 1024, 65536}) {
        for (const int servers : {1, 2, 3, 8, 16, 17, 64, 1024})
            all.push_back(counts(ClusterShape::Servers, workers, servers));
        if (workers > 1)
            for (const ClusterShape shape :
                 {ClusterShape::Ring, ClusterShape::Tree, ClusterShape::Star, ClusterShape::Exchange})
                all.push_back(counts(shape, workers));
    }
    all.push_back(counts(ClusterShape::Single, 1));
    return all;
}

QByteArray label(const ClusterCounts& c, const QSizeF& size) {
    return QStringLiteral("shape %1, %2 x %3, %4 x %5 px")
        .arg(static_cast<int>(c.shape))
        .arg(c.workers)
        .arg(c.servers)
        .arg(size.width())
        .arg(size.height())
        .toUtf8();
}

int shownCount(const ClusterLayout& layout, bool server) {
    int count = 0;
    for (const LaidNode& node : layout.nodes)
        if (node.server == server) count += node.count;
    return count;
}

}  // namespace

/// The diagram must be readable at any size: cards apart from each other and inside, and every node accounted for.
class TestClusterLayout : public QObject {
    Q_OBJECT
private slots:
    void cardsNeitherOverlapNorLeaveTheArea();
    void everyNodeIsShownOnce();
    void upToSixtyFourNodesStandAloneWhereThereIsRoom();
    void aRingsNeighboursAreLinked();
    void aBinomialTreeHasParentsWithoutTheLowestBit();
    void hitTestFindsTheCardUnderThePointer();
    void openingAGroupTurnsThePage();
};

void TestClusterLayout::cardsNeitherOverlapNorLeaveTheArea() {
    for (const QSizeF& size :
         {QSizeF(320, 150), QSizeF(480, 200), QSizeF(740, 240), QSizeF(740, 500), QSizeF(1400, 420), QSizeF(400, 600)})
        for (const double scale : {1.0, 1.6}) {
            const LayoutMetrics metrics{15 * scale, 16 * scale, 7 * scale, scale, 110 * scale};
            const QRectF area(QPointF(5, 7), size * scale);
            for (const ClusterCounts& c : manyCounts()) {
                const ClusterLayout layout = layoutCluster(c, area, metrics);
                QVERIFY2(!layout.nodes.empty(), label(c, size));
                for (size_t i = 0; i < layout.nodes.size(); ++i) {
                    const QRectF a = layout.nodes[i].card;
                    QVERIFY2(area.adjusted(-0.5, -0.5, 0.5, 0.5).contains(a), label(c, size));
                    for (size_t j = i + 1; j < layout.nodes.size(); ++j)
                        QVERIFY2(!a.intersects(layout.nodes[j].card), label(c, size));
                }
            }
        }
}

void TestClusterLayout::everyNodeIsShownOnce() {
    const LayoutMetrics metrics;
    for (const ClusterCounts& c : manyCounts())
        for (const int first : {0, 5, 40}) {
            const ClusterLayout layout = layoutCluster(c, QRectF(0, 0, 740, 240), metrics, {first, first});
            QVERIFY2(shownCount(layout, false) == c.workers, label(c, {740, 240}));
            QVERIFY2(shownCount(layout, true) == c.servers, label(c, {740, 240}));
            for (const LaidEdge& edge : layout.edges) {
                QVERIFY(edge.from != edge.to);
                QVERIFY(edge.from >= 0 && edge.from < static_cast<int>(layout.nodes.size()));
                QVERIFY(edge.to >= 0 && edge.to < static_cast<int>(layout.nodes.size()));
            }
        }
}

void TestClusterLayout::upToSixtyFourNodesStandAloneWhereThereIsRoom() {
    for (const ClusterCounts& c :
         {counts(ClusterShape::Servers, 48, 16), counts(ClusterShape::Ring, 64), counts(ClusterShape::Tree, 64),
          counts(ClusterShape::Exchange, 64), counts(ClusterShape::Star, 64)}) {
        const ClusterLayout layout = layoutCluster(c, QRectF(0, 0, 740, 280), {});
        QCOMPARE(static_cast<int>(layout.nodes.size()), c.workers + c.servers);
    }
    // And beyond, the picture stays small whatever the cluster's size: 64 x 65536 links are never listed.
    const ClusterLayout huge = layoutCluster(counts(ClusterShape::Servers, 65536, 64), QRectF(0, 0, 1400, 400), {});
    QVERIFY(huge.nodes.size() <= 24);
    QVERIFY(huge.edges.size() <= 150);
}

void TestClusterLayout::aRingsNeighboursAreLinked() {
    const ClusterLayout layout = layoutCluster(counts(ClusterShape::Ring, 8), QRectF(0, 0, 740, 240), {});
    QCOMPARE(layout.edges.size(), size_t{8});
    for (const LaidEdge& edge : layout.edges)
        QCOMPARE(layout.nodes[static_cast<size_t>(edge.to)].first,
                 (layout.nodes[static_cast<size_t>(edge.from)].first + 1) % 8);
}

void TestClusterLayout::aBinomialTreeHasParentsWithoutTheLowestBit() {
    const ClusterLayout layout = layoutCluster(counts(ClusterShape::Tree, 16), QRectF(0, 0, 740, 280), {});
    QCOMPARE(layout.edges.size(), size_t{15});
    QCOMPARE(layout.levels, 4);  // ceil(log2 16)
    for (const LaidEdge& edge : layout.edges) {
        const int rank = layout.nodes[static_cast<size_t>(edge.from)].first;
        QCOMPARE(layout.nodes[static_cast<size_t>(edge.to)].first, rank & (rank - 1));
        QCOMPARE(rank & ((1 << edge.level) - 1), 0);
    }
}

void TestClusterLayout::hitTestFindsTheCardUnderThePointer() {
    const ClusterLayout layout = layoutCluster(counts(ClusterShape::Servers, 8, 2), QRectF(0, 0, 740, 240), {});
    for (size_t i = 0; i < layout.nodes.size(); ++i)
        QCOMPARE(layout.nodeAt(layout.nodes[i].card.center()), static_cast<int>(i));
    QCOMPARE(layout.nodeAt({-10, -10}), -1);
    QCOMPARE(layout.nodes[static_cast<size_t>(layout.nodeOfWorker(5))].first, 5);
}

void TestClusterLayout::openingAGroupTurnsThePage() {
    const ClusterCounts c = counts(ClusterShape::Servers, 1024, 2);
    const QRectF area(0, 0, 740, 240);
    ClusterPage page;
    const ClusterLayout first = layoutCluster(c, area, {}, page);
    const int behind = first.nodeOfWorker(1023);
    QVERIFY(first.nodes[static_cast<size_t>(behind)].count > 1);
    const ClusterPage opened = openedPage(first, behind, page);
    QCOMPARE(opened.firstWorker, first.nodes[static_cast<size_t>(behind)].first);
    const ClusterLayout second = layoutCluster(c, area, {}, opened);
    QCOMPARE(second.nodes[static_cast<size_t>(second.nodeOfWorker(opened.firstWorker))].count, 1);
    // A group before the page leads back, in the end to the beginning.
    page = opened;
    for (int i = 0; i < 20 && page.firstWorker > 0; ++i) {
        const ClusterLayout shown = layoutCluster(c, area, {}, page);
        page = openedPage(shown, shown.nodeOfWorker(0), page);
    }
    QCOMPARE(page.firstWorker, 0);
    // A single card opens nothing.
    QCOMPARE(openedPage(first, first.nodeOfWorker(0), {}).firstWorker, 0);
}

QTEST_GUILESS_MAIN(TestClusterLayout)
#include "test_cluster_layout.moc"
