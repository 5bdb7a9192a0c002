#include <QTest>
#include <set>

#include "stage/packets.h"
#include "stage/playback.h"

using namespace lockstep;
using namespace lockstep::ui;
using Kind = TimelineSpan::Kind;

namespace {

/// Two workers and a server: pull 0..4 s, compute 4..6 s, push 6..10 s, update 10..11 s.
Timeline serverTimeline() {
    Timeline t;
    t.duration_s = 11;
    t.lanes = {{"Worker 1", 1, false}, {"Worker 2", 1, false}, {"Server 1", 1, true}};
    for (const int lane : {0, 1}) {
        t.spans.push_back({lane, Kind::Pull, 0, 4});
        t.spans.push_back({lane, Kind::Backward, 4, 6});
        t.spans.push_back({lane, Kind::Push, 6, 10});
        t.spans.push_back({lane, Kind::Wait, 10, 11});
    }
    t.spans.push_back({2, Kind::Pull, 0, 4});
    t.spans.push_back({2, Kind::Wait, 4, 6});
    t.spans.push_back({2, Kind::Push, 6, 10});
    t.spans.push_back({2, Kind::Update, 10, 11});
    return t;
}

Timeline allReduceTimeline(int workers) {
    Timeline t;
    t.duration_s = 1;
    t.lanes = {{"Workers", workers, false}};
    t.spans = {{0, Kind::AllReduce, 0, 1}};
    return t;
}

ClusterLayout laid(ClusterShape shape, int workers, int servers = 0) {
    return layoutCluster({shape, workers, servers}, QRectF(0, 0, 740, 280), {});
}

double meanY(const std::vector<Packet>& packets) {
    double sum = 0;
    for (const Packet& p : packets) sum += p.at.y();
    return packets.empty() ? 0 : sum / static_cast<double>(packets.size());
}

}  // namespace

/// Packets are a function of the modelled time alone: nothing moves that the timeline does not say moves.
class TestPackets : public QObject {
    Q_OBJECT
private slots:
    void nothingMovesWhileComputingOrWaiting();
    void pulledWeightsGoDownAndPushedGradientsUp();
    void aPhaseBeginsAndEndsWithEmptyLinks();
    void inARingEveryRankSendsOneChunkARound();
    void aTreeMovesOneLevelARound();
    void partnersExchangeBothWays();
    void lanesWithACountStandForTheirWorkers();
    void manyLinksStayWithinTheLimit();
    void phasesNameWhatServersDoWhileWorkersWait();
};

void TestPackets::nothingMovesWhileComputingOrWaiting() {
    const Traffic traffic(serverTimeline());
    const ClusterLayout layout = laid(ClusterShape::Servers, 2, 1);
    QVERIFY(packetsAt(layout, traffic, 5).empty());
    QVERIFY(packetsAt(layout, traffic, 10.5).empty());
    QVERIFY(packetsAt(layout, Traffic(), 5).empty());
}

void TestPackets::pulledWeightsGoDownAndPushedGradientsUp() {
    const Traffic traffic(serverTimeline());
    const ClusterLayout layout = laid(ClusterShape::Servers, 2, 1);
    const double server = layout.nodes[0].card.bottom(), worker = layout.nodes[1].card.top();
    for (const double time_s : {1.5, 2.0, 2.5}) {
        const auto pulled = packetsAt(layout, traffic, time_s);
        QVERIFY(!pulled.empty());
        for (const Packet& p : pulled) {
            QVERIFY(!p.gradient);
            QVERIFY(p.at.y() >= server - 1 && p.at.y() <= worker + 1);
        }
    }
    const auto pushed = packetsAt(layout, traffic, 8);
    QVERIFY(!pushed.empty());
    for (const Packet& p : pushed) QVERIFY(p.gradient);
    // Early in a pull the packets are near the server, late near the workers; in a push the other way round.
    QVERIFY(meanY(packetsAt(layout, traffic, 0.4)) < meanY(packetsAt(layout, traffic, 3.6)));
    QVERIFY(meanY(packetsAt(layout, traffic, 6.4)) > meanY(packetsAt(layout, traffic, 9.6)));
}

