#include <QtTest>

#include "catalogue/catalogue.h"

using namespace lockstep;

namespace {

const char* kSmallModel = R"({"key": "mine", "name": "Mine", "input": {"channels": 3, "resolution_px": 8},
  "layers": [{"op": "conv", "channels": 4, "kernel": 3, "padding": "same"}, {"op": "relu"}, {"op": "flatten"},
             {"op": "dense", "units": 2}], "sources": [{"text": "me"}]})";
const char* kLink =
    R"({"key": "mine", "name": "Mine", "bandwidth_bit_per_s": 1e9, "latency_s": 0, "sources": [{"text": "me"}]})";

QString replaced(const char* text, const char* what, const char* by) { return QString(text).replace(what, by); }

}  // namespace

/// A catalogue file that is wrong gives one line that says where, what and what is allowed, and changes nothing.
class TestCatalogueFiles : public QObject {
    Q_OBJECT

    static QString fault(const QString& path, const QString& content) {
        Catalogue catalogue;
        const Result<void> done = addCatalogueFile(catalogue, path.toStdString(), content.toStdString());
        const bool unchanged = catalogue.models.empty() && catalogue.links.empty() && catalogue.devices.empty();
        if (done) return "accepted";
        return unchanged ? QString::fromStdString(done.error().message) : "changed by a file that was refused";
    }

private slots:
    void aModelOfOnesOwn() {
        Catalogue catalogue;
        QVERIFY(addCatalogueFile(catalogue, "models/mine.json", kSmallModel));
        const Result<ModelTotals> totals = catalogue.model("mine")->totals({});
        QVERIFY(totals);
        QCOMPARE(totals->parameters, 3 * 9 * 4 + 4 + 256 * 2.0 + 2);
        QCOMPARE(totals->macs, 256 * 27 + 256 * 2.0);
        // The image, and the convolution's output once: ReLU works in place and the dense layer needs the same tensor.
        QCOMPARE(totals->storedElements, 3 * 64 + 256.0);
        QVERIFY(!addCatalogueFile(catalogue, "models/again.json", kSmallModel));
    }

