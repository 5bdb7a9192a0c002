#include <QtTest>
#include <cmath>
#include <map>
#include <set>

#include "collectives/cost.h"
#include "collectives/schedule.h"

using namespace lockstep;

namespace {

constexpr std::array kAlgorithms{AllReduceAlgorithm::Ring, AllReduceAlgorithm::Tree,
                                 AllReduceAlgorithm::HalvingDoubling, AllReduceAlgorithm::Naive};
constexpr std::array kCollectives{Collective::Broadcast, Collective::Reduce,    Collective::Scatter,
                                  Collective::Gather,    Collective::AllGather, Collective::ReduceScatter,
                                  Collective::AllReduce};
constexpr std::array kRanks{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 32, 33, 64, 100};

bool near(double value, double expected) { return std::abs(value - expected) <= 1e-12 * std::abs(expected); }

double allReduceSeconds(AllReduceAlgorithm algorithm, int ranks, double bytes, const UniformLinks& links) {
    return closedFormSeconds(Collective::AllReduce, algorithm, ranks, bytes, links).value();
}

}  // namespace

class TestSchedule : public QObject {
    Q_OBJECT
private slots:
    /// The formulas of the experiment contract, written out once more.
    void allReduceCostsTheContractsFormulas() {
        const double bytes = 102228128;
        const UniformLinks links{.bandwidthBitPerS = 1e10, .latency_s = 5e-6};
        const double transfer = 8 * bytes / links.bandwidthBitPerS, latency = links.latency_s;
        for (const int ranks : {2, 3, 4, 7, 8, 64, 1000, 65536}) {
            const double w = ranks, levels = std::ceil(std::log2(w));
            QVERIFY(near(allReduceSeconds(AllReduceAlgorithm::Ring, ranks, bytes, links),
                         2 * (w - 1) / w * transfer + 2 * (w - 1) * latency));
            QVERIFY(near(allReduceSeconds(AllReduceAlgorithm::Tree, ranks, bytes, links),
                         2 * levels * (transfer + latency)));
            QVERIFY(near(allReduceSeconds(AllReduceAlgorithm::Naive, ranks, bytes, links),
                         2 * (w - 1) * transfer + 2 * latency));
            if (levels == std::log2(w))
                QVERIFY(near(allReduceSeconds(AllReduceAlgorithm::HalvingDoubling, ranks, bytes, links),
                             2 * (w - 1) / w * transfer + 2 * levels * latency));
        }
    }

    /// Two independent ways to the cost: formula, and the busiest link of each step of the schedule.
    void formulasEqualTheSchedulesBusiestLinks() {
        const UniformLinks links{.bandwidthBitPerS = 3e9, .latency_s = 7e-6};
        for (const Collective collective : kCollectives)
            for (const AllReduceAlgorithm algorithm : kAlgorithms)
                for (const int ranks : kRanks) {
                    const double formula = closedFormSeconds(collective, algorithm, ranks, 1e7, links).value();
                    const double schedule =
                        scheduleSeconds(CollectiveSchedule::make(collective, algorithm, ranks).value(), 1e7, links);
                    QVERIFY2(near(formula, schedule), qPrintable(QString("%1, algorithm %2, %3 ranks: %4 and %5")
                                                                     .arg(collectiveName(collective))
                                                                     .arg(static_cast<int>(algorithm))
                                                                     .arg(ranks)
                                                                     .arg(formula)
                                                                     .arg(schedule)));
                }
    }

    /// What the executor and the simulator rely on: ranks and chunks in range, nothing sent to oneself, and no rank
    /// both sending and receiving one chunk in a step; a chunk is replaced at most once a step and then by one sender.
    void stepsAreConsistent() {
        for (const Collective collective : kCollectives)
            for (const AllReduceAlgorithm algorithm : kAlgorithms)
                for (const int ranks : kRanks)
                    checkSteps(CollectiveSchedule::make(collective, algorithm, ranks).value());
    }

    /// Ring, tree and halving-doubling are rendezvous steps: one message to and one from a rank at most.
    void rendezvousStepsHaveOneMessageEachWay() {
        for (const Collective collective : kCollectives)
            for (const AllReduceAlgorithm algorithm :
                 {AllReduceAlgorithm::Ring, AllReduceAlgorithm::Tree, AllReduceAlgorithm::HalvingDoubling})
                for (const int ranks : kRanks) {
                    const CollectiveSchedule schedule = CollectiveSchedule::make(collective, algorithm, ranks).value();
                    for (int step = 0; step < schedule.steps(); ++step) {
                        std::set<int> senders, receivers;
                        for (const Transfer& transfer : schedule.transfers(step)) {
                            QVERIFY(senders.insert(transfer.sender).second);
                            QVERIFY(receivers.insert(transfer.receiver).second);
                        }
                    }
                }
    }

    void refusesWhatItCannotDo() {
        for (const int ranks : {0, -1, 65537})
            QVERIFY(!CollectiveSchedule::make(Collective::AllReduce, AllReduceAlgorithm::Ring, ranks));
        QVERIFY(!CollectiveSchedule::make(Collective::AllReduce, AllReduceAlgorithm::Hierarchical, 8));
        QVERIFY(!closedFormSeconds(Collective::AllReduce, AllReduceAlgorithm::Auto, 8, 1, {}));
    }

private:
    static void checkSteps(const CollectiveSchedule& schedule) {
        for (int step = 0; step < schedule.steps(); ++step) {
            std::map<std::pair<int, int>, int> sent, added, replaced;
            const std::vector<Transfer> transfers = schedule.transfers(step);
            QVERIFY(!transfers.empty());
            for (const Transfer& t : transfers) {
                QVERIFY(t.sender >= 0 && t.sender < schedule.ranks() && t.receiver >= 0 &&
                        t.receiver < schedule.ranks());
                QVERIFY(t.sender != t.receiver);
                QVERIFY(t.firstChunk >= 0 && t.chunkCount >= 1 && t.firstChunk + t.chunkCount <= schedule.chunks());
                for (int chunk = t.firstChunk; chunk < t.firstChunk + t.chunkCount; ++chunk) {
                    ++sent[{t.sender, chunk}];
                    ++(t.add ? added : replaced)[{t.receiver, chunk}];
                }
            }
            for (const auto& [key, count] : added) QVERIFY(!sent.contains(key) && !replaced.contains(key));
            for (const auto& [key, count] : replaced) QVERIFY(count == 1 && !sent.contains(key));
        }
    }
};

QTEST_GUILESS_MAIN(TestSchedule)
#include "test_schedule.moc"
