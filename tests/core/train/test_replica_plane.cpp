// Places against a singular value decomposition in double, which is another way to principal coordinates.
#include "train/replica_plane.h"

#include <Eigen/SVD>
#include <QTest>
#include <cmath>
#include <vector>

#include "base/random.h"

using namespace lockstep;

namespace {

constexpr std::size_t kSize = 3000;

FloatVector normals(std::uint32_t index, double scale) {
    RandomStream stream(31, RandomPurpose::Test, index);
    FloatVector values(kSize);
    for (float& value : values) value = static_cast<float>(scale * stream.nextNormal());
    return values;
}

std::vector<FloatVector> scattered(std::size_t replicas, std::uint32_t first = 1) {
    const FloatVector centre = normals(0, 1), drift = normals(99, 0.02);
    std::vector<FloatVector> result;
    for (std::size_t i = 0; i < replicas; ++i) {
        FloatVector one = normals(first + static_cast<std::uint32_t>(i), 0.01 * static_cast<double>(1 + i % 3));
        for (std::size_t k = 0; k < kSize; ++k) one[k] += centre[k] + static_cast<float>(i) * drift[k];
        result.push_back(std::move(one));
    }
    return result;
}

/// What the meter hands to the plane.
struct View {
    std::vector<FloatVector> vectors;
    std::vector<std::span<const float>> replicas;
    FloatVector average;
    double distanceSquared = 0, norm = 0;
    Eigen::MatrixXd differences;  ///< [replicas x parameters]

    explicit View(std::vector<FloatVector> replicaVectors)
        : vectors(std::move(replicaVectors)),
          replicas(vectors.begin(), vectors.end()),
          average(kSize),
          differences(Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(vectors.size()), Eigen::Index{kSize})) {
        for (std::size_t k = 0; k < kSize; ++k) {
            double mean = 0;
            for (const FloatVector& one : vectors) mean += double(one[k]) / double(vectors.size());
            average[k] = static_cast<float>(mean);
            norm += mean * mean;
            for (std::size_t i = 0; i < vectors.size(); ++i)
                differences(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k)) = vectors[i][k] - mean;
        }
        norm = std::sqrt(norm);
        distanceSquared = differences.squaredNorm();
    }
    [[nodiscard]] std::vector<ReplicaPlace> placesIn(const ReplicaPlane& plane) const {
        std::vector<ReplicaPlace> places(replicas.size());
        for (std::size_t i = 0; i < places.size(); ++i)
            for (std::size_t axis = 0; axis < plane.directions().size(); ++axis) {
                double sum = 0;
                for (std::size_t k = 0; k < kSize; ++k)
                    sum += differences(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k)) *
                           double(plane.directions()[axis][k]);
                (axis == 0 ? places[i].x : places[i].y) = sum;
            }
        return places;
    }
};

std::vector<ReplicaPlace> use(ReplicaPlane& plane, const View& view) {
    std::vector<ReplicaPlace> places = view.placesIn(plane);
    if (!plane.use(view.replicas, view.average, view.distanceSquared, view.norm, places)) qFatal("stopped");
    return places;
}

double largestMagnitude(const Eigen::VectorXd& values) {
    Eigen::Index at = 0;
    values.cwiseAbs().maxCoeff(&at);
    return values[at];
}

}  // namespace

class TestReplicaPlane : public QObject {
    Q_OBJECT

private slots:
    void placesAreThePrincipalCoordinates_data() {
        QTest::addColumn<int>("replicas");
        for (const int replicas : {2, 3, 8, 40}) QTest::addRow("%d", replicas) << replicas;
    }
    void placesAreThePrincipalCoordinates() {
        QFETCH(int, replicas);
        const View view(scattered(static_cast<std::size_t>(replicas)));
        const Eigen::JacobiSVD<Eigen::MatrixXd> svd(view.differences, Eigen::ComputeThinU);
        std::vector<double> first;
        for (const int threads : {1, 2, 4}) {
            ThreadPool pool(threads);
            ReplicaPlane plane(pool);
            const std::vector<ReplicaPlace> places = use(plane, view);
            QCOMPARE(plane.version(), 1);
            const double scale = std::sqrt(view.distanceSquared);
            for (Eigen::Index axis = 0; axis < 2; ++axis) {
                Eigen::VectorXd expected = svd.matrixU().col(axis) * svd.singularValues()[axis];
                // Two replicas differ in one direction only, and then the first of them is the one farthest out.
                if (replicas == 2)
                    expected = axis == 0 ? Eigen::VectorXd(expected * (expected[0] < 0 ? -1 : 1))
                                         : Eigen::VectorXd(Eigen::VectorXd::Zero(2));
                else if (largestMagnitude(expected) < 0)
                    expected = -expected;
                for (std::size_t i = 0; i < places.size(); ++i) {
                    const double place = axis == 0 ? places[i].x : places[i].y;
                    QVERIFY2(std::abs(place - expected[static_cast<Eigen::Index>(i)]) < 1e-3 * scale,
                             qPrintable(QString("%1 %2: %3, %4")
                                            .arg(axis)
                                            .arg(i)
                                            .arg(place)
                                            .arg(expected[static_cast<Eigen::Index>(i)])));
                }
            }
            // What the directions give is what was said when they were fixed.
            const std::vector<ReplicaPlace> again = view.placesIn(plane);
            std::vector<double> now;
            for (std::size_t i = 0; i < places.size(); ++i) {
                QVERIFY(std::abs(again[i].x - places[i].x) < 1e-4 * scale);
                QVERIFY(std::abs(again[i].y - places[i].y) < 1e-4 * scale);
                now.insert(now.end(), {places[i].x, places[i].y});
            }
            if (threads == 1) first = now;
            QCOMPARE(now, first);
        }
    }