    void branchesJoinChannels() {
        const QString text =
            R"({"key": "b", "name": "B", "input": {"channels": 3, "resolution_px": 8}, "sources": [{"text": "me"}],
            "layers": [{"op": "branches", "branches": [[{"op": "conv", "channels": 4, "kernel": 1}],
              [{"op": "conv", "channels": 2, "kernel": [1, 1]}]]},
            {"op": "adaptive-avg-pool", "size": 1}, {"op": "flatten"}, {"op": "dense", "units": 1}]})";
        Catalogue catalogue;
        QVERIFY(addCatalogueFile(catalogue, "models/b.json", text.toStdString()));
        const Result<ModelTotals> totals = catalogue.model("b")->totals({});
        QCOMPARE(totals->parameters, (3 * 4 + 4) + (3 * 2 + 2) + (6 + 1.0));
        // Both branches need the image, which is kept once; the dense layer keeps its six inputs.
        QCOMPARE(totals->storedElements, 3 * 64 + 6.0);
        // 1 x 3 without padding narrows the second branch, so the two cannot be joined.
        QCOMPARE(
            fault("models/b.json", QString(text).replace("[1, 1]", "[1, 3]")),
            QString(
                "models/b.json: b: layer branches-0: does not fit what comes before it at the model's own input size"));
    }

    void faults_data() {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("content");
        QTest::addColumn<QString>("message");
        const QString model = "models/m.json";
        QTest::newRow("no list") << "links.json"
                                 << "{}"
                                 << "links.json: allowed: a list of entries";
        QTest::newRow("unknown file")
            << "cables.json"
            << "[]"
            << "cables.json: allowed: devices.json, links.json, datasets.json or a file in models/";
        QTest::newRow("no object") << "links.json"
                                   << "[7]"
                                   << "links.json: entry 1: 7; allowed: an object";
        QTest::newRow("range") << "links.json"
                               << "[" + replaced(kLink, "1e9", "-1") + "]"
                               << "links.json: mine: bandwidth_bit_per_s: -1; allowed: a number in 1000..1e+15";
        QTest::newRow("type") << "links.json"
                              << "[" + replaced(kLink, "1e9", "\"fast\"") + "]"
                              << "links.json: mine: bandwidth_bit_per_s: \"fast\"; allowed: a number in 1000..1e+15";
        QTest::newRow("missing") << "links.json"
                                 << "[" + replaced(kLink, "\"latency_s\": 0,", "") + "]"
                                 << "links.json: mine: latency_s: missing; allowed: a number in 0..10";
        QTest::newRow("unknown key")
            << "links.json"
            << "[" + replaced(kLink, "\"latency_s\"", "\"colour\": 1, \"latency_s\"") + "]"
            << "links.json: mine: colour: unknown key; allowed: bandwidth_bit_per_s, key, latency_s, name, sources";
        QTest::newRow("no source")
            << "links.json"
            << "[" + replaced(kLink, "{\"text\": \"me\"}", "") + "]"
            << "links.json: mine: sources: empty; allowed: at least one {\"text\": ..., \"url\": ...}";
        QTest::newRow("twice") << "links.json" << QString("[%1, %1]").arg(kLink)
                               << "links.json: mine: key: is there twice; allowed: a key of its own";
        QTest::newRow("layer key")
            << model << replaced(kSmallModel, "\"channels\": 4", "\"channels\": 0")
            << "models/m.json: mine: layers[0]: channels: 0; allowed: a whole number in 1..1048576";
        QTest::newRow("padding") << model << replaced(kSmallModel, "\"same\"", "\"valid\"")
                                 << "models/m.json: mine: layers[0]: padding: \"valid\"; allowed: one of same";
        QTest::newRow("parameter count")
            << model << replaced(kSmallModel, "\"layers\"", "\"parameters\": 7, \"layers\"")
            << "models/m.json: mine: parameters: 7; allowed: what the layers add up to, 626";
        QTest::newRow("too deep a kernel")
            << model
            << replaced(replaced(kSmallModel, "\"kernel\": 3", "\"kernel\": 9").toUtf8().constData(), "\"same\"", "0")
            << "models/m.json: mine: layer conv-0: does not fit what comes before it at the model's own input size";
        QTest::newRow("block") << model
                               << replaced(kSmallModel, "{\"op\": \"relu\"}", "{\"op\": \"block\", \"use\": \"none\"}")
                               << "models/m.json: mine: layers[1]: use: none; allowed: one of ";
    }
    void faults() {
        QFETCH(QString, path);
        QFETCH(QString, content);
        QFETCH(QString, message);
        QCOMPARE(fault(path, content), message);
    }

    void syntaxFaultHasItsPlace() {
        const QString message = fault("links.json", "[{\"key\": }]");
        QVERIFY2(message.startsWith("links.json: line 1, column 10: "), qPrintable(message));
        QVERIFY(message.endsWith("; allowed: JSON") && !message.contains('\n'));
    }

    void unknownOperationNamesTheKnownOnes() {
        const QString message = fault("models/m.json", replaced(kSmallModel, "\"relu\"", "\"sigmoid\""));
        QVERIFY(message.startsWith("models/m.json: mine: layers[1]: op: \"sigmoid\"; allowed: one of conv, dense"));
    }

    void blockArgumentsAreDemanded() {
        const QString message =
            fault("models/m.json", R"({"key": "m", "name": "M", "input": {"channels": 1, "resolution_px": 8},
            "blocks": {"pair": [{"op": "conv", "channels": "$width", "kernel": 1}]}, "layers": [{"op": "block", "use": "pair"}],
            "sources": [{"text": "me"}]})");
        QCOMPARE(message,
                 QString("models/m.json: m: layers[0]: width: missing; allowed: a value, which block pair asks for"));
    }

    void endlessBlocksEnd() {
        const QString message =
            fault("models/m.json", R"({"key": "m", "name": "M", "input": {"channels": 1, "resolution_px": 8},
            "blocks": {"self": [{"op": "block", "use": "self"}]}, "layers": [{"op": "block", "use": "self"}], "sources": [{"text": "me"}]})");
        QVERIFY(message.endsWith("layers nest deeper than 32"));
    }
};

QTEST_GUILESS_MAIN(TestCatalogueFiles)
#include "test_catalogue_files.moc"
