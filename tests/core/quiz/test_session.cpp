#include <QtTest>
#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "quiz/session.h"

using namespace lockstep;

namespace {

std::shared_ptr<const QuestionBank> builtin() {
    static const auto kBank = std::make_shared<const QuestionBank>(loadBuiltinBank().value_or(QuestionBank{}));
    return kBank;
}

QuizSession session(std::uint64_t seed = 7) {
    QuizProgress progress;
    progress.seed = seed;
    return {builtin(), progress};
}

std::size_t positionOf(const QuizSession& s, std::size_t option) {
    const auto order = s.shownOrder();
    return static_cast<std::size_t>(std::find(order.begin(), order.end(), option) - order.begin());
}

std::size_t rightPosition(const QuizSession& s) { return positionOf(s, s.current().answerIndex); }
std::size_t wrongPosition(const QuizSession& s) { return positionOf(s, (s.current().answerIndex + 1) % kOptionCount); }

}  // namespace

class TestSession : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { QCOMPARE(builtin()->questions.size(), std::size_t{73}); }

    void showsAllOptionsOfTheQuestion() {
        QuizSession s = session();
        do {
            const ShownQuestion shown = s.shown();
            std::set<std::string> texts, expected;
            for (const QuizOption& option : s.current().options) expected.insert(option.text);
            texts.insert(shown.options.begin(), shown.options.end());
            QVERIFY(texts == expected);
            QCOMPARE(shown.options[rightPosition(s)], s.current().options[s.current().answerIndex].text);
            QVERIFY(shown.state == AnswerState::Open);
        } while (s.next());
        QCOMPARE(s.currentIndex(), std::size_t{72});
    }

    /// Over 73 questions x 40 seeds the right option should be at each position in a quarter of the cases: 730 of
    /// 2920, with a standard deviation of 23.4. Five deviations are allowed.
    void rightOptionIsAnywhere() {
        std::array<int, kOptionCount> counts{};
        for (std::uint64_t seed = 0; seed < 40; ++seed) {
            QuizSession s = session(seed);
            do ++counts[rightPosition(s)];
            while (s.next());
        }
        for (int count : counts) QVERIFY2(std::abs(count - 730) < 117, qPrintable(QString::number(count)));
    }

    void orderIsThatOfTheSeed() {
        QuizSession first = session(11), again = session(11), other = session(12);
        int differences = 0;
        do {
            QVERIFY(first.shownOrder() == again.shownOrder());
            differences += first.shownOrder() != other.shownOrder();
        } while (first.next() && again.next() && other.next());
        QVERIFY(differences > 50);
    }

    void answersAndReveals() {
        QuizSession s = session();
        QVERIFY(!s.reveal());
        const std::size_t wrong = wrongPosition(s);
        const Result<Reveal> reveal = s.answer(wrong);
        QVERIFY(reveal);
        QVERIFY(!reveal->right);
        QCOMPARE(reveal->chosenPosition, wrong);
        QCOMPARE(reveal->rightPosition, rightPosition(s));
        QCOMPARE(reveal->chosenNote, s.current().options[(s.current().answerIndex + 1) % kOptionCount].note);
        QCOMPARE(reveal->explanation, s.current().explanation);
        QCOMPARE(reveal->scene, std::string("speedup"));
        QVERIFY(reveal->siblingNumbers == std::vector<int>{5});
        QVERIFY(s.shown().state == AnswerState::Wrong);
        QVERIFY(!s.answer(wrong));  // once is enough
        QVERIFY(s.next());
        QVERIFY(!s.reveal());
        QVERIFY(s.answer(rightPosition(s))->right);
        QVERIFY(s.previous());
        QCOMPARE(s.reveal()->chosenPosition, wrong);
        QVERIFY(!s.previous());
    }

    void positionPastTheLastIsRefused() {
        QuizSession s = session();
        const Result<Reveal> reveal = s.answer(4);
        QVERIFY(!reveal);
        QVERIFY(reveal.error().message.find("1 to 4") != std::string::npos);
        QVERIFY(s.progress().answers.empty());
    }

    void defensibleOptionIsToldFromAPlainError() {
        QuizSession s = session();
        QVERIFY(s.jumpTo(69));
        const Result<Reveal> reveal = s.answer(positionOf(s, 2));
        QVERIFY(reveal && !reveal->right && reveal->alsoDefensible);
        QVERIFY(reveal->defensiblePositions == std::vector<std::size_t>{positionOf(s, 2)});
        QVERIFY(!reveal->nuance.empty());
    }

    void progressHoldsIdsOnly() {
        QuizSession s = session();
        QVERIFY(s.jumpTo(45));
        QVERIFY(s.answer(rightPosition(s)));
        const GivenAnswer expected{"ws-045", s.current().options[s.current().answerIndex].id, false};
        QVERIFY(s.progress().answers == std::vector<GivenAnswer>{expected});
        QCOMPARE(s.progress().currentQuestionId, std::string("ws-045"));
    }

    void continuesWhereItStopped() {
        QuizSession before = session(99);
        QVERIFY(before.jumpTo(30));
        const std::size_t chosen = wrongPosition(before);
        QVERIFY(before.answer(chosen));
        before.setFlagged(true);
        const QuizSession after(builtin(), before.progress());
        QCOMPARE(after.shown().number, 30);
        QVERIFY(after.shown().flagged);
        QCOMPARE(after.reveal()->chosenPosition, chosen);
        QVERIFY(after.shownOrder() == before.shownOrder());
    }

    void undoTakesBackTheLastAnswerOnly() {
        QuizSession s = session();
        QVERIFY(!s.canUndo() && !s.undoLastAnswer());
        QVERIFY(s.answer(0));
        QVERIFY(s.jumpTo(50));
        QVERIFY(s.answer(1));
        const auto order = s.shownOrder();
        QVERIFY(s.jumpTo(3));
        QVERIFY(s.undoLastAnswer());
        QCOMPARE(s.shown().number, 50);
        QVERIFY(s.shown().state == AnswerState::Open);
        QVERIFY(s.shownOrder() == order);
        QCOMPARE(s.totalProgress().answered, 1);
        QVERIFY(s.undoLastAnswer());
        QCOMPARE(s.shown().number, 1);
        QVERIFY(!s.canUndo());
    }

    void retryDealsAnew() {
        QuizSession s = session();
        QVERIFY(!s.retry());
        std::set<std::array<std::size_t, kOptionCount>> orders;
        for (int i = 0; i < 30; ++i) {
            orders.insert(s.shownOrder());
            QVERIFY(s.answer(0));
            QVERIFY(s.retry());
            QVERIFY(!s.reveal());
        }
        QVERIFY(orders.size() > 10);  // 24 are possible
        QCOMPARE(s.totalProgress().answered, 0);
    }

    void guessesAndFlags() {
        QuizSession s = session();
        QVERIFY(!s.setGuessed(true));
        QVERIFY(s.answer(rightPosition(s)));
        QVERIFY(s.setGuessed(true));
        QVERIFY(s.reveal()->guessed);
        QCOMPARE(s.totalProgress().guessed, 1);
        QVERIFY(s.setGuessed(false));
        QCOMPARE(s.totalProgress().guessed, 0);
        s.setFlagged(true);
        QVERIFY(s.isFlagged(s.current()));
        s.setFlagged(false);
        QVERIFY(!s.isFlagged(s.current()));
    }

    void nextOpenGoesRoundAndKeepsToItsTopic() {
        QuizSession s = session();
        QVERIFY(s.jumpTo(73));
        QVERIFY(s.nextOpen());
        QCOMPARE(s.shown().number, 1);
        QVERIFY(s.answer(0));
        QVERIFY(s.jumpTo(73));
        QVERIFY(s.nextOpen());
        QCOMPARE(s.shown().number, 2);
        for (int number : {56, 57, 58, 59, 61})
            QVERIFY(s.nextOpen("hyperparameters") && s.shown().number == number && s.answer(0));
        QVERIFY(!s.nextOpen("hyperparameters"));
        QCOMPARE(s.shown().number, 61);
    }

    void countsPerTopic() {
        QuizSession s = session();
        do QVERIFY(s.answer(s.current().number % 2 == 0 ? rightPosition(s) : wrongPosition(s)));
        while (s.next());
        const TopicProgress total = s.totalProgress();
        QCOMPARE(total.answered, 73);
        QCOMPARE(total.total, 73);
        QCOMPARE(total.right, 36);
        const std::vector<TopicProgress> topics = s.topicProgress();
        QCOMPARE(topics.size(), std::size_t{8});
        QCOMPARE(topics[6].topic.name, std::string("Batch size and learning rate"));
        QCOMPARE(topics[6].total, 5);  // 56, 57, 58, 59 and 61
        QCOMPARE(topics[6].right, 2);
        QCOMPARE(topics[6].firstNumber, 56);
        QVERIFY(!s.nextOpen());
    }

    void startsAfresh() {
        QuizSession s = session();
        QVERIFY(s.jumpTo(9));
        QVERIFY(s.answer(0));
        s.setFlagged(true);
        s.startAfresh(5);
        QCOMPARE(s.shown().number, 1);
        QCOMPARE(s.totalProgress().answered, 0);
        QCOMPARE(s.progress().seed, std::uint64_t{5});
        QVERIFY(s.progress().flagged.empty());
    }

    void progressOfAnotherBankIsKeptButNotCounted() {
        QuizProgress progress;
        progress.currentQuestionId = "gone";
        progress.answers = {{"ws-002", "o9", false}, {"gone", "o1", false}};
        QuizSession s(builtin(), progress);
        QCOMPARE(s.shown().number, 1);
        QCOMPARE(s.totalProgress().answered, 0);
        QVERIFY(!s.canUndo() && !s.undoLastAnswer());
        QVERIFY(s.jumpTo(2));
        QVERIFY(s.answer(0));  // replaces the answer to an option that is no more
        QCOMPARE(s.progress().answers.size(), std::size_t{2});
        QCOMPARE(s.progress().answers.front().questionId, std::string("gone"));
        QVERIFY(s.undoLastAnswer());
        QCOMPARE(s.progress().answers.size(), std::size_t{1});
    }

    void jumpsOnlyToQuestionsThatExist() {
        QuizSession s = session();
        QVERIFY(!s.jumpTo(0) && !s.jumpTo(74) && !s.jumpTo(-1));
        QVERIFY(s.jumpTo(73));
        QVERIFY(!s.next());
        QCOMPARE(s.shown().number, 73);
    }
};

QTEST_GUILESS_MAIN(TestSession)
#include "test_session.moc"