    void oneReplicaAndEqualOnesHaveNoPlane() {
        ThreadPool pool(1);
        ReplicaPlane plane(pool);
        const std::vector<FloatVector> one = scattered(1);
        use(plane, View(one));
        use(plane, View({one.front(), one.front(), one.front()}));
        QCOMPARE(plane.version(), 0);
        QVERIFY(plane.directions().empty());
    }

    void whatRoundingReachesIsNoDifference() {
        ThreadPool pool(1);
        ReplicaPlane plane(pool);
        const FloatVector centre = normals(0, 1);
        std::vector<FloatVector> replicas(2, centre);
        replicas[1][7] += 1e-5F;  // of a norm of about 55
        use(plane, View(replicas));
        QCOMPARE(plane.version(), 0);
        replicas[1][7] += 1e-3F;
        use(plane, View(replicas));
        QCOMPARE(plane.version(), 1);
    }

    // While replicas move within what the plane shows, it stays: a place is then the old direction's inner product.
    void directionsStayFixed() {
        ThreadPool pool(1);
        ReplicaPlane plane(pool);
        std::vector<FloatVector> replicas = scattered(8);
        use(plane, View(replicas));
        const FloatVector direction = plane.directions()[0];
        for (int i = 0; i < 3 * ReplicaPlane::kLeastUses; ++i) {
            for (std::size_t k = 0; k < kSize; ++k) replicas[3][k] += 0.05F * direction[k];
            const View view(replicas);
            const std::vector<ReplicaPlace> places = use(plane, view);
            QCOMPARE(places[3].x, view.placesIn(plane)[3].x);
        }
        QCOMPARE(plane.version(), 1);
        QVERIFY(plane.directions()[0] == direction);
    }

    // Other replicas altogether: the old plane shows next to nothing of them. It is fixed anew, but not before it was
    // used for a while, and each axis keeps its sense.
    void directionsAreFixedAnewWhenReplicasHaveTurnedAway() {
        ThreadPool pool(1);
        ReplicaPlane plane(pool);
        use(plane, View(scattered(8)));
        std::vector<FloatVector> others;
        const FloatVector centre = normals(0, 1);
        for (std::uint32_t i = 0; i < 8; ++i) {
            others.push_back(normals(500 + i, 0.05));
            for (std::size_t k = 0; k < kSize; ++k) others.back()[k] += centre[k];
        }
        const View view(others);
        for (int i = 0; i < ReplicaPlane::kLeastUses; ++i) use(plane, view);
        QCOMPARE(plane.version(), 1);
        const std::vector<ReplicaPlace> before = view.placesIn(plane);
        QVERIFY(shownSquared(before) < 0.05 * view.distanceSquared);
        const std::vector<ReplicaPlace> after = use(plane, view);
        QCOMPARE(plane.version(), 2);
        QVERIFY(shownSquared(after) > 0.2 * view.distanceSquared);
        double x = 0, y = 0;
        for (std::size_t i = 0; i < after.size(); ++i) {
            x += before[i].x * after[i].x;
            y += before[i].y * after[i].y;
        }
        QVERIFY(x > 0 && y > 0);
    }

    void aStopLeavesThePlaneAsItWas() {
        ThreadPool pool(1);
        ReplicaPlane plane(pool);
        std::stop_source stop;
        stop.request_stop();
        const View view(scattered(3));
        std::vector<ReplicaPlace> places(3);
        QVERIFY(!plane.use(view.replicas, view.average, view.distanceSquared, view.norm, places, stop.get_token()));
        QCOMPARE(plane.version(), 0);
    }
};

QTEST_GUILESS_MAIN(TestReplicaPlane)
#include "test_replica_plane.moc"
