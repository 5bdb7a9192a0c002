// Update rules against the same formulas in double, written independently here.
#include "optim/optimizer.h"

#include <QTest>
#include <cmath>
#include <vector>

#include "base/random.h"

using namespace lockstep;

namespace {

std::vector<float> normals(std::size_t size, std::uint32_t index) {
    RandomStream stream(7, RandomPurpose::Test, index);
    std::vector<float> values(size);
    for (float& value : values) value = static_cast<float>(stream.nextNormal());
    return values;
}

/// One parameter's history under a rule, in double.
struct Reference {
    double w, v = 0, s = 0;
    int t = 0;

    void step(const OptimizerSettings& o, double gradient, double rate, double trust) {
        const double g = gradient + o.weightDecay * w;
        ++t;
        switch (o.kind) {
            case OptimizerKind::Sgd:
                w = w - rate * g;
                break;
            case OptimizerKind::Momentum:
                v = o.momentum * v + g;
                w = w - rate * v;
                break;
            case OptimizerKind::Nesterov:
                v = o.momentum * v + g;
                w = w - rate * (g + o.momentum * v);
                break;
            case OptimizerKind::Lars:
                v = o.momentum * v + trust * g;
                w = w - rate * v;
                break;
            case OptimizerKind::Adam: {
                v = o.momentum * v + (1 - o.momentum) * g;
                s = o.secondMomentDecay * s + (1 - o.secondMomentDecay) * g * g;
                const double mHat = v / (1 - std::pow(o.momentum, t));
                const double sHat = s / (1 - std::pow(o.secondMomentDecay, t));
                w = w - rate * mHat / (std::sqrt(sHat) + o.epsilon);
                break;
            }
        }
    }
};

}  // namespace

class TestOptimizer : public QObject {
    Q_OBJECT

private:
    static void addKinds() {
        QTest::addColumn<int>("kind");
        QTest::newRow("sgd") << int(OptimizerKind::Sgd);
        QTest::newRow("momentum") << int(OptimizerKind::Momentum);
        QTest::newRow("nesterov") << int(OptimizerKind::Nesterov);
        QTest::newRow("adam") << int(OptimizerKind::Adam);
        QTest::newRow("lars") << int(OptimizerKind::Lars);
    }

private slots:
    void followsItsFormula_data() { addKinds(); }
    void followsItsFormula() {
        QFETCH(int, kind);
        constexpr std::size_t kSize = 37;
        const OptimizerSettings settings{.kind = static_cast<OptimizerKind>(kind), .weightDecay = 0.02};
        std::vector<float> weights = normals(kSize, 0);
        std::vector<Reference> reference;
        for (const float w : weights) reference.push_back({w});
        Optimizer optimizer(settings, kSize);
        for (int step = 1; step <= 25; ++step) {
            const auto gradient = normals(kSize, static_cast<std::uint32_t>(step));
            const UpdateScale scale{.rate = 0.03, .gradientScale = 0.5, .trustRatio = 0.7, .update = step};
            optimizer.update({0, kSize}, weights, gradient, scale);
            for (std::size_t i = 0; i < kSize; ++i) reference[i].step(settings, 0.5 * double{gradient[i]}, 0.03, 0.7);
        }
        for (std::size_t i = 0; i < kSize; ++i)
            QVERIFY2(std::abs(double{weights[i]} - reference[i].w) < 2e-5 * (1 + std::abs(reference[i].w)),
                     qPrintable(QString("%1: %2, %3").arg(i).arg(double{weights[i]}).arg(reference[i].w)));
    }

    // A server updates its slice, a thread its block: the pieces must give the bits of the whole.
    void piecesGiveTheBitsOfTheWhole_data() { addKinds(); }
    void piecesGiveTheBitsOfTheWhole() {
        QFETCH(int, kind);
        constexpr std::size_t kSize = 1003;
        const OptimizerSettings settings{.kind = static_cast<OptimizerKind>(kind), .weightDecay = 0.01};
        std::vector<float> whole = normals(kSize, 0), pieces = whole;
        Optimizer one(settings, kSize), other(settings, kSize);
        for (int step = 1; step <= 5; ++step) {
            const auto gradient = normals(kSize, static_cast<std::uint32_t>(step));
            const UpdateScale scale{.rate = 0.1, .gradientScale = 0.25, .trustRatio = 0.3, .update = step};
            one.update({0, kSize}, whole, gradient, scale);
            for (const IndexRange range : {IndexRange{701, kSize}, {0, 13}, {13, 14}, {14, 701}})
                other.update(range, pieces, gradient, scale);
        }
        QVERIFY(whole == pieces);
    }

    void statesAreAsLargeAsTheRuleNeeds() {
        for (const auto kind : {OptimizerKind::Sgd, OptimizerKind::Momentum, OptimizerKind::Nesterov,
                                OptimizerKind::Adam, OptimizerKind::Lars}) {
            Optimizer optimizer({.kind = kind}, 10);
            QCOMPARE(optimizer.firstState().size() + optimizer.secondState().size(),
                     std::size_t(10 * stateFloatsPerParameter(kind)));
        }
    }

    // |w| = 5, |g| = 2, decay 0.1: 0.001 * 5 / (2 + 0.5).
    void trustRatioIsTheRatioOfNorms() {
        const OptimizerSettings settings{.kind = OptimizerKind::Lars, .weightDecay = 0.1};
        QCOMPARE(larsTrustRatio(settings, 25, 4), 0.001 * 5 / 2.5);
        QCOMPARE(larsTrustRatio(settings, 0, 4), 1.0);
        QCOMPARE(larsTrustRatio(settings, 25, 0), 1.0);
    }

    void clippingShortensOnlyWhatIsLonger() {
        QCOMPARE(clipFactor(100, 2), 0.2);
        QCOMPARE(clipFactor(4, 2), 1.0);
        QCOMPARE(clipFactor(100, 0), 1.0);
    }

    void sumsAgreeWithPlainOnes() {
        const auto x = normals(1003, 1), y = normals(1003, 2);
        long double norm = 0, distance = 0, dot = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            const long double a = x[i], b = y[i];
            norm += a * a;
            distance += (a - b) * (a - b);
            dot += a * b;
        }
        QVERIFY(std::abs(squaredNorm(x) - double(norm)) < 1e-12 * double(norm));
        QVERIFY(std::abs(squaredDistance(x, y) - double(distance)) < 1e-12 * double(distance));
        QVERIFY(std::abs(dotProduct(x, y) - double(dot)) < 1e-12 * double(norm));
    }
};

QTEST_GUILESS_MAIN(TestOptimizer)
#include "test_optimizer.moc"
