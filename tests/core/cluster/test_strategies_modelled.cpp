// How workers wait for each other, what they send and where parameters lie: the model against hand-written formulas and
// against a fluid simulation that knows nothing of them.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "base/random.h"
#include "cluster/communication.h"
#include "cluster/prediction.h"
#include "cluster/sharding.h"

using namespace lockstep;

namespace {

bool near(double actual, double expected, double relative = 1e-9) {
    return std::abs(actual - expected) <= relative * std::abs(expected);
}

/// One transfer across some links.
struct Flow {
    double left;
    std::vector<std::size_t> links;
};

/// Rates by progressive filling: all grow together; those on a link that is full stop growing (Bertsekas and Gallager,
/// Data Networks, section 6.5.2).
std::vector<double> maxMinRates(const std::vector<Flow>& flows, std::vector<double> room) {
    std::vector<double> rates(flows.size());
    std::vector<bool> frozen(flows.size());
    while (true) {
        std::vector<int> users(room.size());
        for (std::size_t i = 0; i < flows.size(); ++i)
            if (!frozen[i] && flows[i].left > 0)
                for (const std::size_t link : flows[i].links) ++users[link];
        double step = std::numeric_limits<double>::infinity();
        for (std::size_t link = 0; link < room.size(); ++link)
            if (users[link] > 0) step = std::min(step, room[link] / users[link]);
        if (!std::isfinite(step)) return rates;
        for (std::size_t link = 0; link < room.size(); ++link) room[link] -= step * users[link];
        for (std::size_t i = 0; i < flows.size(); ++i) {
            if (frozen[i] || flows[i].left <= 0) continue;
            rates[i] += step;
            frozen[i] = std::ranges::any_of(flows[i].links, [&](std::size_t link) { return room[link] < 1e-12; });
        }
    }
}

/// When the last flow ends; links carry 1 each unless said otherwise.
double endOf(std::vector<Flow> flows, const std::vector<double>& room) {
    double now = 0;
    while (true) {
        const std::vector<double> rates = maxMinRates(flows, room);
        double step = std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < flows.size(); ++i)
            if (flows[i].left > 0) step = std::min(step, flows[i].left / rates[i]);
        if (!std::isfinite(step)) return now;
        now += step;
        for (std::size_t i = 0; i < flows.size(); ++i) {
            flows[i].left -= step * rates[i];
            if (flows[i].left < 1e-12) flows[i].left = 0;
        }
    }
}

/// A push of one unit by every worker to servers with these shares, flow by flow.
double pushEnd(const ClusterNetwork& network) {
    const auto workers = static_cast<std::size_t>(network.workers);
    const std::size_t nodes = workers + (network.coLocated ? 0 : static_cast<std::size_t>(network.servers));
    const std::size_t fabric = 2 * nodes;  // links: out of node i is i, into it nodes + i
    std::vector<double> room(2 * nodes + 1, 1.0);
    room[fabric] = static_cast<double>(nodes) / network.oversubscription;
    std::vector<Flow> flows;
    for (std::size_t worker = 0; worker < workers; ++worker)
        for (std::size_t server = 0; server < network.serverShares.size(); ++server) {
            const std::size_t host = network.coLocated ? server : workers + server;
            if (host != worker) flows.push_back({network.serverShares[server], {worker, nodes + host, fabric}});
        }
    return endOf(std::move(flows), room);
}

/// What each worker of the simulated cluster is about.
enum class Doing { Pull, Compute, Push, Wait };

struct LoopSettings {
    int workers = 8, servers = 1, slow = 0;
    double slowdown = 1, compute_s = 1, transfer_s = 1;  ///< the latter for one worker alone
    int staleness = -1;                                  ///< below 0: asynchronous, nobody waits
};

