#include <QtTest>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

#include "base/random.h"

using namespace lockstep;

class TestRandom : public QObject {
    Q_OBJECT
private slots:
    /// Known answers of philox4x32 with 10 rounds from the file kat_vectors of the Random123 distribution (D. E. Shaw
    /// Research): zeros, ones, and the digits of pi.
    void meetsTheKnownAnswers() {
        using Counter = std::array<std::uint32_t, 4>;
        QVERIFY((philox4x32({0, 0, 0, 0}, {0, 0}) == Counter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
        QVERIFY((philox4x32({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}) ==
                 Counter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
        QVERIFY((philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
                 Counter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
    }

    /// A stream hands out the blocks of counters 0, 1, ... under its seed: purpose and index sit in the upper words.
    void streamIsTheCipherOfItsCounter() {
        RandomStream stream(0x0123456789abcdefULL, RandomPurpose::Test, 7);
        for (std::uint32_t block = 0; block < 3; ++block) {
            const auto expected =
                philox4x32({block, 0, 7, static_cast<std::uint32_t>(RandomPurpose::Test)}, {0x89abcdef, 0x01234567});
            for (const std::uint32_t word : expected) QCOMPARE(stream.nextBits(), word);
        }
    }

    /// Chi-squared over 16 bins of 160,000 draws: 15 degrees of freedom, 99.99 % quantile 44.3.
    void boundedDrawsAreUniform() {
        RandomStream stream(11, RandomPurpose::Test);
        constexpr int kBins = 16, kDraws = 160000;
        std::array<int, kBins> counts{};
        for (int i = 0; i < kDraws; ++i) ++counts[stream.nextBelow(kBins)];
        double chiSquared = 0;
        for (const int count : counts) {
            const double off = count - kDraws / double{kBins};
            chiSquared += off * off / (kDraws / double{kBins});
        }
        QVERIFY2(chiSquared < 44.3, qPrintable(QString::number(chiSquared)));
    }

    /// A bound of 3 x 2^30 makes the plain high-word method twice as likely to give one residue as another.
    void largeBoundsAreWithoutBias() {
        RandomStream stream(3, RandomPurpose::Test);
        constexpr std::uint32_t kBound = 3U << 30;
        constexpr int kDraws = 60000;
        std::array<int, 3> residues{};
        for (int i = 0; i < kDraws; ++i) {
            const std::uint32_t value = stream.nextBelow(kBound);
            QVERIFY(value < kBound);
            ++residues[value % 3];
        }
        // Deviation of a count: sqrt(60,000 x 1/3 x 2/3) = 115.
        for (const int count : residues) QVERIFY(std::abs(count - kDraws / 3) < 5 * 115);
    }

    /// Uniform on [0, 1): mean 1/2, variance 1/12; of 100,000 draws the mean deviates by 0.0009.
    void fractionsHaveTheMomentsOfTheUniform() {
        RandomStream stream(5, RandomPurpose::Test);
        double sum = 0, squares = 0;
        constexpr int kDraws = 100000;
        for (int i = 0; i < kDraws; ++i) {
            const double value = i % 2 == 0 ? stream.nextDouble() : double{stream.nextFloat()};
            QVERIFY(value >= 0 && value < 1);
            sum += value;
            squares += value * value;
        }
        const double mean = sum / kDraws;
        QVERIFY(std::abs(mean - 0.5) < 0.0046);
        QVERIFY(std::abs(squares / kDraws - mean * mean - 1.0 / 12) < 0.002);
    }

    /// Sum of 12 uniforms minus 6: mean 0, variance 1, fourth moment 3 - 1.2/12 = 2.9.
    void normalsHaveTheirMoments() {
        RandomStream stream(6, RandomPurpose::Test);
        double sum = 0, squares = 0, fourths = 0;
        constexpr int kDraws = 50000;
        for (int i = 0; i < kDraws; ++i) {
            const double value = stream.nextNormal(), square = value * value;
            sum += value;
            squares += square;
            fourths += square * square;
        }
        QVERIFY(std::abs(sum / kDraws) < 0.025);
        QVERIFY(std::abs(squares / kDraws - 1) < 0.035);
        QVERIFY(std::abs(fourths / kDraws - 2.9) < 0.25);
    }

    /// Streams that differ in seed, purpose or index alone: no common block, and a correlation near 0 (deviation 0.01).
    void streamsAreIndependent_data() {
        QTest::addColumn<quint64>("seed");
        QTest::addColumn<int>("purpose");
        QTest::addColumn<quint32>("index");
        QTest::newRow("seed") << quint64{2} << 0 << quint32{0};
        QTest::newRow("upper half of the seed") << (quint64{1} << 32 | 1) << 0 << quint32{0};
        QTest::newRow("purpose") << quint64{1} << 1 << quint32{0};
        QTest::newRow("index") << quint64{1} << 0 << quint32{1};
    }
    void streamsAreIndependent() {
        QFETCH(quint64, seed);
        QFETCH(int, purpose);
        QFETCH(quint32, index);
        RandomStream a(1, static_cast<RandomPurpose>(0)), b(seed, static_cast<RandomPurpose>(purpose), index);
        double product = 0;
        constexpr int kDraws = 10000;
        for (int i = 0; i < kDraws; ++i) product += (a.nextDouble() - 0.5) * (b.nextDouble() - 0.5);
        QVERIFY(std::abs(product / kDraws * 12) < 0.05);
    }

    /// All 24 orders of four values, 24,000 times: 1,000 each, deviation 31.
    void shuffleReachesEveryOrderEqually() {
        RandomStream stream(9, RandomPurpose::Test);
        std::map<std::vector<std::uint32_t>, int> counts;
        for (int i = 0; i < 24000; ++i) {
            std::vector<std::uint32_t> values{0, 1, 2, 3};
            shuffle(values, stream);
            ++counts[values];
        }
        QCOMPARE(counts.size(), std::size_t{24});
        for (const auto& [order, count] : counts) QVERIFY(std::abs(count - 1000) < 155);
    }

    void shuffleKeepsTheValues() {
        RandomStream stream(10, RandomPurpose::Test);
        std::vector<std::uint32_t> values(1000);
        std::iota(values.begin(), values.end(), 0U);
        const std::vector<std::uint32_t> before = values;
        shuffle(values, stream);
        QVERIFY(values != before);
        std::sort(values.begin(), values.end());
        QVERIFY(values == before);
        std::vector<std::uint32_t> none;
        shuffle(none, stream);
    }
};

QTEST_GUILESS_MAIN(TestRandom)
#include "test_random.moc"
