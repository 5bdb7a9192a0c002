// Max-min fair flows, against textbook cases, against a naive solver and against conservation.
#include "cluster/flow_network.h"

#include <QTest>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/random.h"
#include "cluster/event_simulation.h"

using namespace lockstep;

namespace {

Route route(std::initializer_list<LinkId> links) {
    Route route;
    for (const LinkId link : links) route.add(link);
    return route;
}

struct NaiveFlow {
    std::vector<LinkId> links;
    double rate = 0;
    double bytes = 0;
};

/// Progressive filling over all flows, written down as the definition says: the other way to the same rates.
void fillNaively(const std::vector<double>& capacities, std::map<std::uint64_t, NaiveFlow>& flows) {
    std::vector<double> room = capacities;
    std::map<std::uint64_t, bool> done;
    while (done.size() < flows.size()) {
        double least = std::numeric_limits<double>::infinity();
        std::size_t full = 0;
        for (std::size_t link = 0; link < capacities.size(); ++link) {
            int waiting = 0;
            for (const auto& [tag, flow] : flows)
                waiting += !done.contains(tag) && std::ranges::count(flow.links, static_cast<LinkId>(link)) > 0;
            if (waiting == 0 || room[link] / waiting >= least) continue;
            least = room[link] / waiting;
            full = link;
        }
        std::vector<std::uint64_t> frozen;
        for (auto& [tag, flow] : flows)
            if (!done.contains(tag) && std::ranges::count(flow.links, static_cast<LinkId>(full)) > 0)
                frozen.push_back(tag);
        for (const std::uint64_t tag : frozen) {
            flows[tag].rate = least;
            done[tag] = true;
            for (const LinkId link : flows[tag].links) room[static_cast<std::size_t>(link)] -= least;
        }
    }
}

}  // namespace

class TestFlowNetwork : public QObject {
    Q_OBJECT

private slots:
    // Bertsekas and Gallager, "Data Networks", figure 6.13's idea: one long flow over two links with one and two
    // others.
    void ratesAreMaxMinFair() {
        FlowNetwork network;
        const LinkId a = network.addLink(1), b = network.addLink(1);
        network.start(route({a, b}), 10, 0, 0);
        network.start(route({a}), 10, 1, 0);
        network.start(route({b}), 10, 2, 0);
        network.start(route({b}), 10, 3, 0);
        QVERIFY(std::abs(network.rateOf(0, 0) - 1.0 / 3) < 1e-12);
        QVERIFY(std::abs(network.rateOf(1, 0) - 2.0 / 3) < 1e-12);
        QVERIFY(std::abs(network.rateOf(2, 0) - 1.0 / 3) < 1e-12);
    }

    // Two flows of 1 and 3 bytes on a link of 1 byte/s: the short one ends at 2, the other one at 4.
    void whoStaysGetsTheRoomOfWhoEnds() {
        EventSimulation simulation;
        const LinkId link = simulation.network().addLink(1);
        simulation.send(route({link}), 1, 0, 1);
        simulation.send(route({link}), 3, 0, 2);
        QCOMPARE(simulation.next().value(), std::uint64_t(1));
        QCOMPARE(simulation.now(), 2.0);
        QCOMPARE(simulation.next().value(), std::uint64_t(2));
        QCOMPARE(simulation.now(), 4.0);
        QVERIFY(!simulation.next());
    }

    void latencyComesFirstAndTiesHaveAnOrder() {
        EventSimulation simulation;
        const LinkId link = simulation.network().addLink(2);
        simulation.after(1.5, 7);
        simulation.send(route({link}), 2, 0.5, 1);  // 0.5 + 1
        simulation.after(1.5, 8);
        simulation.send(Route{}, 5, 0.25, 2);
        std::vector<std::uint64_t> order;
        std::vector<double> times;
        while (const auto tag = simulation.next()) {
            order.push_back(*tag);
            times.push_back(simulation.now());
        }
        QCOMPARE(order, (std::vector<std::uint64_t>{2, 1, 7, 8}));
        QCOMPARE(times, (std::vector<double>{0.25, 1.5, 1.5, 1.5}));
    }

