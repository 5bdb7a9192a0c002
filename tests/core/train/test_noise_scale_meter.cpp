// Noise scale and variances against plain sums in double, and against gradients whose noise is known.
#include "train/noise_scale_meter.h"

#include <QTest>
#include <cmath>
#include <vector>

#include "base/random.h"

using namespace lockstep;

namespace {

using Gradients = std::vector<std::vector<float>>;

/// G (of norm 1) plus normal noise of covariance trace `trace`.
Gradients noisyGradients(std::size_t workers, std::size_t size, double trace, std::uint32_t index) {
    Gradients gradients;
    RandomStream stream(21, RandomPurpose::Test, index);
    const double mean = 1 / std::sqrt(double(size)), deviation = std::sqrt(trace / double(size));
    for (std::size_t i = 0; i < workers; ++i) {
        gradients.emplace_back(size);
        for (float& value : gradients.back()) value = static_cast<float>(mean + deviation * stream.nextNormal());
    }
    return gradients;
}

std::vector<Contribution> contributions(const Gradients& gradients, const std::vector<float>& weights = {}) {
    std::vector<Contribution> result;
    for (std::size_t i = 0; i < gradients.size(); ++i)
        result.push_back({gradients[i], weights.empty() ? 1.0F / static_cast<float>(gradients.size()) : weights[i]});
    return result;
}

std::vector<double> plainMean(const std::vector<Contribution>& gradients, std::size_t first, std::size_t stride) {
    std::vector<double> mean(gradients.front().values.size());
    double weights = 0;
    for (std::size_t i = first; i < gradients.size(); i += stride) weights += gradients[i].weight;
    for (std::size_t i = first; i < gradients.size(); i += stride)
        for (std::size_t k = 0; k < mean.size(); ++k)
            mean[k] += double(gradients[i].weight) / weights * double(gradients[i].values[k]);
    return mean;
}

template <class A, class B>
double plainDistanceSquared(const A& a, const B& b) {
    double sum = 0;
    for (std::size_t k = 0; k < a.size(); ++k) sum += std::pow(double(a[k]) - double(b[k]), 2);
    return sum;
}

double plainVariance(const std::vector<Contribution>& gradients) {
    const std::vector<double> mean = plainMean(gradients, 0, 1);
    double scatter = 0, squares = 0;
    for (const Contribution& one : gradients) {
        scatter += one.weight * plainDistanceSquared(one.values, mean);
        squares += double(one.weight) * one.weight;
    }
    return scatter / (1 - squares);
}

bool close(double a, double b, double tolerance) { return std::abs(a - b) <= tolerance * std::abs(b); }

}  // namespace

class TestNoiseScaleMeter : public QObject {
    Q_OBJECT

private slots:
    void oneWorkerSaysNothing() {
        ThreadPool pool(1);
        NoiseScaleMeter meter({}, pool);
        const Gradients one = noisyGradients(1, 100, 1, 0);
        meter.observe(contributions(one), 8);
        QVERIFY(std::isnan(meter.noiseScale()) && std::isnan(meter.noiseScaleError()));
        QVERIFY(std::isnan(meter.variance().before) && std::isnan(meter.variance().after));
    }

    void varianceIsThatOfPlainSums_data() {
        QTest::addColumn<std::vector<float>>("weights");
        QTest::addRow("2") << std::vector<float>{0.5F, 0.5F};
        QTest::addRow("3") << std::vector<float>{1 / 3.0F, 1 / 3.0F, 1 / 3.0F};
        QTest::addRow("3, unequal") << std::vector<float>{0.5F, 0.125F, 0.375F};
        QTest::addRow("8") << std::vector<float>(8, 0.125F);
    }
    void varianceIsThatOfPlainSums() {
        QFETCH(std::vector<float>, weights);
        constexpr std::size_t kSize = 20001;
        const Gradients gradients = noisyGradients(weights.size(), kSize, 9, 1);
        const auto pushed = contributions(gradients, weights);
        double squares = 0, half[2]{}, halfSquares[2]{};
        for (std::size_t i = 0; i < weights.size(); ++i) {
            squares += double(weights[i]) * weights[i];
            half[i % 2] += weights[i];
            halfSquares[i % 2] += double(weights[i]) * weights[i];
        }
        const double ofDifference = halfSquares[0] / (half[0] * half[0]) + halfSquares[1] / (half[1] * half[1]);
        const double after =
            plainDistanceSquared(plainMean(pushed, 0, 2), plainMean(pushed, 1, 2)) * squares / ofDifference;
        for (const int threads : {1, 2, 4}) {
            ThreadPool pool(threads);
            NoiseScaleMeter meter({}, pool);
            meter.observe(pushed, 8);
            QVERIFY(close(meter.variance().before, plainVariance(pushed), 1e-5));
            QVERIFY(close(meter.variance().after, after, 1e-5));
            // The halves were drawn independently, so their means scatter as theory has it: to 5 % with so many
            // entries.
            QVERIFY(close(meter.variance().after, squares * 9, 0.05));
        }
    }