/// Iterations a second and worker in the long run, of workers that pull, compute and push as the strategies define it;
/// transfers share the servers' links evenly, which nothing else limits.
double simulatedRate(const LoopSettings& settings) {
    struct Worker {
        Doing doing = Doing::Pull;
        double left = 1;
        long long clock = 0;
    };
    std::vector<Worker> workers(static_cast<std::size_t>(settings.workers));
    const auto firstSlow = static_cast<std::size_t>(settings.workers - settings.slow);
    const auto count = [&](Doing doing) { return std::ranges::count(workers, doing, &Worker::doing); };
    const auto done = [&] {
        long long sum = 0;
        for (const Worker& worker : workers) sum += worker.clock;
        return static_cast<double>(sum);
    };
    double now = 0, warm_s = 0, warmDone = 0;
    constexpr long long kWarm = 300, kEnd = 900;
    while (workers.back().clock < kEnd) {
        const auto rateOf = [&](std::size_t i) {
            const Worker& worker = workers[i];
            if (worker.doing == Doing::Wait) return 0.0;
            if (worker.doing == Doing::Compute)
                return 1 / settings.compute_s / (i >= firstSlow ? settings.slowdown : 1);
            const double sharing = std::max(1.0, static_cast<double>(count(worker.doing)) / settings.servers);
            return 1 / settings.transfer_s / sharing;
        };
        std::vector<double> rates;
        for (std::size_t i = 0; i < workers.size(); ++i) rates.push_back(rateOf(i));
        double step = std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < workers.size(); ++i)
            if (rates[i] > 0) step = std::min(step, workers[i].left / rates[i]);
        now += step;
        for (std::size_t i = 0; i < workers.size(); ++i) {
            Worker& worker = workers[i];
            worker.left -= step * rates[i];
            if (worker.left > 1e-12 || worker.doing == Doing::Wait) continue;
            if (worker.doing == Doing::Push) ++worker.clock;
            worker.doing = worker.doing == Doing::Pull      ? Doing::Compute
                           : worker.doing == Doing::Compute ? Doing::Push
                                                            : Doing::Wait;
            worker.left = 1;
        }
        const long long version = std::ranges::min(workers, {}, &Worker::clock).clock;
        for (Worker& worker : workers)
            if (worker.doing == Doing::Wait && (settings.staleness < 0 || version >= worker.clock - settings.staleness))
                worker.doing = Doing::Pull;
        if (workers.back().clock == kWarm && warm_s == 0) {
            warm_s = now;
            warmDone = done();
        }
    }
    return (done() - warmDone) / (now - warm_s) / settings.workers;
}

}  // namespace

class TestStrategiesModelled : public QObject {
    Q_OBJECT
    Catalogue m_catalogue;

    Prediction predicted(const Experiment& e) const {
        const Result<Prediction> p = predict(e, m_catalogue);
        if (!p) qFatal("%s", p.error().message.c_str());
        return *p;
    }
    QString refusal(const Experiment& e) const {
        const Result<Prediction> p = predict(e, m_catalogue);
        return p ? QString("accepted") : QString::fromStdString(p.error().message);
    }

    /// ResNet-50, 8 workers and 2 servers on V100s at 10 Gbit/s without latency.
    static Experiment usual(SynchronizationKind kind = SynchronizationKind::BulkSynchronous) {
        Experiment e;
        e.cluster.workers = 8;
        e.cluster.servers = 2;
        e.cluster.linkLatencyS = 0;
        e.training.synchronization = kind;
        return e;
    }
    static Experiment withStragglers(SynchronizationKind kind) {
        Experiment e = usual(kind);
        e.cluster.stragglerCount = 2;
        e.cluster.stragglerSlowdown = 3;
        return e;
    }
    /// Seconds in which one link carries the gradients.
    double linkSeconds(const Experiment& e) const {
        return 8 * predicted(e).memory.gradientsBytes / e.cluster.linkBandwidthBitPerS;
    }

private slots:
    void initTestCase() {
        Result<Catalogue> catalogue = loadBuiltinCatalogue();
        QVERIFY2(catalogue, catalogue ? "" : catalogue.error().message.c_str());
        m_catalogue = std::move(*catalogue);
    }

