// What meters say about runs, and that they change nothing.
#include "train/training_meters.h"

#include <QTest>
#include <chrono>
#include <cmath>

#include "core/train/small_data.h"
#include "train/meters_bench.h"
#include "train/snapshot_json.h"
#include "train/training_engine.h"

using namespace lockstep;
using lockstep::test::smallData;
using lockstep::test::smallExperiment;

namespace {

constexpr Meters kOff{.divergence = false, .noise = false, .times = false, .fullGradients = false};

struct Observed {
    std::vector<std::uint64_t> hashes;
    Snapshot snapshot;
    double wall_s = 0;  ///< of the steps
};

/// Steps with a measurement after each fifth, as a run takes them.
Observed observe(const Experiment& experiment, const Meters& meters = {}, int threads = 1, long long steps = 20) {
    ThreadPool pool(threads);
    auto engine = TrainingEngine::make(experiment, *smallData(), pool);
    if (!engine) qFatal("%s", engine.error().message.c_str());
    (*engine)->setMeters(meters);
    Observed observed;
    const auto begin = std::chrono::steady_clock::now();
    while ((*engine)->step() < steps) {
        if ((*engine)->advance({}) != TrainingEngine::Advance::Stepped) qFatal("did not step");
        if ((*engine)->step() % 5 != 0) continue;
        (*engine)->takeProgress(observed.snapshot);
        (*engine)->measureDivergence(observed.snapshot, {});
    }
    observed.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    observed.hashes = (*engine)->replicaHashes();
    return observed;
}

Experiment with(SynchronizationKind kind, int workers) {
    Experiment experiment = smallExperiment(Architecture::ParameterServer, workers, 2);
    experiment.training.synchronization = kind;
    experiment.training.localSteps = 3;
    experiment.training.epochs = 20;
    return experiment;
}

constexpr auto kKinds = {SynchronizationKind::BulkSynchronous, SynchronizationKind::StaleSynchronous,
                         SynchronizationKind::Asynchronous, SynchronizationKind::LocalSgd, SynchronizationKind::None};

/// The figures of a snapshot that are no times, as text.
std::string withoutTimes(const Snapshot& snapshot) {
    auto document = snapshotToJson(snapshot);
    document.erase("wall_s");
    document["workers"].erase("compute_thread_s");
    document["workers"].erase("communication_wall_s");
    return document.dump();
}

}  // namespace

