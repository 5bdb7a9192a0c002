// lockstep-cli train: the stream of snapshots and its summary, on a few hundred small images.
#include <QTest>
#include <algorithm>
#include <csignal>
#include <set>

#include "app/cli.h"

using lockstep::test::call;
using lockstep::test::Called;
using lockstep::test::SmallDataset;
using nlohmann::json;

class TestCliTrain : public QObject {
    Q_OBJECT
    SmallDataset m_data;

    /// Four workers, softmax on 8 px, batches of 8: 20 steps an epoch.
    QStringList arguments(const QStringList& more) const {
        return QStringList{"train", "{}",
                           "--set", "training.dataset=" + m_data.path(),
                           "--set", "training.model=softmax",
                           "--set", "training.resolution_px=8",
                           "--set", "training.batch_per_worker=8"} +
               more;
    }
    Called train(const QStringList& more) const { return call(arguments(QStringList{"--json"} + more)); }
    json summary(const QStringList& more) const {
        const std::vector<json> documents = train(more).documents();
        return documents.empty() ? json() : documents.back()["summary"];
    }

private slots:
    // EXPERIMENT.md: the first at step 0, before any update, then one each N steps, the end, and the summary last.
    void snapshotsComeInOrder() {
        const Called called = train({"--steps", "25", "--every", "10"});
        QCOMPARE(called.status, 0);
        const std::vector<json> documents = called.documents();
        std::vector<int> steps;
        for (const json& document : documents)
            if (document.contains("step")) steps.push_back(document["step"].get<int>());
        QCOMPARE(steps, (std::vector<int>{0, 10, 20, 25}));
        QCOMPARE(documents.size(), std::size_t{5});
        QVERIFY(documents.front()["loss"].is_null());
        QVERIFY(documents[1]["loss"].get<double>() > 0);
        for (const std::size_t tested : {2U, 3U}) QVERIFY(documents[tested]["test_accuracy"].is_number());
        QVERIFY(documents[1]["test_accuracy"].is_null());
        QVERIFY(documents.back().size() == 1 && documents.back().contains("summary"));
        QCOMPARE(train({"--steps", "6", "--every", "2"}).documents().size(), std::size_t{5});
        QCOMPARE(train({"--steps", "25"}).lines().size(), std::size_t{5});
    }

    void snapshotsAndSummaryHaveTheContractsNames() {
        const std::vector<json> documents = train({"--steps", "10"}).documents();
        QCOMPARE(documents.size(), std::size_t{3});
        const json& last = documents.back()["summary"];
        for (const json* document : {&documents[0], &documents[1], &last}) {
            for (const char* name : {"step", "epoch", "samples_seen", "wall_s", "modelled_s", "loss", "train_accuracy",
                                     "test_accuracy", "learning_rate", "divergence", "gradient_noise_scale",
                                     "staleness", "measured_samples_per_s", "bytes_sent"})
                QVERIFY2(document->contains(name), name);
            for (const char* name :
                 {"mean_distance_to_average", "max_pairwise_distance", "relative", "prediction_disagreement"})
                QVERIFY2((*document)["divergence"].contains(name), name);
            QVERIFY((*document)["staleness"].contains("mean") && (*document)["staleness"].contains("max"));
        }
        QVERIFY(last["outcome"] == "done" && last["diverged_at_step"].is_null());
        QCOMPARE(last["parameters_hash"].get<std::string>().size(), std::size_t{16});
        QCOMPARE(last["parameters_hash_per_replica"].size(), std::size_t{4});
        for (const json& hash : last["parameters_hash_per_replica"]) QVERIFY(hash == last["parameters_hash"]);
        QCOMPARE(last["samples_seen"].get<int>(), 10 * 4 * 8);
        // Ten of the modelled cluster's iterations.
        const json predicted = call({"predict", "{}", "--json", "--set", "training.batch_per_worker=8"}).document();
        QVERIFY(qFuzzyCompare(last["modelled_s"].get<double>(), 10 * predicted["iteration_time_s"].get<double>()));
    }

    // What workers and servers sent, and what they received, is what was sent.
    void workersAndServersAddUp() {
        const json last = summary({"--steps", "10", "--meters", "on"});
        double sent = 0, received = 0;
        for (const char* who : {"workers", "servers"}) {
            for (const json& bytes : last[who]["bytes_sent"]) sent += bytes.get<double>();
            for (const json& bytes : last[who]["bytes_received"]) received += bytes.get<double>();
        }
        QVERIFY(sent > 0 && sent == last["bytes_sent"].get<double>() && received == sent);
        for (const char* column : {"loss", "compute_thread_s", "communication_wall_s", "waiting_modelled_share"}) {
            QCOMPARE(last["workers"][column].size(), std::size_t{4});
            QVERIFY2(last["workers"][column][3].is_number(), column);
        }
        for (const char* name :
             {"gradient_noise_scale_standard_error", "suggested_global_batch", "gradient_variance", "full_gradient"})
            QVERIFY2(last.contains(name), name);
        for (const char* name : {"per_layer", "projection", "measured_at_step"})
            QVERIFY2(last["divergence"].contains(name), name);
    }