    // Each worker by itself, in a simulation of its own, gives the same pace: for links that limit and links that do
    // not.
    void looseWorkersMoveAsSimulated_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("bound");
        QTest::addColumn<double>("bandwidth");
        for (const double bandwidth : {3e9, 1e10, 1e11}) {
            QTest::addRow("asynchronous, %g bit/s", bandwidth)
                << int(SynchronizationKind::Asynchronous) << -1 << bandwidth;
            for (const int bound : {0, 1, 3, 100})
                QTest::addRow("bound %d, %g bit/s", bound, bandwidth)
                    << int(SynchronizationKind::StaleSynchronous) << bound << bandwidth;
        }
    }
    void looseWorkersMoveAsSimulated() {
        QFETCH(int, kind);
        QFETCH(int, bound);
        QFETCH(double, bandwidth);
        for (const int slow : {0, 1, 2, 5, 8}) {
            Experiment e = usual(static_cast<SynchronizationKind>(kind));
            e.cluster.linkBandwidthBitPerS = bandwidth;
            e.cluster.stragglerCount = slow;
            e.cluster.stragglerSlowdown = 3;
            e.training.stalenessBound = std::max(0, bound);
            const Prediction p = predicted(e);
            const double simulated = simulatedRate({.workers = 8,
                                                    .servers = 2,
                                                    .slow = slow,
                                                    .slowdown = 3,
                                                    .compute_s = predicted(usual()).breakdown.compute_s,
                                                    .transfer_s = linkSeconds(e),
                                                    .staleness = bound});
            QVERIFY2(near(1 / simulated, *p.iterationTime_s, 0.01),
                     qPrintable(QString("%1 slow: simulated %2, predicted %3")
                                    .arg(slow)
                                    .arg(1 / simulated)
                                    .arg(*p.iterationTime_s)));
            e.training.synchronization = SynchronizationKind::BulkSynchronous;
            QVERIFY(*p.iterationTime_s <= *predicted(e).iterationTime_s * (1 + 1e-9));
            if (slow == 0 || slow == 8 || bound == 0) QVERIFY(near(*p.iterationTime_s, *predicted(e).iterationTime_s));
        }
    }

    // Where nothing is exchanged to speak of, the asynchronous rates add up and the slowest sets the pace of the
    // others.
    void limitsOfLooseWorkers() {
        Experiment e = withStragglers(SynchronizationKind::Asynchronous);
        e.cluster.linkBandwidthBitPerS = 1e16;
        const double compute_s = predicted(usual()).breakdown.compute_s;
        QVERIFY(near(*predicted(e).iterationTime_s, 8 / (6 / compute_s + 2 / (3 * compute_s)), 1e-4));
        for (const double slowdown : {1e6, 1e12, 1e100}) {
            e.cluster.stragglerSlowdown = slowdown;
            QVERIFY(near(*predicted(e).iterationTime_s, 8 / (6 / compute_s), 1e-4));
        }
        e.training.synchronization = SynchronizationKind::StaleSynchronous;
        e.cluster.stragglerSlowdown = 3;
        QVERIFY(near(*predicted(e).iterationTime_s, 3 * compute_s, 1e-4));
        e.cluster.loaderSamplesPerS = 32 / (5 * compute_s);
        QVERIFY(near(*predicted(e).iterationTime_s, 5 * compute_s, 1e-4));
        QCOMPARE(predicted(e).bottleneck, Bottleneck::DataLoading);
        e.cluster.prefetchBatches = 0;
        QVERIFY(near(*predicted(e).iterationTime_s, 8 * compute_s, 1e-4));
    }

    // The servers' sums of one clock go on beside the next iteration, and limit it only when they take longer.
    void staleSynchronousHidesTheServersSums() {
        Experiment e = usual(SynchronizationKind::StaleSynchronous);
        e.training.stalenessBound = 1;
        const double before_s = *predicted(e).iterationTime_s;
        const double summed = 8.0 / 2 * predicted(e).memory.gradientsBytes;
        e.cluster.serverAggregationBytePerS = summed / (0.5 * before_s);
        QVERIFY(near(predicted(e).breakdown.aggregate_s, 0.5 * before_s));
        QVERIFY(near(*predicted(e).iterationTime_s, before_s));
        e.training.stalenessBound = 0;
        QVERIFY(near(*predicted(e).iterationTime_s, 1.5 * before_s));
        e.training.stalenessBound = 1;
        e.cluster.serverAggregationBytePerS = summed / (2 * before_s);
        QVERIFY(near(*predicted(e).iterationTime_s, 2 * before_s));
        QCOMPARE(predicted(e).bottleneck, Bottleneck::ServerAggregation);
    }

    void serversAreNeededWhereNobodyWaits() {
        for (const auto kind : {SynchronizationKind::Asynchronous, SynchronizationKind::StaleSynchronous}) {
            Experiment e = usual(kind);
            e.cluster.architecture = Architecture::AllReduce;
            QVERIFY(refusal(e).startsWith("training.synchronization = "));
        }
    }

    // Eight workers of which two are three times slower. One backup does not help, two do; their gradients are not
    // sent.
    void backupWorkersMakeUpForTheSlowest() {
        Experiment e = withStragglers(SynchronizationKind::BulkSynchronous);
        const double link_s = linkSeconds(e), compute_s = predicted(usual()).breakdown.compute_s;
        e.training.backupWorkers = 1;
        QVERIFY(near(predicted(e).breakdown.compute_s, 3 * compute_s));
        e.training.backupWorkers = 2;
        const Prediction p = predicted(e);
        QVERIFY(near(*p.iterationTime_s, (8.0 / 2 + 6.0 / 2) * link_s + compute_s));
        QCOMPARE(p.globalBatch, 6LL * 32);
        QVERIFY(near(*p.throughputSamplesPerS, 6 * 32 / *p.iterationTime_s));
        QVERIFY(near(*p.scalingEfficiency, *p.throughputSamplesPerS / (8 * 32 / compute_s)));
        QVERIFY(near(*p.epochTime_s, m_catalogue.dataset("imagenet-1k")->samples / (8 * 32) * *p.iterationTime_s));
        QVERIFY(p.bottleneck != Bottleneck::Straggler);
        e.cluster.architecture = Architecture::AllReduce;
        QVERIFY(near(*predicted(e).iterationTime_s, compute_s + 2 * 7.0 / 8 * link_s));
        e.training.backupWorkers = 8;
        QCOMPARE(refusal(e), QString("training.backup_workers = 8: allowed is 0..7"));
    }

    // A value and a 32-bit index of each entry that is kept; what servers send back is whole.
    void topKSendsValuesAndIndices() {
        Experiment e = usual();
        const double link_s = linkSeconds(e);
        e.training.compression = Compression::TopK;
        e.training.topKFraction = 0.01;
        QVERIFY(near(predicted(e).breakdown.push_s, 4 * 0.02 * link_s));
        QVERIFY(near(predicted(e).breakdown.pull_s, 4 * link_s));
        e.training.topKFraction = 1;
        QVERIFY(near(predicted(e).breakdown.push_s, 4 * 2 * link_s));
        e.workload.precision = Precision::Fp16;
        QVERIFY(near(predicted(e).breakdown.push_s, 4 * 3 * linkSeconds(e)));  // 2 + 4 bytes instead of 2
    }

    // Without servers each of the 8 workers passes on 7 lists of 1 % of the entries, 8 bytes each in place of 4, in 7
    // steps; whatever the algorithm. What is dropped goes nowhere, but its steps pass.
    void topKGoesRoundARing() {
        Experiment e = usual();
        e.cluster.architecture = Architecture::AllReduce;
        e.cluster.linkLatencyS = 1e-3;
        e.training.compression = Compression::TopK;
        e.training.topKFraction = 0.01;
        const double link_s = linkSeconds(e);
        for (const auto algorithm : {AllReduceAlgorithm::Ring, AllReduceAlgorithm::Tree, AllReduceAlgorithm::Auto}) {
            e.cluster.allreduce = algorithm;
            const Prediction p = predicted(e);
            QVERIFY(near(p.breakdown.allreduce_s, 7 * 0.02 * link_s + 7e-3));
            QCOMPARE(p.links.size(), std::size_t{2});
            for (const LinkUse& link : p.links) {
                QCOMPARE(link.count, 8);
                QVERIFY(near(8 * link.bytes / e.cluster.linkBandwidthBitPerS, 7 * 0.02 * link_s));
            }
        }
        e.training.backupWorkers = 2;
        QVERIFY(near(predicted(e).breakdown.allreduce_s, 7 * 0.02 * link_s + 7e-3));
        QVERIFY(
            near(8 * predicted(e).links.front().bytes / e.cluster.linkBandwidthBitPerS, 6.0 / 8 * 7 * 0.02 * link_s));
        e.training.backupWorkers = 0;
        e.cluster.oversubscription = 3;
        QVERIFY(near(predicted(e).breakdown.allreduce_s, 3 * 7 * 0.02 * link_s + 7e-3));
        e.training.topKFraction = 1;
        QCOMPARE(predicted(e).bottleneck, Bottleneck::Fabric);
        e.cluster.oversubscription = 1;
        QCOMPARE(predicted(e).bottleneck, Bottleneck::WorkerLink);
        // Parameters are averaged whole.
        e.cluster.allreduce = AllReduceAlgorithm::Ring;
        e.training.synchronization = SynchronizationKind::LocalSgd;
        e.training.localSteps = 1;
        QVERIFY(near(predicted(e).breakdown.allreduce_s, 2 * 7.0 / 8 * link_s + 14e-3));
    }

    // VGG-16 of torchvision: 138,357,544 parameters, of which the first dense layer's weights are 4096 x 25,088.
    void wholeTensorsMakeOneServerBusy() {
        Experiment e = usual();
        e.workload.model = "vgg16";
        const double even_s = predicted(e).breakdown.pull_s;
        e.cluster.sharding = Sharding::Tensors;
        const double fullest = 4096.0 * 25088 / 138357544;
        QVERIFY(near(even_s, 8.0 / 2 * linkSeconds(e)));
        QVERIFY(near(predicted(e).breakdown.pull_s, 8 * fullest * linkSeconds(e)));
        e.cluster.servers = 8;  // no relief: the tensor stays whole
        QVERIFY(near(predicted(e).breakdown.pull_s, 8 * fullest * linkSeconds(e)));
        e.cluster.serverPlacement = ServerPlacement::CoLocated;
        QVERIFY(near(predicted(e).breakdown.pull_s, 7 * fullest * linkSeconds(e)));
        e.cluster.servers = 1;
        e.cluster.serverPlacement = ServerPlacement::Dedicated;
        QVERIFY(near(predicted(e).breakdown.pull_s, 8 * linkSeconds(e)));
    }

    void wholeTensorsAgainstFlowByFlow() {
        RandomStream random(1, RandomPurpose::Test, 5);
        for (int round = 0; round < 60; ++round) {
            ClusterNetwork network{.workers = 1 + static_cast<int>(random.nextBelow(9)),
                                   .servers = 1 + static_cast<int>(random.nextBelow(9)),
                                   .coLocated = random.nextBelow(2) == 1,
                                   .bandwidthBitPerS = 8,  // bytes over a link's rate are seconds
                                   .oversubscription = random.nextBelow(2) == 0 ? 1 : 1 + 8 * random.nextDouble()};
            if (network.coLocated) network.servers = std::min(network.servers, network.workers);
            std::vector<double> sizes;
            for (std::uint32_t i = 0; i < 1 + random.nextBelow(12); ++i) sizes.push_back(1 + 20 * random.nextDouble());
            network.serverShares = tensorShares(sizes, network.servers);
            // What limits co-located flows differs between hosts and others once the switch is the narrower.
            if (network.coLocated) network.oversubscription = 1;
            const double model_s = serverExchange(network, 1, network.workers).transfer_s;
            QVERIFY2(near(model_s, pushEnd(network), 1e-6), qPrintable(QString("%1 workers, %2 servers%3: %4 and %5")
                                                                           .arg(network.workers)
                                                                           .arg(network.servers)
                                                                           .arg(network.coLocated ? " among them" : "")
                                                                           .arg(model_s)
                                                                           .arg(pushEnd(network))));
        }
    }

    void tensorsAreDealtToTheEmptiest() {
        const std::vector<double> sizes{3, 9, 4, 4, 1};
        QCOMPARE(dealTensors(sizes, 2), (std::vector<int>{1, 0, 1, 1, 0}));
        QVERIFY(near(tensorShares(sizes, 2)[0], 11.0 / 21) && near(tensorShares(sizes, 2)[1], 10.0 / 21));
        QCOMPARE(tensorShares(sizes, 100).size(), sizes.size());
        const std::vector<double> shares = tensorShares(sizes, 3);
        QVERIFY(near(std::accumulate(shares.begin(), shares.end(), 0.0), 1));
    }

    // Tensors of torchvision's ResNet-50 (53 convolutions, 53 normalizations of two, one dense layer of two) and
    // VGG-16.
    void tensorsOfAModelAddUp() {
        for (const ModelSpec& model : m_catalogue.models) {
            const std::vector<double> sizes = model.tensorSizes({}).value();
            QVERIFY2(std::accumulate(sizes.begin(), sizes.end(), 0.0) == model.totals({})->parameters,
                     model.key().c_str());
            QVERIFY(std::ranges::all_of(sizes, [](double size) { return size >= 1 && size == std::floor(size); }));
        }
        QCOMPARE(m_catalogue.model("resnet50")->tensorSizes({})->size(), std::size_t{161});
        QCOMPARE(m_catalogue.model("vgg16")->tensorSizes({})->size(), std::size_t{32});
    }

    // Every strategy's iteration drawn: lanes without gaps, none beyond the end, all servers and workers there.
    void everyTimelineFillsItsLanes() {
        for (const auto kind : {SynchronizationKind::StaleSynchronous, SynchronizationKind::Asynchronous,
                                SynchronizationKind::BulkSynchronous})
            for (const double sums : {0.0, 1e8, 1e11})
                for (const int backups : {0, 2})
                    for (const auto sharding : {Sharding::Bytes, Sharding::Tensors}) {
                        Experiment e = withStragglers(kind);
                        e.cluster.serverAggregationBytePerS = sums;
                        e.cluster.sharding = sharding;
                        if (kind == SynchronizationKind::BulkSynchronous) e.training.backupWorkers = backups;
                        checkTimeline(e);
                    }
    }

private:
    void checkTimeline(const Experiment& e) {
        const Timeline timeline = predictTimeline(e, m_catalogue, 12).value();
        int count = 0;
        for (const TimelineLane& lane : timeline.lanes) count += lane.count;
        QCOMPARE(count, 10);
        std::vector<double> ends(timeline.lanes.size());
        for (const TimelineSpan& span : timeline.spans) {
            double& end_s = ends[static_cast<std::size_t>(span.lane)];
            QVERIFY(span.end_s > span.start_s && std::abs(span.start_s - end_s) <= 1e-9 * timeline.duration_s);
            end_s = span.end_s;
        }
        const double last_s = *std::ranges::max_element(ends);
        QVERIFY2(near(last_s, timeline.duration_s), qPrintable(QString("%1 of %2, strategy %3")
                                                                   .arg(last_s)
                                                                   .arg(timeline.duration_s)
                                                                   .arg(int(e.training.synchronization))));
        if (e.training.synchronization != SynchronizationKind::Asynchronous)
            QVERIFY(near(timeline.duration_s, *predicted(e).iterationTime_s));
    }
};

QTEST_GUILESS_MAIN(TestStrategiesModelled)
#include "test_strategies_modelled.moc"
