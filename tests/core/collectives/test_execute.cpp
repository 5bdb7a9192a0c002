#include <QtTest>
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "base/random.h"
#include "base/thread_pool.h"
#include "collectives/execute.h"

using namespace lockstep;

namespace {

constexpr std::array kAlgorithms{AllReduceAlgorithm::Ring, AllReduceAlgorithm::Tree,
                                 AllReduceAlgorithm::HalvingDoubling, AllReduceAlgorithm::Naive};
constexpr std::array kRanks{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 32, 33, 64, 100};
constexpr std::array<std::size_t, 5> kLengths{0, 1, 5, 97, 1001};

/// One buffer a rank, filled with normal numbers.
class Buffers {
public:
    Buffers(int ranks, std::size_t elements) : m_values(static_cast<std::size_t>(ranks), std::vector<float>(elements)) {
        for (std::size_t rank = 0; rank < m_values.size(); ++rank) {
            RandomStream stream(1, RandomPurpose::Test, static_cast<std::uint32_t>(rank));
            for (float& value : m_values[rank]) value = static_cast<float>(stream.nextNormal());
        }
    }
    std::vector<float*> pointers() {
        std::vector<float*> result;
        for (std::vector<float>& buffer : m_values) result.push_back(buffer.data());
        return result;
    }
    const std::vector<float>& operator[](std::size_t rank) const { return m_values[rank]; }
    [[nodiscard]] std::size_t ranks() const { return m_values.size(); }
    [[nodiscard]] bool sameBits(const Buffers& other) const {
        for (std::size_t rank = 0; rank < ranks(); ++rank)
            if (!m_values[rank].empty() && std::memcmp(m_values[rank].data(), other.m_values[rank].data(),
                                                       m_values[rank].size() * sizeof(float)) != 0)
                return false;
        return true;
    }

private:
    std::vector<std::vector<float>> m_values;
};

/// Plain sums in double, and how far float sums of so many numbers may be off.
struct Sums {
    explicit Sums(const Buffers& buffers) : value(buffers[0].size()), bound(buffers[0].size()) {
        for (std::size_t i = 0; i < value.size(); ++i) {
            double magnitude = 0;
            for (std::size_t rank = 0; rank < buffers.ranks(); ++rank) {
                value[i] += double{buffers[rank][i]};
                magnitude += std::abs(double{buffers[rank][i]});
            }
            // Higham, Accuracy and Stability, section 4.2: (n - 1) u times the sum of magnitudes, for any order.
            bound[i] = static_cast<double>(buffers.ranks()) * 0x1p-24 * magnitude;
        }
    }
    [[nodiscard]] bool meets(std::size_t i, float sum) const { return std::abs(double{sum} - value[i]) <= bound[i]; }
    std::vector<double> value, bound;
};

CollectivePlan plan(Collective collective, AllReduceAlgorithm algorithm, int ranks, std::size_t elements) {
    return {CollectiveSchedule::make(collective, algorithm, ranks).value(), elements};
}

bool owns(int rank, std::size_t i, std::size_t elements, int ranks) {
    const ElementRange range = chunkRange(elements, ranks, rank);
    return i >= range.begin && i < range.end;
}

}  // namespace

class TestExecute : public QObject {
    Q_OBJECT
private slots:
    void everyCollective_data() {
        QTest::addColumn<Collective>("collective");
        for (const Collective collective :
             {Collective::Broadcast, Collective::Reduce, Collective::Scatter, Collective::Gather, Collective::AllGather,
              Collective::ReduceScatter, Collective::AllReduce})
            QTest::newRow(collectiveName(collective)) << collective;
    }

    /// Against plain sums and copies, for all algorithms, ranks and lengths; where nothing is promised nothing is
    /// asked.
    void everyCollective() {
        QFETCH(Collective, collective);
        for (const AllReduceAlgorithm algorithm : kAlgorithms)
            for (const int ranks : kRanks)
                for (const std::size_t elements : kLengths) {
                    const Buffers before(ranks, elements);
                    Buffers after = before, stepwise = before;
                    const CollectivePlan ready = plan(collective, algorithm, ranks, elements);
                    ready.execute(after.pointers());
                    ready.executeStepwise(stepwise.pointers());
                    QVERIFY2(after.sameBits(stepwise), "fused and message by message differ");
                    QVERIFY2(isRight(collective, before, after, elements),
                             qPrintable(QString("algorithm %1, %2 ranks, %3 elements")
                                            .arg(static_cast<int>(algorithm))
                                            .arg(ranks)
                                            .arg(elements)));
                }
    }

