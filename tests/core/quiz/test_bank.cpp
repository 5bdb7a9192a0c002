#include <QtTest>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "quiz/bank.h"

using namespace lockstep;

namespace {

/// The worksheet's key, question 1 to 73.
constexpr std::string_view kKey = "BCCCCCBBBBBCBBABBBBCCBCBCCBBCBCCCBCBCBCBBCACBCBBBBCBCBCBCCBCCBBBCBACBBBBD";

const std::set<std::string> kScenes = {
    "taps",    "pixels",     "clock",     "speedup",  "whoholds",     "drift",  "fullgrad",    "collect",
    "serve",   "psstep",     "psfan",     "psratio",  "collectives",  "boss",   "twoprograms", "batchcount",
    "lrscale", "batchsweep", "whereisit", "replicas", "memoryserver", "layers", "domains",     "sharedgoals"};

std::size_t codePoints(const std::string& text) {
    return static_cast<std::size_t>(QString::fromStdString(text).toUcs4().size());
}

}  // namespace

/// The built-in questions as a learner and a teacher would check them.
class TestBank : public QObject {
    Q_OBJECT
    QuestionBank m_bank;

private slots:
    void initTestCase() {
        Result<QuestionBank> bank = loadBuiltinBank();
        QVERIFY2(bank, bank ? "" : bank.error().message.c_str());
        m_bank = *bank;
    }

    void hasTheWorksheetsQuestionsAndKey() {
        QCOMPARE(m_bank.questions.size(), std::size_t{73});
        QCOMPARE(kKey.size(), std::size_t{73});
        for (std::size_t i = 0; i < m_bank.questions.size(); ++i) {
            const Question& question = m_bank.questions[i];
            QCOMPARE(question.number, static_cast<int>(i + 1));
            QCOMPARE(question.id, QStringLiteral("ws-%1").arg(i + 1, 3, 10, QLatin1Char('0')).toStdString());
            QVERIFY2(static_cast<std::size_t>(kKey[i] - 'A') == question.answerIndex, question.id.c_str());
        }
    }

    void topicsAreInOrderAndCovered() {
        const std::vector<std::pair<std::string, int>> expected = {
            {"single-node", 12}, {"data-parallelism", 8},        {"synchronization", 12}, {"parameter-server", 18},
            {"all-reduce", 5},   {"architecture-comparison", 4}, {"hyperparameters", 5},  {"distributed-systems", 9}};
        QCOMPARE(m_bank.topics.size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            QCOMPARE(m_bank.topics[i].key, expected[i].first);
            const auto count = std::count_if(m_bank.questions.begin(), m_bank.questions.end(),
                                             [&](const Question& q) { return q.topic == expected[i].first; });
            QCOMPARE(static_cast<int>(count), expected[i].second);
        }
    }

    void textsAreShortEnoughForTheLastRow() {
        for (const Question& question : m_bank.questions) {
            QVERIFY2(codePoints(question.stem) <= 110, question.id.c_str());
            for (const QuizOption& option : question.options)
                QVERIFY2(codePoints(option.text) <= 90, question.id.c_str());
        }
    }

    void stemsAreQuestions() {
        std::set<std::string> stems;
        for (const Question& question : m_bank.questions) {
            QVERIFY2(question.stem.back() == '?', question.id.c_str());
            QVERIFY2(stems.insert(question.stem).second, question.id.c_str());
        }
        QVERIFY(m_bank.byNumber(65)->stem.find("NOT") != std::string::npos);
        QVERIFY(m_bank.byNumber(2)->stem.find("P100") != std::string::npos);
    }

