// lockstep-cli: exit statuses, help, and one clear line on whatever is wrong with what it was given.
#include <QTest>
#include <algorithm>

#include "app/cli.h"

using lockstep::test::call;
using lockstep::test::Called;

class TestCliUsage : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;

    QString file(const QString& name, const char* text) const {
        const QString path = m_folder.filePath(name);
        std::ofstream(path.toStdString()) << text;
        return path;
    }

private slots:
    void badInputIsRefusedInOneLine_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QStringList>("mustName");
        const auto row = [](const char* name, const QStringList& arguments, const QStringList& mustName) {
            QTest::newRow(name) << arguments << mustName;
        };
        row("unknown group", {"predict", R"({"clutser":{}})"}, {"clutser", "workload, cluster, training"});
        row("unknown key", {"predict", R"({"cluster":{"wokers":8}})"}, {"cluster.wokers", "8"});
        row("wrong type", {"predict", R"({"cluster":{"workers":"eight"}})"}, {"cluster.workers", "eight", "1..65536"});
        row("out of range", {"predict", R"({"cluster":{"workers":0}})"}, {"cluster.workers", "0", "1..65536"});
        row("not available", {"predict", R"({"cluster":{"overlap":true}})"}, {"not available yet: cluster.overlap"});
        row("unknown model", {"predict", R"({"workload":{"model":"alex"}})"}, {"workload.model", "alex", "resnet50"});
        row("contradiction", {"predict", R"({"cluster":{"servers":0}})"}, {"cluster.servers", "at least 1"});
        row("malformed", {"predict", R"({"cluster":)"}, {"line 1, column 12"});
        row("malformed file", {"predict", file("bad.json", "{\n  \"cluster\": {\n    \"workers\": 4,,\n  }\n}\n")},
            {"bad.json", "line 3, column 18"});
        row("fault in a file", {"predict", file("fault.json", R"({"cluster":{"workers":0}})")},
            {"fault.json", "cluster.workers"});
        row("missing file", {"predict", "no/such/file.json"}, {"no/such/file.json", "neither a file nor a built-in"});
        row("a folder", {"predict", "/"}, {"/", "regular file"});
        row("unknown preset", {"predict", "ring_of_nine"}, {"ring_of_nine", "ring_of_eight"});
        row("set without value", {"predict", "{}", "--set", "cluster.workers"}, {"--set cluster.workers", "KEY=VALUE"});
        row("set out of range", {"predict", "{}", "--set", "cluster.workers=0"}, {"cluster.workers", "1..65536"});
        row("set of an unknown key", {"predict", "{}", "--set", "cluster.x=0"}, {"cluster.x", "no key"});
        row("sweep without values", {"sweep", "{}", "--over", "cluster.workers"}, {"--over", "KEY=V1,V2"});
        row("sweep without axis", {"sweep", "{}"}, {"--over"});
        row("sweep out of range", {"sweep", "{}", "--over", "cluster.workers=0,1"}, {"cluster.workers", "1..65536"});
        row("sweep of an unknown key", {"sweep", "{}", "--over", "cluster.x=0,1"}, {"cluster.x", "no key"});
        row("no such dataset", {"train", "{}", "--set", "training.dataset=/no/such"}, {"/no/such", "fashion-mnist"});
        row("not available to train", {"train", "{}", "--set", "cluster.overlap=true"},
            {"not available yet: cluster.overlap"});
        row("layers that do not fit",
            {"train", R"({"training":{"dataset":"shapes","layers":[{"kind":"conv","kernel":3},{"kind":"dense"}]}})"},
            {"training.layers", "layer 1", "1..1024"});
        row("no steps", {"train", "{}", "--steps", "0"}, {"--steps", "0", "1"});
        row("steps that are no number", {"train", "{}", "--steps", "many"}, {"--steps", "many"});
        row("unknown option", {"predict", "{}", "--frob"}, {"--frob", "lockstep-cli predict --help"});
        row("one argument too many", {"predict", "{}", "{}"}, {"{}"});
        row("no subcommand", {}, {"a subcommand is needed", "predict"});
        row("unknown subcommand", {"frob"}, {"'frob'", "predict", "train"});
        row("unknown subcommand of quiz", {"quiz", "frob"}, {"'frob'", "list"});
        row("unknown catalogue", {"catalogue", "colours"}, {"colours", "models", "datasets"});
        row("unknown model to measure", {"bench", "train", "--model", "gpt"}, {"--model", "gpt", "cnn"});
    }
    void badInputIsRefusedInOneLine() {
        QFETCH(QStringList, arguments);
        QFETCH(QStringList, mustName);
        const Called called = call(arguments);
        const QString message = QString::fromStdString(called.messages);
        QCOMPARE(called.status, 2);
        QVERIFY2(called.output.empty(), called.output.c_str());
        QVERIFY2(message.startsWith("lockstep-cli: "), qPrintable(message));
        QCOMPARE(message.count('\n'), 1);
        for (const QString& part : mustName) QVERIFY2(message.contains(part), qPrintable(message + "lacks " + part));
    }

    // With --json, too, nothing but JSON may come out: here nothing at all.
    void refusalsKeepStandardOutputClean() {
        for (const QStringList& arguments : {QStringList{"predict", "--json", "nothing"},
                                             {"train", "--json", "nothing"},
                                             {"sweep", "--json", "nothing", "--over", "cluster.workers=1"},
                                             {"catalogue", "nothing", "--json"}}) {
            const Called called = call(arguments);
            QCOMPARE(called.status, 2);
            QVERIFY(called.output.empty() && !called.messages.empty());
        }
    }

    void helpTellsEverySubcommand_data() {
        QTest::addColumn<QStringList>("command");
        QTest::addColumn<QStringList>("mustName");
        const QStringList experiment{"EXPERIMENT", "--set KEY=VALUE", "--json"};
        QTest::newRow("all") << QStringList{} << QStringList{"predict", "sweep", "train", "quiz", "catalogue", "bench"};
        QTest::newRow("predict") << QStringList{"predict"} << experiment;
        QTest::newRow("sweep") << QStringList{"sweep"} << experiment + QStringList{"--over KEY=V1,V2,..."};
        QTest::newRow("train") << QStringList{"train"}
                               << experiment + QStringList{"--steps", "--threads", "--every", "--test-every"};
        QTest::newRow("quiz") << QStringList{"quiz"} << QStringList{"list"};
        QTest::newRow("quiz list") << QStringList{"quiz", "list"} << QStringList{"--json", "--key"};
        QTest::newRow("catalogue") << QStringList{"catalogue"}
                                   << QStringList{"models", "devices", "links", "datasets", "--json"};
        QTest::newRow("bench") << QStringList{"bench"} << QStringList{"train", "stop", "simulate"};
        QTest::newRow("bench stop") << QStringList{"bench", "stop"} << QStringList{"--threads", "--rounds", "--json"};
        QTest::newRow("bench train") << QStringList{"bench", "train"} << QStringList{"--model", "--batch", "--json"};
        QTest::newRow("bench simulate") << QStringList{"bench", "simulate"} << experiment;
    }
    void helpTellsEverySubcommand() {
        QFETCH(QStringList, command);
        QFETCH(QStringList, mustName);
        for (const char* help : {"--help", "-h"}) {
            const Called called = call(command + QStringList{help});
            QCOMPARE(called.status, 0);
            QVERIFY(called.messages.empty());
            const QString text = QString::fromStdString(called.output);
            QVERIFY(text.contains("Usage: lockstep-cli " + command.join(' ')));
            for (const QString& part : mustName) QVERIFY2(text.contains(part), qPrintable(text + " lacks " + part));
        }
    }

    void versionIsTold() {
        const Called called = call({"--version"});
        QCOMPARE(called.status, 0);
        QVERIFY(called.output.starts_with("lockstep-cli "));
    }

    // What cannot be written is a failure, not a success without a result.
    void outputThatCannotBeWrittenFails() {
        if (!QFileInfo::exists("/dev/full")) QSKIP("this system has no /dev/full");
        for (const QStringList& arguments :
             {QStringList{"predict", "{}", "--json"}, {"predict", "{}"}, {"catalogue", "links"}}) {
            QProcess process;
            process.setStandardOutputFile("/dev/full");
            process.start(LOCKSTEP_CLI, arguments);
            QVERIFY(process.waitForFinished(60000));
            QCOMPARE(process.exitCode(), 1);
            const QByteArray message = process.readAllStandardError();
            QVERIFY2(message.startsWith("lockstep-cli: ") && message.count('\n') == 1, message.constData());
        }
    }
};

QTEST_GUILESS_MAIN(TestCliUsage)
#include "test_cli_usage.moc"
