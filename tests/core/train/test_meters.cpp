// Distances, projections, curves and compression against plain computations in double.
#include <QTest>
#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "optim/vector_math.h"
#include "train/curve.h"
#include "train/divergence_meter.h"
#include "train/gradient_compression.h"
#include "train/meters.h"
#include "train/parameters_hash.h"
#include "train/server_layout.h"
#include "train/wire_format.h"

using namespace lockstep;

namespace {

FloatVector normals(std::size_t size, std::uint32_t index, double scale = 1) {
    RandomStream stream(11, RandomPurpose::Test, index);
    FloatVector values(size);
    for (float& value : values) value = static_cast<float>(scale * stream.nextNormal());
    return values;
}

std::vector<FloatVector> replicasAround(const FloatVector& centre, std::size_t count) {
    std::vector<FloatVector> replicas;
    for (std::size_t i = 0; i < count; ++i) {
        FloatVector replica = normals(centre.size(), static_cast<std::uint32_t>(100 + i), i == 3 ? 0.3 : 0.1);
        add(centre, replica);
        replicas.push_back(std::move(replica));
    }
    return replicas;
}

double plainLargestDistance(const std::vector<FloatVector>& replicas) {
    double largest = 0;
    for (std::size_t i = 0; i < replicas.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
            double sum = 0;
            for (std::size_t k = 0; k < replicas[i].size(); ++k)
                sum += std::pow(double{replicas[i][k]} - double{replicas[j][k]}, 2);
            largest = std::max(largest, std::sqrt(sum));
        }
    return largest;
}

double plainMeanDistance(const std::vector<FloatVector>& replicas, double& averageNorm) {
    std::vector<double> mean(replicas.front().size());
    for (const FloatVector& replica : replicas)
        for (std::size_t k = 0; k < mean.size(); ++k) mean[k] += replica[k] / double(replicas.size());
    averageNorm = 0;
    for (const double value : mean) averageNorm += value * value;
    averageNorm = std::sqrt(averageNorm);
    double distances = 0;
    for (const FloatVector& replica : replicas) {
        double sum = 0;
        for (std::size_t k = 0; k < mean.size(); ++k) sum += std::pow(replica[k] - mean[k], 2);
        distances += std::sqrt(sum) / double(replicas.size());
    }
    return distances;
}

}  // namespace

class TestMeters : public QObject {
    Q_OBJECT

private slots:
    void distancesAreThoseOfPlainSums_data() {
        QTest::addColumn<int>("replicas");
        for (const int replicas : {2, 5, 8, 9, 20}) QTest::addRow("%d", replicas) << replicas;
    }
    // One replica lies three times farther out, so the largest pair is no matter of luck even by a sketch.
    void distancesAreThoseOfPlainSums() {
        QFETCH(int, replicas);
        constexpr std::size_t kSize = 40001;
        const auto vectors = replicasAround(normals(kSize, 0), static_cast<std::size_t>(replicas));
        ThreadPool pool(2);
        DivergenceMeter meter({{0, 30000}, {30000, kSize}}, 1, pool);
        const auto measured = meter.measure(std::vector<std::span<const float>>(vectors.begin(), vectors.end()));
        QVERIFY(measured.has_value());
        double norm = 0;
        const double mean = plainMeanDistance(vectors, norm);
        const double largest = plainLargestDistance(vectors);
        QVERIFY(std::abs(measured->divergence.meanDistanceToAverage - mean) < 1e-5 * mean);
        QVERIFY(std::abs(measured->divergence.relative - mean / norm) < 1e-5 * mean / norm);
        QVERIFY(measured->divergence.maxPairwiseDistance <= largest * (1 + 1e-9));
        QVERIFY(measured->divergence.maxPairwiseDistance > largest * (replicas <= 8 ? 1 - 1e-9 : 0.99));
    }

