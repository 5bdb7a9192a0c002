// The check of collectives: what it counts follows from the collectives' definitions.
#include "collectives/collective_check.h"

#include <QTest>

using namespace lockstep;

class TestCollectiveCheck : public QObject {
    Q_OBJECT

private slots:
    void allCollectivesAreCorrectByAllAlgorithms() {
        for (const char* name :
             {"broadcast", "reduce", "scatter", "gather", "all-gather", "reduce-scatter", "all-reduce"})
            for (const auto algorithm : {AllReduceAlgorithm::Ring, AllReduceAlgorithm::Tree,
                                         AllReduceAlgorithm::HalvingDoubling, AllReduceAlgorithm::Naive})
                for (const int ranks : {1, 2, 3, 5, 8, 13})
                    for (const std::size_t elements : {std::size_t(1), std::size_t(7), std::size_t(1000)}) {
                        const auto check = checkCollective({collectiveNamed(name).value(), algorithm, ranks, elements});
                        if (!check) continue;  // not every collective has every algorithm
                        QVERIFY2(check->correct, name);
                        QCOMPARE(check->bytesSent.size(), static_cast<std::size_t>(ranks));
                    }
    }

    // Ring all-reduce: 2 (W - 1) steps, in which each rank sends a W-th; every element sums all ranks.
    void aRingCountsAsItsDefinitionSays() {
        const auto check = checkCollective({Collective::AllReduce, AllReduceAlgorithm::Ring, 8, 8000}).value();
        QCOMPARE(check.steps, 14);
        for (const std::uint64_t bytes : check.bytesSent) QCOMPARE(bytes, std::uint64_t(14 * 1000 * 4));
        QCOMPARE(check.contributions, std::vector<int>(8, 8));
        QVERIFY(check.maxError > 0 && check.maxError < 1e-6);
    }

    void whoHoldsNothingInParticularCountsNothing() {
        const auto reduce = checkCollective({Collective::Reduce, AllReduceAlgorithm::Tree, 4, 100}).value();
        QCOMPARE(reduce.contributions, (std::vector<int>{4, 0, 0, 0}));
        const auto broadcast = checkCollective({Collective::Broadcast, AllReduceAlgorithm::Tree, 4, 100}).value();
        QCOMPARE(broadcast.contributions, (std::vector<int>{1, 1, 1, 1}));
        QCOMPARE(broadcast.maxError, 0.0);
    }

    void badSettingsGetOneLine() {
        QVERIFY(!checkCollective({Collective::AllReduce, AllReduceAlgorithm::Ring, 0, 10}));
        QVERIFY(!checkCollective({Collective::AllReduce, AllReduceAlgorithm::Ring, 1025, 10}));
        QVERIFY(!checkCollective({Collective::AllReduce, AllReduceAlgorithm::Ring, 4, 0}));
        QVERIFY(!checkCollective({Collective::AllReduce, AllReduceAlgorithm::Ring, 4, std::size_t(1) << 40}));
        QVERIFY(!checkCollective({Collective::AllReduce, AllReduceAlgorithm::Auto, 4, 10}));
        QVERIFY(collectiveNamed("all-to-all").error().message.find("broadcast") != std::string::npos);
    }
};

QTEST_APPLESS_MAIN(TestCollectiveCheck)
#include "test_collective_check.moc"