    void metersDoNotChangeTheHash() {
        const auto with = [&](const char* meters) {
            return train({"--steps", "10", "--set", "training.synchronization=none", "--meters", meters});
        };
        QCOMPARE(with("all").status, 2);
        const json on = with("on").documents().back()["summary"], off = with("off").documents().back()["summary"];
        for (const char* meters : {"off", "sampled", "noise,times"})
            QVERIFY(with(meters).documents().back()["summary"]["parameters_hash_per_replica"] ==
                    on["parameters_hash_per_replica"]);
        QVERIFY(on["divergence"]["relative"].is_number() && off["divergence"]["relative"].is_null());
    }

    void replicasWithoutSynchronizationHaveHashesOfTheirOwn() {
        const json last = summary({"--steps", "10", "--set", "training.synchronization=none"});
        std::set<std::string> hashes;
        for (const json& hash : last["parameters_hash_per_replica"]) hashes.insert(hash.get<std::string>());
        QCOMPARE(hashes.size(), std::size_t{4});
        QVERIFY(last["average_model_test_accuracy"].is_number());
        QVERIFY(last["divergence"]["mean_distance_to_average"].get<double>() > 0);
    }

    void threadsDoNotChangeTheHash() {
        const json one = summary({"--steps", "20", "--threads", "1"}),
                   two = summary({"--steps", "20", "--threads", "2"});
        QVERIFY(one["parameters_hash"].is_string());
        QVERIFY(one["parameters_hash"] == two["parameters_hash"]);
        QVERIFY(summary({"--steps", "20", "--set", "training.seed=2"})["parameters_hash"] != one["parameters_hash"]);
    }

    void stepsAndTestsAreAsAsked() {
        std::vector<int> tested;
        for (const json& document : train({"--steps", "30", "--every", "5", "--test-every", "10"}).documents())
            if (document.contains("step") && document["test_accuracy"].is_number())
                tested.push_back(document["step"].get<int>());
        QCOMPARE(tested, (std::vector<int>{10, 20, 30}));
        QCOMPARE(summary({"--set", "training.epochs=1"})["step"].get<int>(), 20);
    }

    // A run that diverges is a result: status 0, and where it happened.
    void divergenceIsAResult() {
        const Called called = train({"--set", "training.learning_rate=1000", "--set", "training.model=mlp"});
        QCOMPARE(called.status, 0);
        const json last = called.documents().back()["summary"];
        QVERIFY(last["outcome"] == "diverged");
        QVERIFY(last["diverged_at_step"].get<int>() > 0);
    }

    void whatCannotBeTrainedIsRefused() {
        const Called called = train({"--set", "training.batch_per_worker=161"});
        QCOMPARE(called.status, 2);
        QVERIFY(called.output.empty());
        QVERIFY(called.messages.find("training.batch_per_worker") != std::string::npos);
    }

    void theTableIsForPeople() {
        const Called called = call(arguments({"--steps", "10", "--set", "cluster.servers=1"}));
        QCOMPARE(called.status, 0);
        QVERIFY(called.messages.find("4 workers, 1 server, bulk-synchronous, batch 8 each") != std::string::npos);
        const std::vector<std::string> lines = called.lines();
        QCOMPARE(lines.size(), std::size_t{4});
        QVERIFY(lines[0].find("loss") != std::string::npos);
        QVERIFY(lines[1].find("nan") == std::string::npos);
        QVERIFY(lines.back().starts_with("done after 10 steps: test accuracy "));
    }

    // Ctrl+C: the run stops, and what it has reached is reported as ever.
    void anInterruptStopsAndReports_data() {
        QTest::addColumn<bool>("asJson");
        QTest::newRow("JSON") << true;
        QTest::newRow("table") << false;
    }
    void anInterruptStopsAndReports() {
        QFETCH(bool, asJson);
        QProcess process;
        const QStringList endless{"--set", "training.epochs=1000000", "--every", "1000"};
        process.start(LOCKSTEP_CLI, arguments(endless + (asJson ? QStringList{"--json"} : QStringList{})));
        while (process.bytesAvailable() < 400) QVERIFY(process.waitForReadyRead(60000));
        ::kill(static_cast<pid_t>(process.processId()), SIGINT);
        QVERIFY(process.waitForFinished(60000));
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        QCOMPARE(process.exitCode(), 0);
        const Called called{0, process.readAllStandardOutput().toStdString(), {}};
        if (!asJson) {
            QVERIFY(called.lines().back().starts_with("stopped after "));
            return;
        }
        const std::vector<json> documents = called.documents();
        QVERIFY(!documents.empty());
        const json& last = documents.back()["summary"];
        QVERIFY(last["outcome"] == "stopped");
        QVERIFY(last["step"] == documents[documents.size() - 2]["step"]);
        QCOMPARE(last["parameters_hash_per_replica"].size(), std::size_t{4});
    }

    void theBenchPrintsOneDocument() {
        const Called called =
            call({"bench", "train", "--json", "--model", "softmax", "--resolution", "8", "--dataset", m_data.path()});
        QCOMPARE(called.status, 0);
        QVERIFY(called.document()["samples_per_s"].get<double>() > 0);
    }
};

QTEST_GUILESS_MAIN(TestCliTrain)
#include "test_cli_train.moc"
