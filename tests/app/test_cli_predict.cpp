// lockstep-cli predict, sweep, catalogue and quiz: what they print, for people and for programs.
#include <QTest>
#include <algorithm>
#include <cmath>
#include <set>

#include "app/cli.h"
#include "cluster/sweep.h"

using lockstep::test::call;
using lockstep::test::Called;
using nlohmann::json;

namespace {

std::set<std::string> namesOf(const json& object) {
    std::set<std::string> names;
    for (const auto& [name, value] : object.items()) names.insert(name);
    return names;
}

/// One line of CSV (RFC 4180) cut into its cells.
std::vector<std::string> cellsOf(const std::string& line) {
    std::vector<std::string> cells(1);
    bool quoted = false;
    for (const char character : line) {
        if (character == '"') quoted = !quoted;
        if (character == ',' && !quoted)
            cells.emplace_back();
        else
            cells.back().push_back(character);
    }
    return cells;
}

json predicted(const QStringList& arguments, const QByteArray& input = {}) {
    return call(QStringList{"predict", "--json"} + arguments, input).document();
}

}  // namespace

class TestCliPredict : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;

private slots:
    // EXPERIMENT.md, "What predict returns": these names and no others.
    void predictHasExactlyTheContractsNames() {
        const Called called = call({"predict", "{}", "--json"});
        QCOMPARE(called.status, 0);
        QVERIFY(called.messages.empty());
        QCOMPARE(called.lines().size(), std::size_t{1});
        const json document = called.document();
        QCOMPARE(
            namesOf(document),
            (std::set<std::string>{"iteration_time_s", "throughput_samples_per_s", "scaling_efficiency", "global_batch",
                                   "epoch_time_s", "fits", "max_batch_per_worker", "breakdown", "bottleneck", "memory",
                                   "pull_bandwidth_per_worker_bit_per_s", "push_bandwidth_per_worker_bit_per_s",
                                   "links", "loading_bandwidth_samples_per_s", "training_bandwidth_samples_per_s"}));
        QCOMPARE(namesOf(document["breakdown"]),
                 (std::set<std::string>{"load_s", "compute_s", "pull_s", "push_s", "allreduce_s", "aggregate_s",
                                        "exposed_communication_s", "idle_s"}));
        QCOMPARE(namesOf(document["memory"]),
                 (std::set<std::string>{"parameters_bytes", "gradients_bytes", "optimizer_bytes", "activations_bytes",
                                        "workspace_bytes"}));
        for (const json& link : document["links"]) {
            QVERIFY(link["direction"] == "in" || link["direction"] == "out");
            QVERIFY(link["bytes"].get<double>() > 0 && link["busy_fraction"].get<double>() <= 1);
        }
        QVERIFY(document["bottleneck"] == "server-link");
        QCOMPARE(document["global_batch"].get<int>(), 128);
    }

    void whatDoesNotFitHasNoTimes() {
        const json document = predicted({"{}", "--set", "training.batch_per_worker=4096"});
        QVERIFY(document["fits"] == false && document["bottleneck"] == "memory");
        QVERIFY(document["max_batch_per_worker"].get<int>() > 0);
        for (const char* name : {"iteration_time_s", "throughput_samples_per_s", "epoch_time_s"})
            QVERIFY(document[name].is_null());
    }

    // One experiment by every way in: inline, file, standard input, built-in, overrides.
    void theExperimentComesFromAnywhere() {
        const QString text = R"({"cluster":{"architecture":"all-reduce","workers":8}})";
        const QString path = m_folder.filePath("an experiment.json");
        std::ofstream(path.toStdString()) << text.toStdString();
        const json expected = predicted({text});
        QVERIFY(expected.is_object() && expected["breakdown"]["allreduce_s"].get<double>() > 0);
        QVERIFY(predicted({path}) == expected);
        QVERIFY(predicted({"-"}, text.toUtf8()) == expected);
        QVERIFY(predicted({"ring_of_eight"}) == expected);
        QVERIFY(predicted({"ring-of-eight"}) == expected);
        QVERIFY(predicted({"--set", "cluster.workers=8", "--set", "cluster.architecture=all-reduce"}) == expected);
        QVERIFY(predicted({}) == predicted({"{}"}));
        QVERIFY(predicted({}) != expected);
    }

    // Later settings win, and overrides come after the document; a null takes the default.
    void settingsOverride() {
        const auto batch = [](const QStringList& arguments) { return predicted(arguments)["global_batch"].get<int>(); };
        QCOMPARE(batch({R"({"cluster":{"workers":8}})", "--set", "cluster.workers=2"}), 64);
        QCOMPARE(batch({"{}", "--set", "cluster.workers=2", "--set", "cluster.workers=16"}), 512);
        QCOMPARE(batch({R"({"cluster":{"workers":8}})", "--set", "cluster.workers=null"}), 128);
    }

    void theTableIsForPeople() {
        const Called one = call({"predict", "{}"});
        QCOMPARE(one.status, 0);
        QVERIFY(one.messages.empty());
        QVERIFY(one.output.starts_with("Modelled, not measured. Bound by the server's link. "));
        QVERIFY(one.output.find("128 (4 workers, 1 server)") != std::string::npos);
        const Called two = call({"predict", "--set", "cluster.servers=2"});
        QVERIFY(two.output.find("(4 workers, 2 servers)") != std::string::npos);
        const Called none = call({"predict", "one_device"});
        QVERIFY(none.output.find("(1 worker)") != std::string::npos);
        QVERIFY(none.output.find("server") == std::string::npos);
    }

    void sweepPrintsCsv() {
        const Called called = call({"sweep", "{}", "--over", "cluster.workers=1,2,4", "--over",
                                    "cluster.architecture=all-reduce,parameter-server"});
        QCOMPARE(called.status, 0);
        QVERIFY(called.messages.empty());
        const std::vector<std::string> lines = called.lines();
        QCOMPARE(lines.size(), std::size_t{1 + 3 * 2});
        const std::vector<std::string> header = cellsOf(lines[0]);
        std::vector<std::string> expected{"cluster.workers", "cluster.architecture"};
        for (const std::string& name : lockstep::sweepColumns()) expected.push_back(name);
        expected.emplace_back("error");
        QCOMPARE(header, expected);
        const auto throughput =
            static_cast<std::size_t>(std::ranges::find(header, "throughput_samples_per_s") - header.begin());
        QVERIFY(throughput < header.size());
        for (std::size_t line = 1; line < lines.size(); ++line) {
            const std::vector<std::string> cells = cellsOf(lines[line]);
            QCOMPARE(cells.size(), header.size());
            const json direct = predicted({"--set", "cluster.workers=" + QString::fromStdString(cells[0]), "--set",
                                           "cluster.architecture=" + QString::fromStdString(cells[1])});
            QCOMPARE(std::stod(cells[throughput]), direct["throughput_samples_per_s"].get<double>());
        }
        QCOMPARE(cellsOf(lines[2])[1], std::string("parameter-server"));  // the last axis is the fastest
    }

    void sweepPrintsOneJsonDocument() {
        const Called called = call(
            {"sweep", "{}", "--json", "--over", "cluster.workers=1,2", "--over", "workload.precision=fp32,fp16,bf16"});
        QCOMPARE(called.status, 0);
        const json document = called.document();
        QVERIFY(document.is_array());
        QCOMPARE(document.size(), std::size_t{6});
        QVERIFY(document[1]["settings"] == json({{"cluster.workers", 1}, {"workload.precision", "fp16"}}));
        QVERIFY(document[1]["prediction"] ==
                predicted({"--set", "cluster.workers=1", "--set", "workload.precision=fp16"}));
    }

    // A point that is refused leaves its cells empty and says why; all points refused is bad input.
    void refusedPointsAreTold() {
        const Called some = call({"sweep", "{}", "--over", "cluster.servers=0,1"});
        QCOMPARE(some.status, 0);
        QVERIFY(some.messages.find("1 of 2 points were refused") != std::string::npos);
        const std::vector<std::string> refused = cellsOf(some.lines()[1]);
        QVERIFY(refused[1].empty() && refused.back().find("cluster.servers") != std::string::npos);
        QVERIFY(cellsOf(some.lines()[2]).back().empty());
        const json points = call({"sweep", "{}", "--json", "--over", "cluster.servers=0,1"}).document();
        QVERIFY(points[0]["prediction"].is_null() && points[0]["error"].is_string());
        QCOMPARE(call({"sweep", "{}", "--over", "cluster.servers=0"}).status, 2);
    }

    void catalogueListsItsEntries_data() {
        QTest::addColumn<QString>("what");
        QTest::addColumn<QString>("entry");
        QTest::newRow("models") << "models"
                                << "resnet50";
        QTest::newRow("devices") << "devices"
                                 << "v100";
        QTest::newRow("links") << "links"
                               << "pcie3-x16";
        QTest::newRow("datasets") << "datasets"
                                  << "imagenet-1k";
    }
    void catalogueListsItsEntries() {
        QFETCH(QString, what);
        QFETCH(QString, entry);
        const Called called = call({"catalogue", what, "--json"});
        QCOMPARE(called.status, 0);
        QVERIFY(called.messages.empty());
        const json entries = called.document();
        QVERIFY(entries.is_array() && entries.size() > 2);
        QVERIFY(std::ranges::any_of(entries, [&](const json& one) { return one["key"] == entry.toStdString(); }));
        for (const json& one : entries) {
            QVERIFY2(one["name"].is_string() && !one["sources"].empty(), one.dump().c_str());
            for (const json& source : one["sources"]) QVERIFY(!source["text"].get<std::string>().empty());
        }
        const Called table = call({"catalogue", what});
        QCOMPARE(table.status, 0);
        QVERIFY(table.output.find(entry.toStdString()) != std::string::npos);
        QVERIFY(table.output.find("source: ") != std::string::npos);
    }

    void quizListHasAllQuestions() {
        const Called called = call({"quiz", "list", "--json"});
        QCOMPARE(called.status, 0);
        QVERIFY(called.messages.empty());
        const json questions = called.document();
        QVERIFY(questions.is_array());
        QCOMPARE(questions.size(), std::size_t{73});
        for (std::size_t i = 0; i < questions.size(); ++i) {
            const json& question = questions[i];
            QCOMPARE(question["number"].get<std::size_t>(), i + 1);
            for (const char* text : {"topic", "stem", "explanation", "scene"})
                QVERIFY2(!question[text].get<std::string>().empty(), text);
            QCOMPARE(question["options"].size(), std::size_t{4});
            QCOMPARE(question["option_notes"].size(), std::size_t{4});
            for (std::size_t option = 0; option < 4; ++option) {
                QVERIFY(!question["options"][option].get<std::string>().empty());
                QVERIFY(!question["option_notes"][option].get<std::string>().empty());
            }
            QVERIFY(question["answer_index"].get<int>() >= 0 && question["answer_index"].get<int>() < 4);
        }
    }

    // Without --key the list gives nothing away.
    void quizListKeepsTheKeyToItself() {
        const std::string open = call({"quiz", "list"}).output, solved = call({"quiz", "list", "--key"}).output;
        QVERIFY(open.starts_with("1. "));
        QVERIFY(open.find("\n73. ") != std::string::npos);
        QVERIFY(open.find("   * ") == std::string::npos);
        QVERIFY(solved.find("   * ") != std::string::npos && solved.size() > open.size());
    }

    void benchesPrintOneDocument() {
        const json simulate = call({"bench", "simulate", "--json"}).document();
        QVERIFY(simulate["predictions_per_s"].get<double>() > 0);
        QVERIFY(simulate["p99_s"].get<double>() >= simulate["median_s"].get<double>());
    }
};

QTEST_GUILESS_MAIN(TestCliPredict)
#include "test_cli_predict.moc"