void TestPackets::aPhaseBeginsAndEndsWithEmptyLinks() {
    const Traffic traffic(serverTimeline());
    const ClusterLayout layout = laid(ClusterShape::Servers, 2, 1);
    QVERIFY(packetsAt(layout, traffic, 0).empty());
    QVERIFY(packetsAt(layout, traffic, 3.9999).size() <= packetsAt(layout, traffic, 2).size());
}

void TestPackets::inARingEveryRankSendsOneChunkARound() {
    const ClusterLayout layout = laid(ClusterShape::Ring, 8);
    const Traffic traffic(allReduceTimeline(8));
    QCOMPARE(visibleRounds(layout), 14);  // 2 (W - 1)
    for (const double time_s : {0.01, 0.3, 0.77}) {
        const auto packets = packetsAt(layout, traffic, time_s);
        QCOMPARE(packets.size(), size_t{8});
        std::set<int> chunks;
        for (const Packet& p : packets) chunks.insert(p.colour);
        QCOMPARE(chunks.size(), size_t{8});  // each rank passes on another chunk
    }
    // Halfway through a round the packet of rank 1 lies in the middle between two cards.
    const auto packets = packetsAt(layout, traffic, 0.5 / 14);
    const QRectF a = layout.nodes[0].card, b = layout.nodes[1].card;
    QVERIFY(packets[0].at.x() > a.right() && packets[0].at.x() < b.left());
}

void TestPackets::aTreeMovesOneLevelARound() {
    const ClusterLayout layout = laid(ClusterShape::Tree, 8);
    const Traffic traffic(allReduceTimeline(8));
    QCOMPARE(visibleRounds(layout), 6);  // reduce and broadcast, ceil(log2 8) rounds each
    const size_t senders[] = {4, 2, 1, 1, 2, 4};
    for (int round = 0; round < 6; ++round)
        QCOMPARE(packetsAt(layout, traffic, (round + 0.5) / 6).size(), senders[round]);
}

void TestPackets::partnersExchangeBothWays() {
    const ClusterLayout layout = laid(ClusterShape::Exchange, 8);
    const Traffic traffic(allReduceTimeline(8));
    QCOMPARE(visibleRounds(layout), 6);
    for (int round = 0; round < 6; ++round) QCOMPARE(packetsAt(layout, traffic, (round + 0.5) / 6).size(), size_t{8});
}

void TestPackets::lanesWithACountStandForTheirWorkers() {
    Timeline t = serverTimeline();
    t.lanes = {{"Worker 1", 1, false}, {"Workers 2..9", 8, false}, {"Server 1", 1, true}};
    t.spans[5].kind = Kind::Forward;  // the second lane's second span
    const Traffic traffic(t);
    QCOMPARE(traffic.at(false, 0, 5).kind, Kind::Backward);
    QCOMPARE(traffic.at(false, 1, 5).kind, Kind::Forward);
    QCOMPARE(traffic.at(false, 8, 5).kind, Kind::Forward);
    QCOMPARE(traffic.at(false, 9, 5).kind, Kind::Wait);  // there is no tenth
    QCOMPARE(traffic.at(true, 0, 10.5).kind, Kind::Update);
}

void TestPackets::manyLinksStayWithinTheLimit() {
    Timeline t = serverTimeline();
    t.lanes = {{"Workers", 48, false}, {"none", 0, false}, {"Servers", 16, true}};
    const ClusterLayout layout = laid(ClusterShape::Servers, 48, 16);
    QCOMPARE(layout.edges.size(), size_t{48 * 16});
    for (const double time_s : {1.0, 2.0, 3.0}) {
        const size_t count = packetsAt(layout, Traffic(t), time_s, 500).size();
        QVERIFY(count > 0 && count <= 500);
    }
}

void TestPackets::phasesNameWhatServersDoWhileWorkersWait() {
    const std::vector<Phase> phases = phasesOf(serverTimeline());
    QCOMPARE(phases.size(), size_t{4});
    QCOMPARE(phases[0].kind, Kind::Pull);
    QCOMPARE(phases[3].kind, Kind::Update);
    QCOMPARE(phases[3].end_s, 11.0);
}

QTEST_GUILESS_MAIN(TestPackets)
#include "test_packets.moc"