    // Random flows over random links come and go; after each event all rates equal those of the naive solver.
    void ratesEqualTheNaiveSolversWhateverHappens() {
        RandomStream random(5, RandomPurpose::Test, 17);
        for (int round = 0; round < 60; ++round) {
            FlowNetwork network;
            std::vector<double> capacities;
            const int links = 2 + static_cast<int>(random.nextBelow(8));
            for (int i = 0; i < links; ++i) {
                // Equal capacities too, so that there are ties.
                capacities.push_back(1 + (random.nextBelow(2) == 0 ? static_cast<double>(random.nextBelow(3))
                                                                   : 5 * random.nextDouble()));
                network.addLink(capacities.back());
            }
            std::map<std::uint64_t, NaiveFlow> naive;
            double now = 0;
            std::uint64_t tag = 0;
            for (int event = 0; event < 60; ++event) {
                const int begin = static_cast<int>(random.nextBelow(4));
                for (int i = 0; i < begin; ++i) {
                    Route path;
                    NaiveFlow flow;
                    for (int link = 0; link < links; ++link)
                        if (flow.links.size() < 5 && random.nextBelow(3) == 0) {
                            path.add(link);
                            flow.links.push_back(link);
                        }
                    if (flow.links.empty()) continue;
                    flow.bytes = 0.1 + 10 * random.nextDouble();
                    network.start(path, flow.bytes, tag, now);
                    naive[tag++] = flow;
                }
                fillNaively(capacities, naive);
                for (const auto& [one, flow] : naive) {
                    const double rate = network.rateOf(one, now);
                    QVERIFY2(std::abs(rate - flow.rate) <= 1e-9 * flow.rate,
                             qPrintable(QStringLiteral("%1 against %2").arg(rate).arg(flow.rate)));
                }
                if (naive.empty()) continue;
                double end = std::numeric_limits<double>::infinity();
                for (const auto& [one, flow] : naive) end = std::min(end, now + flow.bytes / flow.rate);
                const double found = network.nextEnd(now);
                QVERIFY2(std::abs(found - end) <= 1e-9 * end, qPrintable(QString::number(found - end)));
                std::vector<std::uint64_t> ended;
                network.takeEnded(found, ended);
                QVERIFY(!ended.empty());
                for (auto& [one, flow] : naive) flow.bytes -= flow.rate * (found - now);
                for (const std::uint64_t one : ended) {
                    QVERIFY(std::abs(naive[one].bytes) < 1e-7);
                    naive.erase(one);
                }
                now = found;
            }
        }
    }

    // 256 workers push to 16 servers over links that all differ: every byte arrives, no link carries more than it can.
    void aLargePushEndsWhenItsBytesHavePassed() {
        RandomStream random(5, RandomPurpose::Test, 18);
        EventSimulation simulation;
        constexpr int kWorkers = 256, kServers = 16;
        std::vector<double> up, down;
        std::vector<LinkId> ups, downs;
        for (int i = 0; i < kWorkers; ++i) {
            up.push_back(0.5 + random.nextDouble());
            ups.push_back(simulation.network().addLink(up.back()));
        }
        for (int i = 0; i < kServers; ++i) {
            down.push_back(0.5 + random.nextDouble());
            downs.push_back(simulation.network().addLink(down.back()));
        }
        for (int worker = 0; worker < kWorkers; ++worker) {
            simulation.after(0.01 * random.nextDouble(), static_cast<std::uint64_t>(worker));
        }
        int arrived = 0;
        std::vector<double> lastOf(kServers);
        while (const auto tag = simulation.next()) {
            if (*tag < kWorkers) {
                for (std::uint64_t server = 0; server < kServers; ++server)
                    simulation.send(route({ups[*tag], downs[server]}), 1.0 / kServers, 0, 1000 + server);
            } else {
                ++arrived;
                lastOf[*tag - 1000] = simulation.now();
            }
        }
        QCOMPARE(arrived, kWorkers * kServers);
        // The servers' links are what is scarce: each is busy from the first push on.
        for (int server = 0; server < kServers; ++server) {
            const double busy = kWorkers / (down[static_cast<std::size_t>(server)] * kServers);
            QVERIFY(lastOf[static_cast<std::size_t>(server)] >= busy);
            QVERIFY(lastOf[static_cast<std::size_t>(server)] <= busy + 0.011);
        }
    }
};

QTEST_APPLESS_MAIN(TestFlowNetwork)
#include "test_flow_network.moc"
