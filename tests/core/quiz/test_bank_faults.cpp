#include <QtTest>
#include <functional>
#include <nlohmann/json.hpp>

#include "quiz/bank.h"

using namespace lockstep;
using nlohmann::json;

namespace {

json question(int number) {
    return {{"number", number},  {"id", "q-" + std::to_string(number)}, {"topic", "one"},
            {"stem", "Which?"},  {"options", {"a", "b", "c", "d"}},     {"option_ids", {"o1", "o2", "o3", "o4"}},
            {"answer_index", 1}, {"explanation", "Because."},           {"option_notes", {"na", "nb", "nc", "nd"}},
            {"scene", "taps"}};
}

json bank() {
    return {{"format", "lockstep-quiz"},
            {"version", 1},
            {"id", "small"},
            {"title", "Small"},
            {"topics", {{{"key", "one"}, {"name", "One"}}}},
            {"questions", {question(1), question(2)}}};
}

}  // namespace

using Change = std::function<void(json&)>;
Q_DECLARE_METATYPE(Change)

/// Each fault of a bank file is refused with one line that names where and what.
class TestBankFaults : public QObject {
    Q_OBJECT

private slots:
    void soundBankIsRead() {
        const Result<QuestionBank> read = readBank(bank().dump(), "small.json");
        QVERIFY2(read, read ? "" : read.error().message.c_str());
        QCOMPARE(read->questions.size(), std::size_t{2});
        QCOMPARE(read->questions[0].options[2].note, std::string("nc"));
        QVERIFY(read->questions[0].scenes == std::vector<std::string>{"taps"});
        QVERIFY(read->questions[0].nuance.empty());
    }

    void faultsAreNamed_data() {
        QTest::addColumn<Change>("change");
        QTest::addColumn<QString>("named");
        const auto row = [](const char* name, const char* named, Change change) {
            QTest::newRow(name) << change << QString(named);
        };
        const auto inQuestion = [&](const char* key, json value) {
            return Change([=](json& b) { b["questions"][1][key] = value; });
        };
        row("format", "format", [](json& b) { b["format"] = "other"; });
        row("no format", "format", [](json& b) { b.erase("format"); });
        row("version", "version: 2", [](json& b) { b["version"] = 2; });
        row("unknown key", "colour", [](json& b) { b["colour"] = 1; });
        row("no questions", "questions", [](json& b) { b["questions"] = json::array(); });
        row("questions no list", "questions", [](json& b) { b["questions"] = 5; });
        row("question no object", "question 2", [](json& b) { b["questions"][1] = "x"; });
        row("topic twice", "key", [](json& b) { b["topics"].push_back(b["topics"][0]); });
        row("topic without name", "name", [](json& b) { b["topics"][0].erase("name"); });
        row("unknown topic", "\"q-2\": topic", inQuestion("topic", "two"));
        row("unknown key in question", "\"q-2\": \"rev\"", inQuestion("rev", 1));
        row("number twice", "\"q-2\": number", inQuestion("number", 1));
        row("number zero", "\"q-2\": number", inQuestion("number", 0));
        row("number text", "\"q-2\": number", inQuestion("number", "2"));
        row("number huge", "\"q-2\": number", inQuestion("number", 18446744073709551615ULL));
        row("number fraction", "\"q-2\": number", inQuestion("number", 2.5));
        row("id twice", "\"q-1\": id", inQuestion("id", "q-1"));
        row("id with space", "id", inQuestion("id", "q 2"));
        row("stem missing", "\"q-2\": stem: missing", [](json& b) { b["questions"][1].erase("stem"); });
        row("stem empty", "\"q-2\": stem", inQuestion("stem", ""));
        row("stem blank", "\"q-2\": stem", inQuestion("stem", "  "));
        row("stem long", "121 characters", inQuestion("stem", std::string(121, 'x')));
        row("stem two lines", "\"q-2\": stem", inQuestion("stem", "a\nb?"));
        row("three options", "3 entries", inQuestion("options", {"a", "b", "c"}));
        row("five options", "5 entries", inQuestion("options", {"a", "b", "c", "d", "e"}));
        row("equal options", "\"q-2\": options: \"b\"", inQuestion("options", {"a", "b", "c", "b"}));
        row("option number", "\"q-2\": options: 7", inQuestion("options", {"a", "b", "c", 7}));
        row("option ids equal", "\"q-2\": option_ids", inQuestion("option_ids", {"o1", "o1", "o3", "o4"}));
        row("note missing", "\"q-2\": option_notes", inQuestion("option_notes", {"a", "b", "c"}));
        row("note empty", "\"q-2\": option_notes", inQuestion("option_notes", {"a", "b", "c", ""}));
        row("answer past end", "\"q-2\": answer_index: 4", inQuestion("answer_index", 4));
        row("answer negative", "\"q-2\": answer_index: -1", inQuestion("answer_index", -1));
        row("key also defensible", "\"q-2\": also_defensible: 1", inQuestion("also_defensible", {1}));
        row("defensible past end", "\"q-2\": also_defensible: 4", inQuestion("also_defensible", {0, 4}));
        row("sibling unknown", "\"q-2\": siblings: \"q-9\"", inQuestion("siblings", {"q-9"}));
        row("sibling itself", "\"q-2\": siblings: \"q-2\"", inQuestion("siblings", {"q-2"}));
        row("scene missing", "\"q-2\": scene: missing", [](json& b) { b["questions"][1].erase("scene"); });
        row("scenes without scene", "\"q-2\": scenes", inQuestion("scenes", {"drift"}));
    }
    void faultsAreNamed() {
        QFETCH(Change, change);
        QFETCH(QString, named);
        json document = bank();
        change(document);
        const Result<QuestionBank> read = readBank(document.dump(), "small.json");
        QVERIFY(!read);
        const QString message = QString::fromStdString(read.error().message);
        QVERIFY2(message.startsWith("small.json: "), qPrintable(message));
        QVERIFY2(message.contains(named), qPrintable(message));
        QVERIFY2(!message.contains('\n'), qPrintable(message));
    }

    void brokenTextIsRefused() {
        const std::string text = bank().dump();
        for (std::size_t length = 0; length < text.size(); length += 7)
            QVERIFY(!readBank(std::string_view(text).substr(0, length), "cut.json"));
        QVERIFY(!readBank("{\"format\": \"\xff\"}", "bytes.json"));
        QVERIFY(!readBank(std::string(100000, '['), "deep.json"));
        QVERIFY(!readBank(std::string(kMaxBankBytes + 1, ' '), "huge.json"));
    }

    void limitsCountCharactersNotBytes() {
        json document = bank();
        std::string stem;
        for (std::size_t i = 0; i < kMaxStemLength; ++i) stem += "\u00e4";
        document["questions"][0]["stem"] = stem;
        QVERIFY(readBank(document.dump(), "umlauts.json"));
        document["questions"][0]["stem"] = stem + "x";
        QVERIFY(!readBank(document.dump(), "umlauts.json"));
    }
};

QTEST_GUILESS_MAIN(TestBankFaults)
#include "test_bank_faults.moc"
