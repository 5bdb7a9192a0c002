// Against the weights written out, and against the spread of many repeated experiments.
#include "train/smoothed_ratio.h"

#include <QTest>
#include <cmath>
#include <vector>

#include "base/random.h"

using namespace lockstep;

namespace {

/// A pair with means 3 and 12, deviations 0.6 and 3, correlation 0.5.
struct Pair {
    double x, y;
};
Pair nextPair(RandomStream& stream) {
    const double first = stream.nextNormal(), second = stream.nextNormal();
    return {3 + 0.6 * first, 12 + 3 * (0.5 * first + std::sqrt(0.75) * second)};
}

bool close(double a, double b) { return std::abs(a - b) <= 1e-12 * std::abs(b); }

}  // namespace

class TestSmoothedRatio : public QObject {
    Q_OBJECT

private slots:
    void nothingIsKnownBeforeItWasSeen() {
        SmoothedRatio ratio(0.9);
        QVERIFY(ratio.empty() && std::isnan(ratio.ratio()) && std::isnan(ratio.standardError()));
        ratio.observe(2, 6);
        QCOMPARE(ratio.ratio(), 3.0);
        QCOMPARE(ratio.effectiveObservations(), 1.0);
        QVERIFY(std::isnan(ratio.standardError()));  // one observation has no spread
        SmoothedRatio negative(0.9);
        negative.observe(-1, 4);
        QVERIFY(std::isnan(negative.ratio()) && std::isnan(negative.standardError()));
    }

    // Weights: 0.9^(n-1-i) over their sum, a geometric series. Everything else by its definition.
    void itIsWhatTheWeightsSay() {
        RandomStream stream(5, RandomPurpose::Test);
        SmoothedRatio smoothed(0.9);
        std::vector<Pair> seen;
        for (int n = 1; n <= 60; ++n) {
            seen.push_back(nextPair(stream));
            smoothed.observe(seen.back().x, seen.back().y);
            std::vector<double> weights;
            for (int i = 0; i < n; ++i) weights.push_back(std::pow(0.9, n - 1 - i) * 0.1 / (1 - std::pow(0.9, n)));
            double x = 0, y = 0, squares = 0;
            for (std::size_t i = 0; i < seen.size(); ++i) {
                x += weights[i] * seen[i].x;
                y += weights[i] * seen[i].y;
                squares += weights[i] * weights[i];
            }
            // The ratio estimator's residuals: y_i - r x_i.
            double residuals = 0;
            for (std::size_t i = 0; i < seen.size(); ++i)
                residuals += weights[i] * std::pow(seen[i].y - y / x * seen[i].x, 2);
            QVERIFY(close(smoothed.x(), x) && close(smoothed.ratio(), y / x));
            QVERIFY(close(smoothed.effectiveObservations(), 1 / squares));
            if (n == 1) continue;
            const double error = std::sqrt(residuals / (1 / squares - 1)) / x;
            QVERIFY2(std::abs(smoothed.standardError() - error) < 1e-9 * error, qPrintable(QString::number(n)));
        }
    }

    void exactlyProportionalObservationsHaveNoError() {
        SmoothedRatio smoothed(0.9);
        for (const double x : {1.0, 2.0, 5.0, 3.0}) smoothed.observe(x, 4 * x);
        QVERIFY(close(smoothed.ratio(), 4));
        QVERIFY(smoothed.standardError() < 1e-7);
    }

    // The error that is stated is the error that is made: over 400 repetitions of 80 observations the ratio's root mean
    // square deviation from 12 / 3 agrees with the root mean square of what was stated, to a fifth.
    void theStatedErrorIsTheErrorMade() {
        double made = 0, stated = 0;
        constexpr int kRepetitions = 400;
        for (std::uint32_t repetition = 0; repetition < kRepetitions; ++repetition) {
            RandomStream stream(6, RandomPurpose::Test, repetition);
            SmoothedRatio smoothed(0.9);
            for (int i = 0; i < 80; ++i) {
                const Pair pair = nextPair(stream);
                smoothed.observe(pair.x, pair.y);
            }
            made += std::pow(smoothed.ratio() - 4, 2) / kRepetitions;
            stated += std::pow(smoothed.standardError(), 2) / kRepetitions;
        }
        const double share = std::sqrt(stated / made);
        QVERIFY2(share > 0.8 && share < 1.25, qPrintable(QString::number(share)));
    }
};

QTEST_GUILESS_MAIN(TestSmoothedRatio)
#include "test_smoothed_ratio.moc"
