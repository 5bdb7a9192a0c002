// System: reading, writing and checking experiments. Expectation: the contract's keys, defaults and ranges, written
// down here independently of the key table.

#include <QTest>
#include <cstdint>

#include "base/random.h"
#include "experiment/experiment_json.h"
#include "experiment/keys.h"
#include "experiment/resolved.h"
#include "experiment/validate.h"

using namespace lockstep;
using nlohmann::json;

namespace {

/// Every key of the contract with its default, typed from the contract's tables.
const char* kContract = R"({
 "workload.model":"resnet50","workload.dataset":"imagenet-1k","workload.resolution_px":null,"workload.sequence_length":null,
 "workload.precision":"fp32",
 "cluster.architecture":"parameter-server","cluster.workers":4,"cluster.servers":1,"cluster.server_placement":"dedicated",
 "cluster.fixed_nodes":0,"cluster.device":"v100","cluster.devices_per_node":1,"cluster.intra_node_link":"pcie3-x16",
 "cluster.intra_node_bandwidth_bit_per_s":0,"cluster.link_bandwidth_bit_per_s":1e10,"cluster.link_latency_s":5e-6,
 "cluster.nodes_per_rack":0,"cluster.oversubscription":1,"cluster.allreduce":"ring","cluster.overlap":false,
 "cluster.bucket_bytes":26214400,"cluster.sharding":"bytes","cluster.server_aggregation_byte_per_s":0,
 "cluster.loader_samples_per_s":0,"cluster.prefetch_batches":2,"cluster.storage_bandwidth_bit_per_s":0,
 "cluster.straggler_count":0,"cluster.straggler_slowdown":1,"cluster.compute_jitter":0,"cluster.zero_stage":0,
 "cluster.activation_recomputation":false,"cluster.price_per_device_hour":0,"cluster.node_overrides":[],
 "training.model":"cnn","training.layers":[],"training.dataset":"fashion-mnist","training.resolution_px":null,
 "training.workers":null,"training.servers":null,"training.batch_per_worker":32,
 "training.synchronization":"bulk-synchronous","training.staleness_bound":3,"training.local_steps":8,
 "training.backup_workers":0,"training.optimizer":"momentum","training.momentum":0.9,"training.weight_decay":0,
 "training.gradient_clip_norm":0,"training.accumulation_steps":1,"training.learning_rate":0.01,"training.base_batch":32,
 "training.learning_rate_scaling":"linear","training.warmup_steps":0,"training.schedule":"constant",
 "training.augmentation":false,"training.initialization":"same","training.partition":"disjoint",
 "training.gradient":"mini-batch","training.compression":"none","training.top_k_fraction":0.01,"training.epochs":3,
 "training.max_steps":0,"training.seed":1})";

QString errorOf(const char* text) {
    const Result<Experiment> read = experimentFromText(text);
    return read ? QString() : QString::fromStdString(read.error().message);
}

}  // namespace

class TestExperimentJson : public QObject {
    Q_OBJECT

private slots:
    void everyKeyOfTheContractHasItsDefault();
    void emptyDocumentAndNullsAreTheDefault();
    void faultsAreNamedInOneLine_data();
    void faultsAreNamedInOneLine();
    void integersAcceptWholeNumbersWrittenAsFloats();
    void everyValidValueRoundTrips();
    void commandLineTextIsReadByTheKeysType();
    void seedKeepsAll63Bits();
    void changedKeysNamesWhatDiffers();
    void brokenTextNeverThrows();
    void resolvedFollowsTheDefinitions();
};

void TestExperimentJson::everyKeyOfTheContractHasItsDefault() {
    const json contract = json::parse(kContract);
    QCOMPARE(allKeys().size(), contract.size());
    for (const auto& [path, value] : contract.items()) {
        QVERIFY2(findKey(path), path.c_str());
        const json actual = valueOfKey(Experiment{}, path);
        QVERIFY2(actual == value, (path + ": " + actual.dump()).c_str());
        QVERIFY2(!findKey(path)->meaning.empty(), path.c_str());
    }
}