    // Workers whose gradients are alike by pairs of neighbours: averages of even and of odd ranks are then one and the
    // same, and averaging has nothing left to take away.
    void whatHalvesShareIsNoVarianceOfTheMean() {
        Gradients gradients = noisyGradients(4, 1000, 9, 2);
        gradients[1] = gradients[0];
        gradients[3] = gradients[2];
        ThreadPool pool(1);
        NoiseScaleMeter meter({}, pool);
        meter.observe(contributions(gradients), 8);
        QVERIFY(meter.variance().before > 1);
        QVERIFY(meter.variance().after < 1e-10);
    }

    void equalGradientsHaveNoVariance() {
        Gradients gradients = noisyGradients(1, 1000, 9, 3);
        gradients.resize(3, gradients.front());
        ThreadPool pool(1);
        NoiseScaleMeter meter({}, pool);
        meter.observe(contributions(gradients), 8);
        QVERIFY(meter.variance().before >= 0 && meter.variance().before < 1e-5);
    }

    void statisticsBehindTheTrainedAreLeftOut() {
        Gradients gradients = noisyGradients(2, 100, 9, 4), more = gradients;
        for (std::vector<float>& one : more) one.push_back(one.front() * 1000);
        ThreadPool pool(1);
        NoiseScaleMeter all({}, pool), trained({.trained = 100}, pool);
        all.observe(contributions(gradients), 8);
        trained.observe(contributions(more), 8);
        QCOMPARE(trained.variance().before, all.variance().before);
        QCOMPARE(trained.noiseScale(), all.noiseScale());
    }

    // Covariance trace of one sample 40, |G|^2 1: a batch of 8 has 5. The noise scale is 40 within its own error, of
    // which about 1 in 20 is off by more than two; and so it is on average.
    void theNoiseScaleIsFoundWithinItsError_data() {
        QTest::addColumn<int>("workers");
        for (const int workers : {2, 3, 8}) QTest::addRow("%d", workers) << workers;
    }
    void theNoiseScaleIsFoundWithinItsError() {
        QFETCH(int, workers);
        constexpr int kRepetitions = 60, kObservations = 60;
        ThreadPool pool(1);
        int within = 0;
        double sum = 0;
        for (std::uint32_t repetition = 0; repetition < kRepetitions; ++repetition) {
            NoiseScaleMeter meter({}, pool);
            for (std::uint32_t i = 0; i < kObservations; ++i) {
                const Gradients gradients =
                    noisyGradients(static_cast<std::size_t>(workers), 100, 5, 1000 + repetition * kObservations + i);
                for (int update = 0; update < 10; ++update) meter.observe(contributions(gradients), 8);
            }
            sum += meter.noiseScale();
            within += std::abs(meter.noiseScale() - 40) < 2 * meter.noiseScaleError();
        }
        QVERIFY2(within >= 48 && within <= 60, qPrintable(QString::number(within)));
        QVERIFY2(close(sum / kRepetitions, 40, 0.1), qPrintable(QString::number(sum / kRepetitions)));
    }

    void everyTenthUpdateIsLookedAt() {
        ThreadPool pool(1);
        NoiseScaleMeter meter({}, pool);
        meter.observe(contributions(noisyGradients(2, 100, 5, 7)), 8);
        const double first = meter.variance().before;
        const Gradients other = noisyGradients(2, 100, 50, 8);
        for (int update = 1; update < 10; ++update) meter.observe(contributions(other), 8);
        QCOMPARE(meter.variance().before, first);
        meter.observe(contributions(other), 8);
        QVERIFY(meter.variance().before > first);
    }

    void whatIsOffSaysNothing() {
        ThreadPool pool(1);
        const Gradients gradients = noisyGradients(2, 100, 5, 9);
        NoiseScaleMeter off({}, pool), variance({.noiseScale = false}, pool);
        off.setEnabled(false);
        off.observe(contributions(gradients), 8);
        variance.observe(contributions(gradients), 8);
        QVERIFY(std::isnan(off.variance().before) && std::isnan(off.noiseScale()));
        QVERIFY(variance.variance().before > 0 && std::isnan(variance.noiseScale()));
    }

    void theSuggestedBatchIsTheNoiseScale() {
        QCOMPARE(suggestedGlobalBatch(1234.4), 1234.0);
        QCOMPARE(suggestedGlobalBatch(0.2), 1.0);
        QVERIFY(std::isnan(suggestedGlobalBatch(-3)) && std::isnan(suggestedGlobalBatch(std::nan(""))));
    }
};

QTEST_GUILESS_MAIN(TestNoiseScaleMeter)
#include "test_noise_scale_meter.moc"