    // A layer's distance is that of replicas which have nothing but this layer.
    void layersAreMeasuredEachByItself_data() {
        QTest::addColumn<int>("replicas");
        for (const int replicas : {1, 2, 3, 8}) QTest::addRow("%d", replicas) << replicas;
    }
    void layersAreMeasuredEachByItself() {
        QFETCH(int, replicas);
        const std::vector<IndexRange> layers{{0, 7}, {7, 20007}, {20007, 20008}, {20008, 40000}};
        const auto vectors = replicasAround(normals(40000, 0), static_cast<std::size_t>(replicas));
        ThreadPool pool(2);
        const auto measured = DivergenceMeter(layers, 1, pool)
                                  .measure(std::vector<std::span<const float>>(vectors.begin(), vectors.end()));
        QCOMPARE(measured->layers.size(), layers.size());
        for (std::size_t layer = 0; layer < layers.size(); ++layer) {
            std::vector<FloatVector> parts;
            for (const FloatVector& vector : vectors)
                parts.emplace_back(vector.begin() + static_cast<std::ptrdiff_t>(layers[layer].begin),
                                   vector.begin() + static_cast<std::ptrdiff_t>(layers[layer].end));
            double norm = 0;
            const double mean = plainMeanDistance(parts, norm);
            QVERIFY(std::abs(measured->layers[layer].meanDistanceToAverage - mean) <= 1e-5 * mean);
            QVERIFY(std::abs(measured->layers[layer].relative - mean / norm) <= 1e-5 * mean / norm);
            QVERIFY(replicas == 1 || mean > 0);
        }
    }

    void distancesDoNotDependOnThreads() {
        const auto vectors = replicasAround(normals(50000, 0), 12);
        const std::vector<std::span<const float>> replicas(vectors.begin(), vectors.end());
        std::vector<double> figures;
        for (const int threads : {1, 2, 4}) {
            ThreadPool pool(threads);
            const auto measured = DivergenceMeter({{0, 50000}}, 1, pool).measure(replicas);
            std::vector<double> now{measured->divergence.meanDistanceToAverage, measured->divergence.relative,
                                    measured->divergence.maxPairwiseDistance, measured->divergence.shownShare};
            for (const ReplicaPlace& place : measured->places) now.insert(now.end(), {place.x, place.y});
            if (threads == 1) figures = now;
            QCOMPARE(now, figures);
        }
    }

    void equalReplicasAreExactlyTogether() {
        const FloatVector one = normals(1000, 5);
        ThreadPool pool(1);
        DivergenceMeter meter({{0, one.size()}}, 1, pool);
        for (const std::size_t count : {3U, 40U}) {
            const auto measured = meter.measure(std::vector<std::span<const float>>(count, one));
            QCOMPARE(measured->divergence.meanDistanceToAverage, 0.0);
            QCOMPARE(measured->divergence.maxPairwiseDistance, 0.0);
            QCOMPARE(measured->places.front().x, 0.0);
            QCOMPARE(measured->layers.front().meanDistanceToAverage, 0.0);
        }
    }

    void namesSayWhichMetersAreOn() {
        QCOMPARE(parseMeters("on").value(), Meters{});
        const Meters none = parseMeters("off").value();
        QVERIFY(!none.divergence && !none.noise && !none.times && !none.fullGradients);
        QVERIFY(parseMeters("sampled").value() == Meters{.sampled = true});
        const Meters some = parseMeters("noise,full-gradients").value();
        QVERIFY(!some.divergence && some.noise && !some.times && some.fullGradients);
        QVERIFY(parseMeters("divergence,times").value().divergence);
        for (const char* wrong : {"", "all", "noise,", "noise,on"}) QVERIFY2(!parseMeters(wrong), wrong);
    }

    void hashTellsVectorsApart() {
        const FloatVector one = normals(1001, 6);
        FloatVector other = one;
        QCOMPARE(parametersHash(one), parametersHash(other));
        other[500] = std::nextafter(other[500], 10.0F);
        QVERIFY(parametersHash(one) != parametersHash(other));
        other = one;
        std::swap(other[4], other[8]);  // the same lane
        QVERIFY(parametersHash(one) != parametersHash(other));
        std::fill(other.begin(), other.end(), 0.0F);
        FloatVector negative = other;
        negative[7] = -0.0F;
        QVERIFY(parametersHash(other) != parametersHash(negative));
    }