class TestTrainingMeters : public QObject {
    Q_OBJECT

private slots:
    void metersChangeNoBit_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("workers");
        for (const auto kind : kKinds)
            for (const int workers : {1, 2, 3, 8}) QTest::addRow("%d, %d", int(kind), workers) << int(kind) << workers;
    }
    void metersChangeNoBit() {
        QFETCH(int, kind);
        QFETCH(int, workers);
        Experiment experiment = with(static_cast<SynchronizationKind>(kind), workers);
        experiment.cluster.computeJitter = 0.3;
        const Observed on = observe(experiment), off = observe(experiment, kOff);
        QCOMPARE(off.hashes, on.hashes);
        QCOMPARE(off.snapshot.loss, on.snapshot.loss);
        QCOMPARE(off.snapshot.bytesSent, on.snapshot.bytesSent);
        for (const int threads : {2, 4}) {
            const Observed more = observe(experiment, {}, threads);
            QCOMPARE(more.hashes, on.hashes);
            QCOMPARE(withoutTimes(more.snapshot), withoutTimes(on.snapshot));
        }
    }

    void metersOfFullGradientsChangeNoBit() {
        Experiment experiment = with(SynchronizationKind::BulkSynchronous, 3);
        experiment.training.gradient = GradientKind::Full;
        QCOMPARE(observe(experiment, kOff, 2, 5).hashes, observe(experiment, {}, 2, 5).hashes);
    }

    void whatIsOffIsNull() {
        const auto replicas = snapshotToJson(observe(with(SynchronizationKind::None, 3), kOff).snapshot);
        QVERIFY(replicas["divergence"]["mean_distance_to_average"].is_null());
        QVERIFY(replicas["divergence"]["max_pairwise_distance"].is_null());
        QVERIFY(replicas["divergence"]["per_layer"].empty());
        QVERIFY(replicas["workers"]["x"][0].is_null() && replicas["workers"]["compute_thread_s"][2].is_null());
        QVERIFY(replicas["workers"]["loss"][1].is_number());
        const auto shared = snapshotToJson(observe(with(SynchronizationKind::BulkSynchronous, 3), kOff).snapshot);
        QVERIFY(shared["gradient_noise_scale"].is_null() && shared["gradient_variance"]["after_averaging"].is_null());
        // Equal by construction is known without a meter.
        QCOMPARE(shared["divergence"]["mean_distance_to_average"].get<double>(), 0.0);
    }

    void everyFigureIsInTheJson() {
        const Snapshot snapshot = observe(with(SynchronizationKind::BulkSynchronous, 3), {}, 1, 40).snapshot;
        const auto document = snapshotToJson(snapshot);
        const auto positive = [&](const char* pointer) {
            const auto& value = document.at(nlohmann::ordered_json::json_pointer(pointer));
            return value.is_number() && value.get<double>() > 0;
        };
        for (const char* pointer :
             {"/gradient_noise_scale", "/gradient_noise_scale_standard_error", "/suggested_global_batch",
              "/gradient_variance/before_averaging", "/gradient_variance/after_averaging", "/workers/loss/2",
              "/workers/bytes_sent/2", "/workers/bytes_received/2", "/workers/compute_thread_s/2",
              "/workers/communication_wall_s/2", "/servers/bytes_sent/1", "/servers/bytes_received/1"})
            QVERIFY2(positive(pointer), pointer);
        QCOMPARE(document["workers"]["waiting_modelled_share"][0].get<double>(), 0.0);
        QCOMPARE(document["divergence"]["per_layer"][0]["layer"].get<std::string>(), std::string("conv1"));
        QVERIFY(document["full_gradient"]["mean_angle_deg"].is_null());
    }

    // The mean of N independent gradients scatters an N-th as much; measured from few halves, so roughly.
    void averagingTakesVarianceAway() {
        for (const int workers : {2, 3, 8}) {
            const GradientVariance variance =
                observe(with(SynchronizationKind::BulkSynchronous, workers), {}, 1, 400).snapshot.gradientVariance;
            const double ratio = workers * variance.after / variance.before;
            QVERIFY2(ratio > 0.5 && ratio < 1.8, qPrintable(QString("%1: %2").arg(workers).arg(ratio)));
        }
    }

    // Layer by layer from the replicas themselves, in double.
    void layersOfDriftingReplicas_data() {
        QTest::addColumn<int>("workers");
        for (const int workers : {1, 2, 3, 8}) QTest::addRow("%d", workers) << workers;
    }
    void layersOfDriftingReplicas() {
        QFETCH(int, workers);
        ThreadPool pool(2);
        const auto engine =
            TrainingEngine::make(with(SynchronizationKind::None, workers), *smallData(), pool).value_or(nullptr);
        while (engine->step() < 7) QVERIFY(engine->advance({}) == TrainingEngine::Advance::Stepped);
        Snapshot snapshot;
        engine->takeProgress(snapshot);
        engine->measureDivergence(snapshot, {});
        const auto plan = planRun(with(SynchronizationKind::None, workers), *smallData());
        const auto network =
            buildNetwork(with(SynchronizationKind::None, workers), *plan, smallData()->train, {}).value();
        const std::vector<NamedLayer> layers = trainedLayers(network);
        QCOMPARE(snapshot.layers.size(), layers.size());
        std::size_t begin = 0;
        for (std::size_t layer = 0; layer < layers.size(); ++layer) {
            QCOMPARE(layers[layer].range.begin, begin);
            begin = layers[layer].range.end;
            double expected = 0;
            for (const Worker& worker : engine->workers()) {
                double squared = 0;
                for (std::size_t k = layers[layer].range.begin; k < begin; ++k) {
                    double mean = 0;
                    for (const Worker& other : engine->workers()) mean += double(other.parameters[k]) / workers;
                    squared += std::pow(worker.parameters[k] - mean, 2);
                }
                expected += std::sqrt(squared) / workers;
            }
            QCOMPARE(snapshot.layers[layer].layer, layers[layer].name);
            QVERIFY(std::abs(snapshot.layers[layer].meanDistanceToAverage - expected) <= 1e-5 * expected);
            QVERIFY(workers == 1 ? expected == 0 : expected > 0);
        }
        QCOMPARE(begin, network.trainedCount());
    }

    // Counted operations decide, so the figures between are those of a step that is named.
    void sampledFiguresSayFromWhen() {
        Experiment experiment = with(SynchronizationKind::Asynchronous, 8);
        experiment.training.batchPerWorker = 64;
        ThreadPool pool(2);
        const auto sampled = TrainingEngine::make(experiment, *smallData(), pool).value_or(nullptr);
        const auto every = TrainingEngine::make(experiment, *smallData(), pool).value_or(nullptr);
        sampled->setMeters({.sampled = true});
        std::vector<double> distances;
        int held = 0;
        for (long long step = 0; step <= 400; ++step) {
            Snapshot one, other;
            sampled->takeProgress(one);
            sampled->measureDivergence(one, {});
            every->takeProgress(other);
            every->measureDivergence(other, {});
            distances.push_back(other.divergence.meanDistanceToAverage);
            const long long from = one.divergence.heldSinceStep.value_or(step);
            QVERIFY(!other.divergence.heldSinceStep && from <= step);
            QCOMPARE(one.divergence.meanDistanceToAverage, distances[static_cast<std::size_t>(from)]);
            QCOMPARE(snapshotToJson(one)["divergence"]["measured_at_step"].get<long long>(), from);
            held += one.divergence.heldSinceStep.has_value();
            QVERIFY(sampled->advance({}) == TrainingEngine::Advance::Stepped);
            QVERIFY(every->advance({}) == TrainingEngine::Advance::Stepped);
        }
        QVERIFY2(held > 300 && held < 400, qPrintable(QString::number(held)));
        QCOMPARE(sampled->modelHash(), every->modelHash());
    }

    // What was held belongs to steps that a restart has undone.
    void aRestoredRunIsMeasuredAnew() {
        Experiment experiment = with(SynchronizationKind::None, 3);
        ThreadPool pool(1);
        const auto engine = TrainingEngine::make(experiment, *smallData(), pool).value_or(nullptr);
        engine->setMeters({.sampled = true});
        Snapshot first, later, restored;
        const auto stepTo = [&](long long step, Snapshot& snapshot) {
            while (engine->step() < step) QVERIFY(engine->advance({}) == TrainingEngine::Advance::Stepped);
            engine->takeProgress(snapshot);
            engine->measureDivergence(snapshot, {});
        };
        stepTo(2, first);
        const auto checkpoint = engine->save(first);
        stepTo(60, later);
        QVERIFY(later.divergence.meanDistanceToAverage > first.divergence.meanDistanceToAverage);
        engine->restore(*checkpoint);
        stepTo(2, restored);
        QVERIFY(!restored.divergence.heldSinceStep);
        QCOMPARE(restored.divergence.meanDistanceToAverage, first.divergence.meanDistanceToAverage);
    }

    // A loader that delivers 100 samples a second: the worker waits for the second and more, and does not compute then.
    void waitingForSamplesIsNoComputing() {
        Experiment experiment = smallExperiment(Architecture::SingleNode);
        experiment.cluster.loaderSamplesPerS = 100;
        const Observed observed = observe(experiment, {}, 1, 15);
        QVERIFY(observed.wall_s > 0.5);
        QVERIFY2(observed.snapshot.replicas.front().compute_s < observed.wall_s / 2,
                 qPrintable(QString::number(observed.snapshot.replicas.front().compute_s)));
    }

    void aSampledRunEndsWithFreshFigures() {
        Experiment experiment = with(SynchronizationKind::None, 3);
        experiment.training.maxSteps = 7;
        ThreadPool pool(1);
        const auto engine = TrainingEngine::make(experiment, *smallData(), pool).value_or(nullptr);
        engine->setMeters({.sampled = true});
        Snapshot snapshot;
        for (int i = 0; i < 8; ++i) {
            engine->takeProgress(snapshot);
            engine->measureDivergence(snapshot, {});
            QCOMPARE(snapshot.divergence.heldSinceStep.has_value(), i != 0 && i != 7);
            if (i < 7) QVERIFY(engine->advance({}) == TrainingEngine::Advance::Stepped);
        }
        QVERIFY(snapshot.divergence.meanDistanceToAverage > 0);
    }

    void aStopKeepsTheFiguresOfBefore() {
        ThreadPool pool(1);
        const auto engine =
            TrainingEngine::make(with(SynchronizationKind::None, 3), *smallData(), pool).value_or(nullptr);
        while (engine->step() < 2) QVERIFY(engine->advance({}) == TrainingEngine::Advance::Stepped);
        Snapshot before, after;
        engine->takeProgress(before);
        engine->measureDivergence(before, {});
        QVERIFY(engine->advance({}) == TrainingEngine::Advance::Stepped);
        std::stop_source stop;
        stop.request_stop();
        engine->takeProgress(after);
        engine->measureDivergence(after, stop.get_token());
        QCOMPARE(after.divergence.meanDistanceToAverage, before.divergence.meanDistanceToAverage);
        QCOMPARE(after.divergence.heldSinceStep.value_or(-1), 2LL);
    }

    // The last rank takes twice as long. Where everyone waits for it, the others stand half of the time.
    void workersWaitForTheSlowest_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("backups");
        QTest::addColumn<double>("share");
        QTest::addRow("bulk-synchronous") << int(SynchronizationKind::BulkSynchronous) << 0 << 0.5;
        QTest::addRow("backup worker") << int(SynchronizationKind::BulkSynchronous) << 1 << 0.0;
        QTest::addRow("stale-synchronous, bound 0") << int(SynchronizationKind::StaleSynchronous) << 0 << 0.5;
        QTest::addRow("local SGD") << int(SynchronizationKind::LocalSgd) << 0 << 0.5;
        QTest::addRow("asynchronous") << int(SynchronizationKind::Asynchronous) << 0 << 0.0;
        QTest::addRow("none") << int(SynchronizationKind::None) << 0 << 0.0;
    }
    void workersWaitForTheSlowest() {
        QFETCH(int, kind);
        QFETCH(int, backups);
        QFETCH(double, share);
        for (const int workers : {2, 3, 8}) {
            Experiment experiment = with(static_cast<SynchronizationKind>(kind), workers);
            experiment.training.stalenessBound = 0;
            experiment.training.backupWorkers = backups;
            experiment.cluster.stragglerCount = 1;
            experiment.cluster.stragglerSlowdown = 2;
            experiment.cluster.linkLatencyS = 0;  // all of an iteration is arithmetic
            experiment.cluster.linkBandwidthBitPerS = 1e30;
            const std::vector<ReplicaState> states = observe(experiment).snapshot.replicas;
            for (std::size_t rank = 0; rank + 1 < states.size(); ++rank) QCOMPARE(states[rank].waitingShare, share);
            QCOMPARE(states.back().waitingShare, 0.0);
        }
    }

    void theBenchComparesEveryChoice() {
        MetersBenchSettings settings{.experiment = smallExperiment(), .threads = 1, .rounds = 2, .stepsPerRound = 3};
        const auto costs = benchMeters(settings, *smallData());
        QVERIFY(costs.has_value());
        QCOMPARE(costs->size(), std::size_t{6});
        QCOMPARE(costs->front().meters, std::string("on"));
        for (const MeterCost& cost : *costs) QVERIFY(cost.share > -1 && cost.lowerQuartile <= cost.upperQuartile);
        settings.experiment.training.batchPerWorker = 10000;
        QVERIFY(!benchMeters(settings, *smallData()));
    }

    // Threads cannot have computed for longer than they had.
    void timesAreWithinTheWallClock_data() {
        QTest::addColumn<int>("threads");
        for (const int threads : {1, 2}) QTest::addRow("%d", threads) << threads;
    }
    void timesAreWithinTheWallClock() {
        QFETCH(int, threads);
        for (const int workers : {1, 2, 3, 8}) {
            const Observed observed = observe(with(SynchronizationKind::BulkSynchronous, workers), {}, threads);
            double compute_s = 0;
            for (const ReplicaState& state : observed.snapshot.replicas) {
                QVERIFY(state.compute_s > 0 && state.communication_s > 0);
                QVERIFY(state.communication_s <= observed.wall_s);
                QCOMPARE(state.communication_s, observed.snapshot.replicas.front().communication_s);
                compute_s += state.compute_s;
            }
            QVERIFY(compute_s <= threads * observed.wall_s);
        }
    }
};

QTEST_GUILESS_MAIN(TestTrainingMeters)
#include "test_training_meters.moc"
