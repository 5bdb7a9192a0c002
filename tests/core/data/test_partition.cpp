#include <QtTest>
#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "data/partition.h"

using namespace lockstep;

namespace {

constexpr std::size_t kSamples = 1003;

std::vector<std::uint8_t> tenClasses() {
    std::vector<std::uint8_t> labels(kSamples);
    for (std::size_t i = 0; i < kSamples; ++i) labels[i] = static_cast<std::uint8_t>(i * 7 % 10);
    return labels;
}

Partition make(PartitionKind kind, int workers, int batch, std::uint64_t seed = 1) {
    return Partition::make({.kind = kind, .workers = workers, .batchPerWorker = batch, .seed = seed}, tenClasses())
        .value();
}

std::vector<std::uint32_t> epochOf(Partition& partition, int worker, long long epoch) {
    std::vector<std::uint32_t> seen;
    for (long long step = 0; step < partition.stepsPerEpoch(); ++step) {
        const auto batch = partition.batch(worker, epoch, step);
        seen.insert(seen.end(), batch.begin(), batch.end());
    }
    return seen;
}

std::multiset<std::uint32_t> asSet(std::span<const std::uint32_t> samples) { return {samples.begin(), samples.end()}; }

constexpr std::array kKinds{PartitionKind::Disjoint, PartitionKind::ByLabel, PartitionKind::Replicated};

}  // namespace

class TestPartition : public QObject {
    Q_OBJECT
private slots:
    /// The contract's golden rule: step by step, N workers with batch b see in the first epoch what one worker with
    /// batch N b sees, in the same order of workers.
    void workersTogetherSeeWhatOneWorkerSees() {
        for (const int workers : {2, 3, 8, 100})
            for (const int batch : {1, 4, 10}) {
                Partition many = make(PartitionKind::Disjoint, workers, batch);
                Partition one = make(PartitionKind::Disjoint, 1, workers * batch);
                QCOMPARE(many.stepsPerEpoch(), one.stepsPerEpoch());
                for (long long step = 0; step < one.stepsPerEpoch(); ++step) {
                    std::vector<std::uint32_t> together;
                    for (int worker = 0; worker < workers; ++worker) {
                        const auto part = many.batch(worker, 0, step);
                        together.insert(together.end(), part.begin(), part.end());
                    }
                    QVERIFY(std::ranges::equal(together, one.batch(0, 0, step)));
                }
            }
    }

    /// K = floor(n / (N b)): 1003 / (4 x 32) = 7 steps of 32 samples a worker, 107 samples left out.
    void disjointShardsAreDisjoint() {
        Partition partition = make(PartitionKind::Disjoint, 4, 32);
        QCOMPARE(partition.stepsPerEpoch(), 7LL);
        std::set<std::uint32_t> all;
        for (int worker = 0; worker < 4; ++worker)
            all.insert(partition.shard(worker).begin(), partition.shard(worker).end());
        QCOMPARE(all.size(), std::size_t{4 * 7 * 32});
        QVERIFY(*all.rbegin() < kSamples);
    }

    /// Later epochs: the same samples in another order, for each worker another; the first is the dealt order.
    void laterEpochsAreShuffledWithinTheShard() {
        Partition partition = make(PartitionKind::Disjoint, 4, 10);
        for (int worker = 0; worker < 4; ++worker) {
            const std::vector<std::uint32_t> first = epochOf(partition, worker, 0),
                                             second = epochOf(partition, worker, 1);
            QVERIFY(std::ranges::equal(first, partition.shard(worker)));
            QVERIFY(second != first);
            QVERIFY(epochOf(partition, worker, 2) != second);
            QVERIFY(asSet(second) == asSet(first));
        }
    }

    /// An epoch's order does not depend on which epochs came before, nor on other workers.
    void everyEpochCanBeEnteredDirectly() {
        for (const PartitionKind kind : kKinds) {
            Partition walked = make(kind, 4, 10), entered = make(kind, 4, 10);
            for (long long epoch = 0; epoch < 5; ++epoch) epochOf(walked, 2, epoch);
            QVERIFY(epochOf(walked, 2, 5) == epochOf(entered, 2, 5));
            QVERIFY(epochOf(walked, 2, 1) == epochOf(entered, 2, 1));
        }
    }

    void theSeedDecides() {
        for (const PartitionKind kind : kKinds) {
            Partition a = make(kind, 3, 8, 1), b = make(kind, 3, 8, 1), c = make(kind, 3, 8, 2);
            QVERIFY(epochOf(a, 1, 0) == epochOf(b, 1, 0));
            QVERIFY(epochOf(a, 1, 0) != epochOf(c, 1, 0));
        }
    }

    /// Ten classes among five workers: each shard is a contiguous fifth of the sorted samples, so at most three classes
    /// (100 or 101 samples each, 200 a worker); and it comes shuffled from the first epoch on.
    void byLabelGivesFewClassesToEach() {
        const std::vector<std::uint8_t> labels = tenClasses();
        Partition partition = make(PartitionKind::ByLabel, 5, 10);
        std::set<std::uint32_t> all;
        for (int worker = 0; worker < 5; ++worker) {
            std::set<std::uint8_t> classes;
            for (const std::uint32_t sample : partition.shard(worker)) classes.insert(labels[sample]);
            QVERIFY(classes.size() <= 3);
            all.insert(partition.shard(worker).begin(), partition.shard(worker).end());
            std::vector<std::uint8_t> order;
            for (const std::uint32_t sample : epochOf(partition, worker, 0)) order.push_back(labels[sample]);
            QVERIFY(!std::ranges::is_sorted(order));
        }
        QCOMPARE(all.size(), std::size_t{1000});
    }

    /// Every worker holds all samples, draws without repetition, and each draws others.
    void replicatedWorkersDrawFromAll() {
        Partition partition = make(PartitionKind::Replicated, 4, 10);
        QCOMPARE(partition.shard(3).size(), kSamples);
        const std::vector<std::uint32_t> a = epochOf(partition, 0, 0), b = epochOf(partition, 1, 0);
        QCOMPARE(a.size(), std::size_t{250});
        QCOMPARE(std::set(a.begin(), a.end()).size(), a.size());
        QVERIFY(asSet(a) != asSet(b));
        std::set<std::uint32_t> seen;
        for (long long epoch = 0; epoch < 40; ++epoch)
            for (const std::uint32_t sample : epochOf(partition, 0, epoch)) seen.insert(sample);
        // A sample escapes 40 draws of a quarter with probability 0.75^40 = 1e-5, one of all with 1 %; the seed is
        // fixed.
        QVERIFY(seen.size() >= kSamples - 1);
    }

    void refusesABatchLargerThanAShard() {
        const std::vector<std::uint8_t> labels = tenClasses();
        for (const PartitionKind kind : kKinds) {
            QVERIFY(Partition::make({.kind = kind, .workers = 10, .batchPerWorker = 100}, labels));
            const auto refused = Partition::make({.kind = kind, .workers = 10, .batchPerWorker = 101}, labels);
            QVERIFY(!refused);
            QVERIFY(refused.error().message.find("training.batch_per_worker is 101") != std::string::npos);
            QVERIFY(refused.error().message.find("1 to 100") != std::string::npos);
        }
        QVERIFY(!Partition::make({.workers = 257, .batchPerWorker = 1}, labels));
        QVERIFY(!Partition::make({.workers = 0}, labels));
        QVERIFY(!Partition::make({.batchPerWorker = 0}, labels));
        QVERIFY(!Partition::make({.batchPerWorker = 1}, {}));
    }
};

QTEST_GUILESS_MAIN(TestPartition)
#include "test_partition.moc"