void TestExperimentJson::emptyDocumentAndNullsAreTheDefault() {
    QVERIFY(experimentFromText("{}").value() == Experiment{});
    QVERIFY(experimentFromText(R"({"cluster":null,"training":{"workers":null,"seed":null,"model":null}})").value() ==
            Experiment{});
}

void TestExperimentJson::faultsAreNamedInOneLine_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QStringList>("mustName");
    const auto row = [](const char* name, const char* text, QStringList mustName) {
        QTest::newRow(name) << QByteArray(text) << mustName;
    };
    row("unknown key", R"({"cluster":{"wokers":8}})", {"cluster.wokers", "8"});
    row("unknown group", R"({"clutser":{}})", {"clutser", "cluster"});
    row("wrong type", R"({"cluster":{"workers":"eight"}})", {"cluster.workers", "eight", "1..65536"});
    row("fraction", R"({"cluster":{"workers":2.5}})", {"cluster.workers", "2.5", "whole number"});
    row("too small", R"({"cluster":{"workers":0}})", {"cluster.workers", "0", "1..65536"});
    row("too large", R"({"cluster":{"workers":65537}})", {"cluster.workers", "65537"});
    row("not positive", R"({"cluster":{"link_bandwidth_bit_per_s":0}})", {"cluster.link_bandwidth_bit_per_s", "> 0"});
    row("overflowing number", R"({"cluster":{"link_bandwidth_bit_per_s":1e999}})", {"experiment"});
    row("zero or range", R"({"cluster":{"fixed_nodes":1}})", {"cluster.fixed_nodes", "0 or", "2..65536"});
    row("unknown word", R"({"cluster":{"allreduce":"star"}})", {"cluster.allreduce", "star", "ring, tree"});
    row("bool as number", R"({"cluster":{"overlap":1}})", {"cluster.overlap", "true or false"});
    row("group is a list", R"({"cluster":[]})", {"cluster", "object"});
    row("document is a list", "[1]", {"experiment", "object"});
    row("no server", R"({"cluster":{"servers":0}})", {"cluster.servers", "at least 1"});
    row("servers eat all nodes", R"({"cluster":{"fixed_nodes":4,"servers":4}})", {"cluster.servers", "4", "at most 3"});
    row("too many stragglers", R"({"cluster":{"straggler_count":5}})", {"cluster.straggler_count", "0..4"});
    row("seed too large", R"({"training":{"seed":9223372036854775808}})", {"training.seed", "2^63-1"});
    row("momentum of one", R"({"training":{"momentum":1}})", {"training.momentum"});
    row("empty text", R"({"workload":{"model":""}})", {"workload.model"});
    row("override without node", R"({"cluster":{"node_overrides":[{"slowdown":2}]}})",
        {"cluster.node_overrides[0]", "node"});
    row("layer entry", R"({"training":{"layers":[{"kind":"dense","units":3}]}})", {"training.layers[0]", "units"});
    row("layer kind", R"({"training":{"layers":[{"kind":"relu"},{"kind":"pool"}]}})",
        {"training.layers[1].kind", "pool", "conv, batch-norm, relu, max-pool, average-pool, residual, dense"});
    row("layer without kind", R"({"training":{"layers":[{"outputs":3}]}})", {"training.layers[0]", "kind"});
    row("layer that is no object", R"({"training":{"layers":["relu"]}})", {"training.layers[0]", "kind"});
    row("entry of another kind", R"({"training":{"layers":[{"kind":"relu","outputs":3}]}})",
        {"training.layers[0]", "relu has no entry 'outputs'"});
    row("layer entry out of range", R"({"training":{"layers":[{"kind":"conv","outputs":1025,"kernel":3}]}})",
        {"training.layers[0].outputs", "1025", "0..1024"});
    row("layer stride", R"({"training":{"layers":[{"kind":"conv","stride":0}]}})",
        {"training.layers[0].stride", "1..2"});
    row("layer entry that is no number", R"({"training":{"layers":[{"kind":"dense","outputs":"all"}]}})",
        {"training.layers[0].outputs", "all", "whole number"});
    row("dense in a block",
        R"({"training":{"layers":[{"kind":"relu"},{"kind":"residual","layers":[{"kind":"dense"}]}]}})",
        {"training.layers[1].layers[0].kind", "dense", "in a residual block", "conv, batch-norm, relu, max-pool"});
    row("empty block", R"({"training":{"layers":[{"kind":"residual","layers":[]}]}})",
        {"training.layers[0].layers", "needs a layer"});
    row("block that is no list", R"({"training":{"layers":[{"kind":"residual","layers":3}]}})",
        {"training.layers[0].layers", "list"});
    row("not JSON", R"({"cluster":)", {"not JSON"});
    row("a key twice", R"({"cluster":{"workers":2,"workers":3}})", {"workers", "twice"});
}