    /// In four equal options the right one is the longest, and the shortest, in a quarter of the questions. Neither
    /// "always the longest" nor "always the shortest" may do much better than guessing; in the worksheet the first
    /// of them scored 86 %.
    void lengthDoesNotBetrayTheKey() {
        int longest = 0, shortest = 0;
        double right = 0, wrong = 0;
        for (const Question& question : m_bank.questions) {
            std::array<std::size_t, kOptionCount> lengths{};
            std::transform(question.options.begin(), question.options.end(), lengths.begin(),
                           [](const QuizOption& option) { return codePoints(option.text); });
            const std::size_t own = lengths[question.answerIndex];
            const auto [least, most] = std::minmax_element(lengths.begin(), lengths.end());
            longest += own == *most;
            shortest += own == *least;
            right += static_cast<double>(own);
            for (std::size_t length : lengths) wrong += static_cast<double>(length);
            if (*most > 30)
                QVERIFY2(static_cast<double>(*most) <= 1.4 * static_cast<double>(*least), question.id.c_str());
        }
        wrong = (wrong - right) / 3;
        QVERIFY2(longest <= 22, qPrintable(QString::number(longest)));
        QVERIFY2(shortest <= 22, qPrintable(QString::number(shortest)));
        QVERIFY2(std::abs(right / wrong - 1) < 0.05, qPrintable(QString::number(right / wrong)));
    }

    void everyOptionHasItsOwnNote() {
        std::set<std::string> notes;
        for (const Question& question : m_bank.questions) {
            for (std::size_t i = 0; i < kOptionCount; ++i) {
                const QuizOption& option = question.options[i];
                QVERIFY2(codePoints(option.note) >= 40, option.note.c_str());
                QVERIFY2(notes.insert(option.note).second, option.note.c_str());
                // Only the right option's note says so.
                QCOMPARE(option.note.rfind("Right", 0) == 0, i == question.answerIndex);
            }
            QVERIFY2(codePoints(question.explanation) >= 80, question.id.c_str());
        }
    }

    void everySceneExistsAndEachIsUsed() {
        QCOMPARE(kScenes.size(), std::size_t{24});
        std::set<std::string> used;
        for (const Question& question : m_bank.questions) {
            used.insert(question.scene);
            for (const std::string& scene : question.scenes) QVERIFY2(kScenes.contains(scene), scene.c_str());
        }
        QVERIFY(used == kScenes);
    }

    void contestedQuestionsSaySo() {
        for (const Question& question : m_bank.questions)
            if (!question.alsoDefensible.empty()) QVERIFY2(!question.nuance.empty(), question.id.c_str());
        QVERIFY(m_bank.byNumber(69)->isAlsoDefensible(2));
        QVERIFY(!m_bank.byNumber(69)->isAlsoDefensible(1));
    }

    void siblingsAreMutual() {
        for (const Question& question : m_bank.questions)
            for (const std::string& sibling : question.siblings) {
                const auto& back = m_bank.byId(sibling)->siblings;
                QVERIFY2(std::find(back.begin(), back.end(), question.id) != back.end(), question.id.c_str());
            }
        QVERIFY(m_bank.byNumber(60)->siblings == std::vector<std::string>{"ws-063"});
    }

    void lookUps() {
        QCOMPARE(m_bank.byId("ws-045")->number, 45);
        QCOMPARE(m_bank.byNumber(73)->id, std::string("ws-073"));
        QVERIFY(m_bank.byId("ws-074") == nullptr);
        QVERIFY(m_bank.byNumber(0) == nullptr && m_bank.byNumber(74) == nullptr);
        QVERIFY(m_bank.topic("nonsense") == nullptr);
    }

    void writesWhatItReads() {
        const nlohmann::json document = toJson(m_bank);
        const Result<QuestionBank> again = readBank(document.dump(), "copy");
        QVERIFY2(again, again ? "" : again.error().message.c_str());
        QVERIFY(*again == m_bank);
        const nlohmann::json& entry = document["questions"][0];
        for (const char* key :
             {"number", "topic", "stem", "options", "answer_index", "explanation", "option_notes", "scene"})
            QVERIFY2(entry.contains(key), key);
        QCOMPARE(entry["options"].size(), std::size_t{4});
    }
};

QTEST_GUILESS_MAIN(TestBank)
#include "test_bank.moc"