    void theCurveThinsEvenlyAndKeepsTests() {
        Curve curve;
        constexpr long long kSteps = 30000;
        for (long long step = 0; step <= kSteps; ++step) {
            Snapshot snapshot;
            snapshot.step = step;
            if (step % 1000 == 0) snapshot.testAccuracy = 0.5;
            snapshot.replicas.resize(3);
            curve.add(snapshot);
            QVERIFY(curve.points().size() <= Curve::kMost);
            QCOMPARE(curve.points().back().step, step);
        }
        const auto& points = curve.points();
        QVERIFY(points.size() > Curve::kMost / 3);
        QCOMPARE(points.front().step, 0LL);
        QVERIFY(std::ranges::is_sorted(points, {}, &Snapshot::step));
        QCOMPARE(std::ranges::count_if(points, [](const Snapshot& s) { return !std::isnan(s.testAccuracy); }), 31L);
        long long widest = 0;
        for (std::size_t i = 1; i < points.size(); ++i) widest = std::max(widest, points[i].step - points[i - 1].step);
        QVERIFY2(widest <= 2 * kSteps / static_cast<long long>(points.size()) + 2, qPrintable(QString::number(widest)));
        QVERIFY(points[points.size() - 2].replicas.empty());
        QCOMPARE(points.back().replicas.size(), std::size_t(3));
    }

    void aCurveOfTestsAloneIsBoundedToo() {
        Curve curve;
        for (long long step = 0; step < 20000; ++step) {
            Snapshot snapshot;
            snapshot.step = step;
            snapshot.testAccuracy = 0.5;
            curve.add(snapshot);
            QVERIFY(curve.points().size() <= Curve::kMost);
        }
    }

    // Half precision keeps 11 bits: 1 + 2^-11 is the tie that goes to the even neighbour, 1 + 3 * 2^-11 goes up.
    void halfPrecisionRoundsToNearestEven() {
        GradientCompression half(Compression::Fp16, 0, 4);
        std::vector<float> gradient{1 + 0x1p-11F, 1 + 3 * 0x1p-11F, -0.5F, 0x1p-24F};
        half.apply(gradient);
        QCOMPARE(gradient, (std::vector<float>{1, 1 + 0x1p-9F, -0.5F, 0x1p-24F}));
        QCOMPARE(WireFormat(Compression::Fp16).bytes(gradient, {1, 4}), 6.0);
        QCOMPARE(WireFormat(Compression::Fp16, 3).bytes(gradient, {1, 4}), 8.0);  // the last one is a statistic
    }

    // What is not sent is not lost: everything sent and kept adds up to everything computed.
    void topKSendsTheLargestAndKeepsTheRest() {
        GradientCompression top(Compression::TopK, 0.4, 5);  // two of five
        std::vector<float> first{1, -5, 3, 2, -4}, second{1, 0, 0, 0, 0}, ties{7, 7, -7, 7, 0};
        top.apply(first);
        QCOMPARE(first, (std::vector<float>{0, -5, 0, 0, -4}));
        top.apply(second);  // kept: 1 + 1, 0, 3, 2, 0
        QCOMPARE(second, (std::vector<float>{2, 0, 3, 0, 0}));
        GradientCompression fresh(Compression::TopK, 0.4, 5);
        fresh.apply(ties);
        QCOMPARE(ties, (std::vector<float>{7, 7, 0, 0, 0}));
        QCOMPARE(WireFormat(Compression::TopK).bytes(second, {0, 5}), 16.0);  // two values with their indices
        QCOMPARE(WireFormat(Compression::TopK).bytes(second, {1, 3}), 8.0);
        QCOMPARE(WireFormat(Compression::TopK, 2).bytes(second, {0, 5}), 8.0 + 3 * 4);
    }

    void layoutsCoverTheVectorOnce() {
        const std::vector<IndexRange> tensors{{0, 10}, {10, 110}, {110, 115}, {115, 215}};
        for (const auto sharding : {Sharding::Bytes, Sharding::Tensors})
            for (const int servers : {1, 2, 3, 6}) {
                std::vector<int> holders(215);
                for (const auto& slices : serverLayout(sharding, servers, tensors))
                    for (const IndexRange& slice : slices)
                        for (std::size_t i = slice.begin; i < slice.end; ++i) ++holders[i];
                QVERIFY(std::ranges::all_of(holders, [](int count) { return count == 1; }));
            }
        // 100, 100, then 10 to the first of the two, 5 to the other.
        const auto two = serverLayout(Sharding::Tensors, 2, tensors);
        QCOMPARE(two[0], (std::vector<IndexRange>{{0, 10}, {10, 110}}));
        QCOMPARE(two[1], (std::vector<IndexRange>{{110, 115}, {115, 215}}));
        QCOMPARE(serverLayout(Sharding::Bytes, 2, tensors)[0], (std::vector<IndexRange>{{0, 107}}));
    }
};

QTEST_GUILESS_MAIN(TestMeters)
#include "test_meters.moc"
