// Top-k among equal workers: the gathered sum, its bytes, and a training run that uses it.
#include "train/sparse_gather.h"

#include <QTest>
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.h"
#include "core/train/trained.h"

using namespace lockstep;
using lockstep::test::relativeDistance;
using lockstep::test::smallData;
using lockstep::test::smallExperiment;
using lockstep::test::train;
using lockstep::test::Trained;

namespace {

Experiment sparse(double fraction, Architecture architecture = Architecture::AllReduce) {
    Experiment experiment = smallExperiment(architecture, 4, 2);
    experiment.training.compression = Compression::TopK;
    experiment.training.topKFraction = fraction;
    return experiment;
}

}  // namespace

class TestSparseGather : public QObject {
    Q_OBJECT

private slots:
    // 5 workers, 40,000 sparse entries and 7 dense ones; the expected sum is the plain loop in rank order, in float, so
    // that bits can be compared.
    void sumsAreThoseOfThePlainLoopInRankOrder() {
        constexpr std::size_t kTrained = 40000, kSize = kTrained + 7;
        RandomStream random(1, RandomPurpose::Test);
        std::vector<FloatVector> gradients(5, FloatVector(kSize));
        for (FloatVector& gradient : gradients) {
            for (int i = 0; i < 400; ++i)
                gradient[random.nextBelow(kTrained)] = static_cast<float>(random.nextNormal());
            for (std::size_t i = kTrained; i < kSize; ++i) gradient[i] = static_cast<float>(random.nextNormal());
        }
        const std::vector<Share> shares{{0, 0.1F}, {1, 0.3F}, {3, 0.2F}, {4, 0.4F}};
        FloatVector expected(kSize);
        for (const Share& share : shares)
            for (std::size_t i = 0; i < kSize; ++i)
                expected[i] += share.weight * gradients[static_cast<std::size_t>(share.rank)][i];
        for (const int threads : {1, 2, 4}) {
            std::vector<FloatVector> copies = gradients;
            std::vector<Worker> workers(5);
            for (std::size_t rank = 0; rank < 5; ++rank) {
                workers[rank].rank = static_cast<int>(rank);
                workers[rank].gradient = copies[rank];
            }
            ThreadPool pool(threads);
            SparseGather gather(kTrained, 400, pool);
            gather.sum(workers, shares);
            QVERIFY(copies[0] == expected);
            // 4 lists of 400 x 8 + 7 x 4 bytes, each over 4 links.
            QCOMPARE(gather.bytes(4, 5, kSize), 4 * 4 * (400.0 * 8 + 7 * 4));
        }
    }

    // The same sparse gradients through servers: sums in the same order, so to rounding the same parameters.
    void gatheringEqualsServersToRounding() {
        for (const double fraction : {0.01, 0.1}) {
            const Trained gathered = train(sparse(fraction));
            QVERIFY(std::ranges::adjacent_find(gathered.hashes, std::not_equal_to{}) == gathered.hashes.end());
            QVERIFY(relativeDistance(train(sparse(fraction), 0), gathered) > 1e-3);
            QVERIFY(relativeDistance(gathered, train(sparse(fraction, Architecture::ParameterServer))) < 1e-5);
        }
    }

    void everythingKeptIsTheUncompressedRun() {
        Experiment plain = sparse(1);
        plain.training.compression = Compression::None;
        QVERIFY(relativeDistance(train(sparse(1)), train(plain)) < 1e-5);
        QVERIFY(relativeDistance(train(sparse(0.01)), train(plain)) > 1e-3);
    }

    // W (W - 1) lists a step, 8 bytes an entry, k = 1 % of the entries.
    void bytesAreThoseOfTheLists() {
        const Trained trained = train(sparse(0.01), 10);
        const double kept = std::round(0.01 * static_cast<double>(trained.model.size()));
        QCOMPARE(trained.snapshot.bytesSent, 10 * 4 * 3 * 8 * kept);
        Experiment backed = sparse(0.01);
        backed.training.backupWorkers = 1;
        QCOMPARE(train(backed, 10).snapshot.bytesSent, 10 * 3 * 3 * 8 * kept);
        Experiment alone = sparse(0.01);
        alone.cluster.workers = 1;
        QCOMPARE(train(alone, 10).snapshot.bytesSent, 0.0);
    }

    void bitsDoNotDependOnThreadsOrAlgorithm() {
        const Trained one = train(sparse(0.05), 20, 1);
        for (const int threads : {2, 4}) QVERIFY(train(sparse(0.05), 20, threads).model == one.model);
        Experiment tree = sparse(0.05);
        tree.cluster.allreduce = AllReduceAlgorithm::Tree;
        QVERIFY(train(tree).model == one.model);
    }

    // Replicas that start apart receive the same sum: they stay apart by what they started with.
    void differentStartsGetTheSameSum() {
        Experiment experiment = sparse(0.05);
        experiment.training.initialization = Initialization::Different;
        experiment.training.optimizer = OptimizerKind::Sgd;
        const auto spread = [&](long long steps) {
            ThreadPool pool(1);
            auto engine = TrainingEngine::make(experiment, *smallData(), pool).value();
            while (engine->step() < steps)
                if (engine->advance({}) != TrainingEngine::Advance::Stepped) qFatal("did not step");
            Snapshot snapshot;
            engine->measureDivergence(snapshot, {});
            return snapshot.divergence.maxPairwiseDistance;
        };
        const double before = spread(0);
        QVERIFY(before > 1);
        QVERIFY(std::abs(spread(20) - before) < 1e-4 * before);
    }
};

QTEST_GUILESS_MAIN(TestSparseGather)
#include "test_sparse_gather.moc"
