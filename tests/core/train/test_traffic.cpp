// Bytes of every worker and server against what each way of synchronizing has to move.
#include "train/traffic.h"

#include <QTest>
#include <cmath>

#include "core/train/small_data.h"
#include "train/server_layout.h"
#include "train/training_engine.h"

using namespace lockstep;
using lockstep::test::smallData;
using lockstep::test::smallExperiment;

namespace {

constexpr long long kSteps = 4;

/// What was moved in kSteps steps, and the bytes of one vector of parameters.
struct Moved {
    std::vector<ReplicaState> workers;
    std::vector<BytesMoved> servers;
    double bytesSent = 0, vector = 0;
};

Moved move(const Experiment& experiment) {
    ThreadPool pool(2);
    auto engine = TrainingEngine::make(experiment, *smallData(), pool);
    if (!engine) qFatal("%s", engine.error().message.c_str());
    while ((*engine)->step() < kSteps)
        if ((*engine)->advance({}) != TrainingEngine::Advance::Stepped) qFatal("did not step");
    Snapshot snapshot;
    (*engine)->takeProgress(snapshot);
    return {snapshot.replicas, snapshot.servers, snapshot.bytesSent, 4.0 * double((*engine)->model().size())};
}

Experiment allReduce(AllReduceAlgorithm algorithm, int workers) {
    Experiment experiment = smallExperiment(Architecture::AllReduce, workers);
    experiment.cluster.allreduce = algorithm;
    return experiment;
}

Experiment servers(int workers, int count, ServerPlacement placement = ServerPlacement::Dedicated) {
    Experiment experiment = smallExperiment(Architecture::ParameterServer, workers, count);
    experiment.cluster.serverPlacement = placement;
    return experiment;
}

/// Everything that was sent was received, by someone.
bool balanced(const Moved& moved) {
    double sent = 0, received = 0;
    for (const ReplicaState& worker : moved.workers) {
        sent += worker.bytes.sent;
        received += worker.bytes.received;
    }
    for (const BytesMoved& server : moved.servers) {
        sent += server.sent;
        received += server.received;
    }
    return sent == moved.bytesSent && received == sent;
}

void addWorkerCounts() {
    QTest::addColumn<int>("workers");
    for (const int workers : {1, 2, 3, 8}) QTest::addRow("%d", workers) << workers;
}

}  // namespace

class TestTraffic : public QObject {
    Q_OBJECT

private slots:
    // 2 (W-1) W-ths of the vector for everyone, to a float of rounding in each of the steps; in all 2 (W-1) vectors.
    void ringAndHalvingDoublingMoveTheSameEverywhere_data() { addWorkerCounts(); }
    void ringAndHalvingDoublingMoveTheSameEverywhere() {
        QFETCH(int, workers);
        for (const auto algorithm : {AllReduceAlgorithm::Ring, AllReduceAlgorithm::HalvingDoubling}) {
            if (algorithm == AllReduceAlgorithm::HalvingDoubling && workers == 3) continue;
            const Moved moved = move(allReduce(algorithm, workers));
            QVERIFY(balanced(moved) && moved.servers.empty());
            QCOMPARE(moved.bytesSent, kSteps * 2 * (workers - 1) * moved.vector);
            for (const ReplicaState& worker : moved.workers)
                for (const double bytes : {worker.bytes.sent, worker.bytes.received})
                    QVERIFY(std::abs(bytes - moved.bytesSent / workers) <= kSteps * 2 * workers * 4.0);
        }
    }

    // Halving-doubling of three: rank 1 first folds into rank 0, which trades halves with rank 2, and at last hands
    // rank 1 the whole result.
    void halvingDoublingFoldsWhatIsNoPowerOfTwo() {
        const Moved moved = move(allReduce(AllReduceAlgorithm::HalvingDoubling, 3));
        QVERIFY(balanced(moved));
        std::vector<double> vectors;
        for (const ReplicaState& worker : moved.workers) vectors.push_back(worker.bytes.sent / moved.vector / kSteps);
        std::ranges::sort(vectors);
        QVERIFY(std::abs(vectors[0] - 1) < 1e-3 && std::abs(vectors[1] - 1) < 1e-3 && std::abs(vectors[2] - 2) < 1e-3);
    }

    // Eight in a binomial tree: the root hears from ranks 1, 2 and 4 and answers them, a leaf moves one vector each
    // way.
    void treeAndNaiveLoadTheRoot() {
        const Moved tree = move(allReduce(AllReduceAlgorithm::Tree, 8));
        const Moved naive = move(allReduce(AllReduceAlgorithm::Naive, 8));
        QVERIFY(balanced(tree) && balanced(naive));
        QCOMPARE(tree.workers[0].bytes.sent, kSteps * 3 * tree.vector);
        QCOMPARE(tree.workers[0].bytes.received, kSteps * 3 * tree.vector);
        QCOMPARE(tree.workers[7].bytes.sent, kSteps * tree.vector);
        QCOMPARE(tree.workers[4].bytes.sent, kSteps * 3 * tree.vector);  // its two children's sum, and back to them
        QCOMPARE(naive.workers[0].bytes.received, kSteps * 7 * naive.vector);
        for (int rank = 1; rank < 8; ++rank) {
            QCOMPARE(naive.workers[static_cast<std::size_t>(rank)].bytes.sent, kSteps * naive.vector);
            QCOMPARE(naive.workers[static_cast<std::size_t>(rank)].bytes.received, kSteps * naive.vector);
        }
    }