void TestExperimentJson::faultsAreNamedInOneLine() {
    QFETCH(QByteArray, text);
    QFETCH(QStringList, mustName);
    const QString error = errorOf(text.constData());
    QVERIFY2(!error.isEmpty(), text.constData());
    QVERIFY(!error.contains('\n'));
    for (const QString& part : mustName) QVERIFY2(error.contains(part), qPrintable(error + " | lacks " + part));
}

void TestExperimentJson::integersAcceptWholeNumbersWrittenAsFloats() {
    QCOMPARE(experimentFromText(R"({"cluster":{"workers":8.0}})").value().cluster.workers, 8);
}

void TestExperimentJson::everyValidValueRoundTrips() {
    RandomStream random(7, RandomPurpose::Test);
    int tried = 0;
    for (int round = 0; round < 60; ++round) {
        Experiment experiment;
        for (const KeyDescription* key : allKeys()) {
            if (!key->isAvailable() || random.nextBelow(3) != 0) continue;
            json value;
            if (key->type == KeyType::Boolean)
                value = random.nextBelow(2) == 1;
            else if (key->type == KeyType::Choice)
                value = std::string(key->choices[random.nextBelow(static_cast<std::uint32_t>(key->choices.size()))]);
            else if (key->type == KeyType::Text)
                value = "some text";
            else if (key->type == KeyType::Integer)
                value = static_cast<std::int64_t>(key->minimum) +
                        random.nextBelow(static_cast<std::uint32_t>(std::min(1e6, key->maximum - key->minimum + 1)));
            else if (key->type == KeyType::Number)
                value =
                    key->minimum + (random.nextDouble() + 0.001) * std::min(0.9 * (key->maximum - key->minimum), 1e9);
            const Result<Experiment> changed = withKey(experiment, key->path, value);
            if (!changed) continue;  // refused for what another key says
            experiment = *changed;
            ++tried;
        }
        const Result<Experiment> again = experimentFromText(experimentToJson(experiment).dump());
        QVERIFY2(again.has_value(), again ? "" : again.error().message.c_str());
        QVERIFY(*again == experiment);
        QVERIFY(validate(experiment).empty());
    }
    QVERIFY2(tried > 300, qPrintable(QString::number(tried)));
}

void TestExperimentJson::commandLineTextIsReadByTheKeysType() {
    const auto set = [](const char* path, std::string_view value) { return withKey(Experiment{}, path, value); };
    QCOMPARE(set("cluster.workers", "16").value().cluster.workers, 16);
    QCOMPARE(set("cluster.link_bandwidth_bit_per_s", "2.5e10").value().cluster.linkBandwidthBitPerS, 2.5e10);
    QVERIFY(set("cluster.architecture", "all-reduce").value().cluster.architecture == Architecture::AllReduce);
    QVERIFY(set("cluster.architecture", "\"all-reduce\"").value().cluster.architecture == Architecture::AllReduce);
    QCOMPARE(set("training.dataset", "123").value().training.dataset, std::string("123"));
    QVERIFY(!set("cluster.workers", "sixteen"));
    QVERIFY(!set("cluster.nothing", "1"));
    QVERIFY(set("training.workers", "null").value() == Experiment{});
}

