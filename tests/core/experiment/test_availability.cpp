// System: which values can be used already. Expectation: the lists below, typed by hand; what is on the first is
// refused with "not available yet: KEY" by whatever way it comes, everything else of the contract is taken.
#include <QTest>
#include <algorithm>
#include <set>

#include "experiment/experiment_json.h"
#include "experiment/keys.h"
#include "experiment/validate.h"

using namespace lockstep;
using nlohmann::json;

namespace {

struct Setting {
    const char* path;
    const char* value;  ///< as JSON
};

constexpr Setting kNotYet[] = {
    {"cluster.devices_per_node", "2"},
    {"cluster.intra_node_link", R"("nvlink2-dgx1-v100")"},
    {"cluster.intra_node_bandwidth_bit_per_s", "1e11"},
    {"cluster.nodes_per_rack", "4"},
    {"cluster.allreduce", R"("hierarchical")"},
    {"cluster.overlap", "true"},
    {"cluster.bucket_bytes", "1e6"},
    {"cluster.compute_jitter", "0.1"},
    {"cluster.zero_stage", "1"},
    {"cluster.activation_recomputation", "true"},
    {"cluster.price_per_device_hour", "2.5"},
    {"cluster.node_overrides", R"([{"node":0,"slowdown":2}])"},
};

constexpr Setting kAvailable[] = {
    {"training.augmentation", "true"},
    {"training.model", R"("residual-cnn")"},
    {"training.layers", R"([{"kind":"dense","outputs":10}])"},
    {"training.layers", R"([{"kind":"conv","outputs":4,"kernel":3,"stride":2},{"kind":"max-pool","kernel":2},
      {"kind":"residual","layers":[{"kind":"conv","outputs":4,"kernel":1},{"kind":"batch-norm"},{"kind":"relu"}]},
      {"kind":"average-pool"},{"kind":"dense"}])"},
    {"cluster.allreduce", R"("auto")"},
    {"cluster.sharding", R"("tensors")"},
    {"training.synchronization", R"("stale-synchronous")"},
    {"training.synchronization", R"("asynchronous")"},
    {"training.synchronization", R"("local-sgd")"},
    {"training.synchronization", R"("none")"},
    {"training.staleness_bound", "7"},
    {"training.local_steps", "16"},
    {"training.backup_workers", "1"},
    {"training.optimizer", R"("nesterov")"},
    {"training.optimizer", R"("adam")"},
    {"training.optimizer", R"("lars")"},
    {"training.weight_decay", "1e-4"},
    {"training.gradient_clip_norm", "1"},
    {"training.accumulation_steps", "4"},
    {"training.warmup_steps", "100"},
    {"training.schedule", R"("step")"},
    {"training.schedule", R"("cosine")"},
    {"training.initialization", R"("different")"},
    {"training.partition", R"("by-label")"},
    {"training.partition", R"("replicated")"},
    {"training.gradient", R"("full")"},
    {"training.compression", R"("fp16")"},
    {"training.compression", R"("top-k")"},
    {"training.top_k_fraction", "0.1"},
};

template <std::size_t N>
void addRows(const Setting (&settings)[N]) {
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("value");
    for (const Setting& setting : settings)
        QTest::addRow("%s = %s", setting.path, setting.value) << QString(setting.path) << QString(setting.value);
}

json documentWith(const std::string& path, const json& value) {
    const std::size_t dot = path.find('.');
    return {{path.substr(0, dot), {{path.substr(dot + 1), value}}}};
}

}  // namespace

class TestAvailability : public QObject {
    Q_OBJECT

private slots:
    void whatIsLockedIsRefusedByItsName_data() { addRows(kNotYet); }
    void whatIsLockedIsRefusedByItsName() {
        QFETCH(QString, path);
        QFETCH(QString, value);
        const std::string key = path.toStdString(), text = value.toStdString();
        const QString expected = "not available yet: " + path + " ";
        const Result<Experiment> fromDocument = experimentFromJson(documentWith(key, json::parse(text)));
        const Result<Experiment> fromCommandLine = withKey(Experiment{}, key, std::string_view(text));
        for (const Result<Experiment>* read : {&fromDocument, &fromCommandLine}) {
            QVERIFY(!*read);
            const QString message = QString::fromStdString(read->error().message);
            QVERIFY2(message.startsWith(expected), qPrintable(message));
            QVERIFY(!message.contains('\n'));
        }
    }

    void whatIsAvailableIsTakenAndKept_data() { addRows(kAvailable); }
    void whatIsAvailableIsTakenAndKept() {
        QFETCH(QString, path);
        QFETCH(QString, value);
        const std::string key = path.toStdString();
        const json wanted = json::parse(value.toStdString());
        const Result<Experiment> read = experimentFromJson(documentWith(key, wanted));
        QVERIFY2(read, read ? "" : read.error().message.c_str());
        QVERIFY(valueOfKey(*read, key) == wanted);
        QVERIFY(experimentFromJson(experimentToJson(*read)).value() == *read);
    }

    // The key table says the same as the list, to those who make controls and help from it.
    void theKeyTableAgrees() {
        std::set<std::pair<std::string, std::string>> listed, told;
        for (const Setting& setting : kNotYet) {
            const KeyDescription* key = findKey(setting.path);
            QVERIFY2(key, setting.path);
            const bool choice = key->type == KeyType::Choice;
            listed.emplace(setting.path, choice ? json::parse(setting.value).get<std::string>() : "*");
        }
        for (const KeyDescription* key : allKeys()) {
            QCOMPARE(key->isAvailable(), std::ranges::find(key->notYet, "*") == key->notYet.end());
            for (const std::string_view value : key->notYet) {
                told.emplace(key->path, value);
                QVERIFY(!key->isChoiceAvailable(value));
            }
        }
        QVERIFY(told == listed);
    }

    void topKIsForEveryArchitecture() {
        Experiment experiment;
        experiment.training.compression = Compression::TopK;
        for (const auto architecture :
             {Architecture::SingleNode, Architecture::ParameterServer, Architecture::AllReduce}) {
            experiment.cluster.architecture = architecture;
            QVERIFY(validate(experiment).empty());
        }
    }

    void backupWorkersAreFewerThanWorkersOfEitherKind() {
        Experiment experiment;
        experiment.training.backupWorkers = 3;
        QVERIFY(validate(experiment).empty());
        experiment.training.workers = 3;
        QCOMPARE(validate(experiment).front().key, std::string("training.backup_workers"));
        experiment.training.workers = 8;
        experiment.training.backupWorkers = 4;
        QCOMPARE(validate(experiment).front().allowed, std::string("0..3 with 4 workers"));
    }
};

QTEST_GUILESS_MAIN(TestAvailability)
#include "test_availability.moc"