    /// Any number of threads, and enough elements that all of them get work; and a mean by scaling.
    void threadsDoNotChangeABit() {
        for (const AllReduceAlgorithm algorithm : kAlgorithms)
            for (const int ranks : {2, 6, 16}) {
                const std::size_t elements = 50021;
                const CollectivePlan ready = plan(Collective::AllReduce, algorithm, ranks, elements);
                Buffers reference(ranks, elements);
                ready.execute(reference.pointers(), nullptr, 1.0F / static_cast<float>(ranks));
                const Sums sums{Buffers(ranks, elements)};
                for (std::size_t i = 0; i < elements; ++i)
                    QVERIFY(std::abs(double{reference[0][i]} - sums.value[i] / ranks) <=
                            sums.bound[i] / ranks + 0x1p-22 * std::abs(sums.value[i]));
                for (const int threads : {1, 2, 4}) {
                    ThreadPool pool(threads);
                    Buffers buffers(ranks, elements);
                    ready.execute(buffers.pointers(), &pool, 1.0F / static_cast<float>(ranks));
                    QVERIFY(buffers.sameBits(reference));
                }
            }
    }

    /// M = 4 x 960 bytes. Ring and power-of-two halving: 2(W-1)/W M each way from every rank. Tree: the root receives
    /// and sends one M for each of its children. Naive: the root (W-1) M each way, the others M.
    void bytesPerRankEqualTheClosedForms() {
        const std::uint64_t bytes = 4 * 960;
        for (const int ranks : {2, 4, 8, 16, 32}) {
            const std::uint64_t w = static_cast<std::uint64_t>(ranks), others = w - 1;
            const auto levels = static_cast<std::uint64_t>(std::log2(ranks));
            for (const AllReduceAlgorithm algorithm : {AllReduceAlgorithm::Ring, AllReduceAlgorithm::HalvingDoubling}) {
                const CollectiveTraffic traffic = plan(Collective::AllReduce, algorithm, ranks, 960).traffic();
                for (std::size_t rank = 0; rank < w; ++rank) {
                    QCOMPARE(traffic.bytesSent[rank], 2 * others * bytes / w);
                    QCOMPARE(traffic.bytesReceived[rank], 2 * others * bytes / w);
                }
            }
            const CollectiveTraffic tree = plan(Collective::AllReduce, AllReduceAlgorithm::Tree, ranks, 960).traffic();
            QCOMPARE(tree.bytesSent[0], levels * bytes);
            QCOMPARE(tree.bytesReceived[0], levels * bytes);
            QCOMPARE(tree.totalBytesSent(), 2 * others * bytes);
            const CollectiveTraffic naive =
                plan(Collective::AllReduce, AllReduceAlgorithm::Naive, ranks, 960).traffic();
            QCOMPARE(naive.bytesSent[0], others * bytes);
            QCOMPARE(naive.bytesReceived[0], others * bytes);
            QCOMPARE(naive.bytesSent[1], bytes);
            QCOMPARE(naive.steps, 2);
        }
    }

    void chunksCoverTheElements() {
        for (const int chunks : {1, 2, 7, 100})
            for (const std::size_t elements : kLengths) {
                std::size_t next = 0;
                for (int chunk = 0; chunk < chunks; ++chunk) {
                    const ElementRange range = chunkRange(elements, chunks, chunk);
                    QCOMPARE(range.begin, next);
                    QVERIFY(range.end - range.begin <= elements / static_cast<std::size_t>(chunks) + 1);
                    next = range.end;
                }
                QCOMPARE(next, elements);
            }
    }

private:
    static bool isRight(Collective collective, const Buffers& before, const Buffers& after, std::size_t elements) {
        const Sums sums(before);
        const int ranks = static_cast<int>(before.ranks());
        for (int rank = 0; rank < ranks; ++rank)
            for (std::size_t i = 0; i < elements; ++i) {
                const float now = after[static_cast<std::size_t>(rank)][i];
                const bool own = owns(rank, i, elements, ranks);
                switch (collective) {
                    case Collective::AllReduce:
                        if (!sums.meets(i, now) || now != after[0][i]) return false;
                        break;
                    case Collective::ReduceScatter:
                        if (own && !sums.meets(i, now)) return false;
                        break;
                    case Collective::Reduce:
                        if (rank == 0 && !sums.meets(i, now)) return false;
                        break;
                    case Collective::Broadcast:
                        if (now != before[0][i]) return false;
                        break;
                    case Collective::Scatter:
                        if (own && now != before[0][i]) return false;
                        break;
                    case Collective::AllGather:
                    case Collective::Gather:
                        if (collective == Collective::Gather && rank > 0) break;
                        for (int owner = 0; owner < ranks; ++owner)
                            if (owns(owner, i, elements, ranks) && now != before[static_cast<std::size_t>(owner)][i])
                                return false;
                        break;
                }
            }
        return true;
    }
};

QTEST_GUILESS_MAIN(TestExecute)
#include "test_execute.moc"