void TestExperimentJson::seedKeepsAll63Bits() {
    const Experiment experiment = experimentFromText(R"({"training":{"seed":9223372036854775807}})").value();
    QCOMPARE(experiment.training.seed, std::uint64_t{9223372036854775807U});
    QVERIFY(experimentFromText(experimentToJson(experiment).dump()).value() == experiment);
}

void TestExperimentJson::changedKeysNamesWhatDiffers() {
    Experiment after;
    after.cluster.workers = 9;
    after.training.seed = 2;
    QCOMPARE(changedKeys(Experiment{}, after), (std::vector<std::string>{"cluster.workers", "training.seed"}));
    QVERIFY(changedKeys(after, after).empty());
}

void TestExperimentJson::brokenTextNeverThrows() {
    const std::string valid = experimentToJson(Experiment{}).dump();
    RandomStream random(11, RandomPurpose::Test);
    int refused = 0;
    for (int round = 0; round < 2000; ++round) {
        std::string broken = valid.substr(
            0, random.nextBelow(2) ? valid.size() : random.nextBelow(static_cast<std::uint32_t>(valid.size())));
        for (int i = 0; i < 3 && !broken.empty(); ++i)
            broken[random.nextBelow(static_cast<std::uint32_t>(broken.size()))] =
                static_cast<char>(random.nextBelow(256));
        const Result<Experiment> read = experimentFromText(broken);
        if (!read) ++refused;
        if (!read) QVERIFY(read.error().message.find('\n') == std::string::npos);
    }
    QVERIFY(refused > 1000);
    for (const char bracket : {'[', '{'}) {
        const Result<Experiment> deep =
            experimentFromText(R"({"cluster":{"workers":)" + std::string(1'000'000, bracket));
        QVERIFY(!deep);
        QVERIFY(deep.error().message.find("nested") != std::string::npos);
    }
}

void TestExperimentJson::resolvedFollowsTheDefinitions() {
    Experiment experiment;
    experiment.cluster.workers = 1000;
    QCOMPARE(trainingWorkers(experiment), 256);
    experiment.cluster.fixedNodes = 10;
    experiment.cluster.servers = 3;
    QCOMPARE(clusterWorkers(experiment), 7);
    QCOMPARE(clusterServers(experiment), 3);
    experiment.cluster.architecture = Architecture::AllReduce;
    QCOMPARE(clusterWorkers(experiment), 10);
    QCOMPARE(clusterServers(experiment), 0);
    QCOMPARE(trainingServers(experiment), 0);
    experiment.cluster.architecture = Architecture::SingleNode;
    QCOMPARE(clusterWorkers(experiment), 1);
    QCOMPARE(trainingWorkers(experiment), 1);
    QCOMPARE(trainingResolutionPx(experiment), 28);  // 224 / 8
    experiment.workload.resolutionPx = 32;
    QCOMPARE(trainingResolutionPx(experiment), 8);
    experiment.workload.resolutionPx = 1024;
    QCOMPARE(trainingResolutionPx(experiment), 64);
    Experiment eight;
    eight.cluster.workers = 8;
    QCOMPARE(samplesPerUpdate(eight), 256.0);
    QCOMPARE(scaledLearningRate(eight), 0.01 * 8);
    eight.training.learningRateScaling = RateScaling::Sqrt;
    QVERIFY(qFuzzyCompare(scaledLearningRate(eight), 0.01 * 2.8284271247461903));
    eight.training.synchronization = SynchronizationKind::None;
    QCOMPARE(samplesPerUpdate(eight), 32.0);
}

QTEST_GUILESS_MAIN(TestExperimentJson)
#include "test_experiment_json.moc"