    // Each step a worker pushes the vector and pulls it; at the beginning it pulls it once.
    void dedicatedServersHearFromEveryWorker_data() { addWorkerCounts(); }
    void dedicatedServersHearFromEveryWorker() {
        QFETCH(int, workers);
        const Moved moved = move(servers(workers, 2));
        QVERIFY(balanced(moved));
        for (const ReplicaState& worker : moved.workers) {
            QCOMPARE(worker.bytes.sent, kSteps * moved.vector);
            QCOMPARE(worker.bytes.received, (kSteps + 1) * moved.vector);
        }
        QCOMPARE(moved.servers.size(), std::size_t{2});
        for (const BytesMoved& server : moved.servers) {
            QVERIFY(std::abs(server.received - kSteps * workers * moved.vector / 2) <= kSteps * workers * 2.0);
            QVERIFY(std::abs(server.sent - (kSteps + 1) * workers * moved.vector / 2) <= (kSteps + 1) * workers * 2.0);
        }
    }

    // Four workers, two servers with a half each on the nodes of ranks 0 and 1: what these say to their own is local.
    void coLocatedServersSpareTheirOwnNode() {
        const Moved moved = move(servers(4, 2, ServerPlacement::CoLocated));
        QVERIFY(balanced(moved));
        const double half = moved.vector / 2;
        for (std::size_t rank = 0; rank < 4; ++rank)
            QVERIFY(std::abs(moved.workers[rank].bytes.sent - kSteps * (rank < 2 ? half : 2 * half)) <= kSteps * 2.0);
        for (const BytesMoved& server : moved.servers)
            QVERIFY(std::abs(server.received - kSteps * 3 * half) <= kSteps * 3 * 2.0);
        // A worker and a server alone on one node need no network at all.
        QCOMPARE(move(servers(1, 1, ServerPlacement::CoLocated)).bytesSent, 0.0);
    }

    // Whole tensors: the largest one alone is more than half of this network, so one server carries more.
    void tensorShardingLoadsServersByTheirTensors() {
        Experiment experiment = servers(3, 2);
        experiment.cluster.sharding = Sharding::Tensors;
        const Moved moved = move(experiment);
        QVERIFY(balanced(moved));
        const auto plan = planRun(experiment, *smallData());
        const auto network = buildNetwork(experiment, *plan, smallData()->train, {});
        std::vector<double> held(2);
        std::vector<std::size_t> sizes;
        for (const ParameterRange& range : network->parameterRanges()) sizes.push_back(range.count);
        std::ranges::sort(sizes, std::greater<>{});
        for (const std::size_t size : sizes) *std::ranges::min_element(held) += double(size);
        for (std::size_t server = 0; server < 2; ++server)
            QCOMPARE(moved.servers[server].received, kSteps * 3 * 4 * held[server]);
        QVERIFY(std::abs(held[0] - held[1]) > 100);
    }

    // H = 2, four steps: two averagings, each of parameters and momentum, everyone to everyone.
    void localSgdMovesAtAveragingsOnly_data() { addWorkerCounts(); }
    void localSgdMovesAtAveragingsOnly() {
        QFETCH(int, workers);
        Experiment ring = allReduce(AllReduceAlgorithm::Ring, workers), central = servers(workers, 2);
        for (Experiment* experiment : {&ring, &central}) {
            experiment->training.synchronization = SynchronizationKind::LocalSgd;
            experiment->training.localSteps = 2;
        }
        const Moved around = move(ring), through = move(central);
        QVERIFY(balanced(around) && balanced(through));
        QCOMPARE(around.bytesSent, 2 * 2 * 2 * (workers - 1) * around.vector);
        for (const ReplicaState& worker : through.workers) {
            QCOMPARE(worker.bytes.sent, 2 * 2 * through.vector);
            QCOMPARE(worker.bytes.received, (2 * 2 + 1) * through.vector);
        }
    }

    void withoutSynchronizationNothingMoves() {
        Experiment experiment = servers(3, 2);
        experiment.training.synchronization = SynchronizationKind::None;
        const Moved moved = move(experiment);
        QVERIFY(balanced(moved));
        QCOMPARE(moved.bytesSent, 0.0);
    }

    // Equally fast workers take turns: after four updates of two workers each has pushed twice.
    void asynchronousWorkersMoveWhenTheyArrive() {
        Experiment experiment = servers(2, 3);
        experiment.training.synchronization = SynchronizationKind::Asynchronous;
        const Moved moved = move(experiment);
        QVERIFY(balanced(moved));
        for (const ReplicaState& worker : moved.workers) {
            QCOMPARE(worker.bytes.sent, 2 * moved.vector);
            QCOMPARE(worker.bytes.received, 3 * moved.vector);
        }
    }

    // Gradients shrink, parameters do not: half of each value, or value and index of the kept hundredth.
    void compressionShrinksWhatIsPushed() {
        Experiment half = servers(3, 2), sparse = half, ring = allReduce(AllReduceAlgorithm::Ring, 3);
        half.training.compression = ring.training.compression = Compression::Fp16;
        sparse.training.compression = Compression::TopK;
        sparse.training.topKFraction = 0.01;
        const Moved halved = move(half), kept = move(sparse), around = move(ring);
        QVERIFY(balanced(halved) && balanced(kept) && balanced(around));
        const double k = std::round(0.01 * kept.vector / 4);
        for (std::size_t rank = 0; rank < 3; ++rank) {
            QCOMPARE(halved.workers[rank].bytes.sent, kSteps * halved.vector / 2);
            QCOMPARE(halved.workers[rank].bytes.received, (kSteps + 1) * halved.vector);
            QCOMPARE(kept.workers[rank].bytes.sent, kSteps * 8 * k);
        }
        QCOMPARE(around.bytesSent, kSteps * 2 * 2 * around.vector / 2);
        // The kept values are not spread evenly over the servers' halves.
        QVERIFY(kept.servers[0].received != kept.servers[1].received);
    }
};

QTEST_GUILESS_MAIN(TestTraffic)
#include "test_traffic.moc"
