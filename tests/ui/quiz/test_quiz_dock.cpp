#include <QFile>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <algorithm>
#include <memory>

#include "quiz/answer_notes.h"
#include "quiz/option_card.h"
#include "quiz/overview_page.h"
#include "quiz/question_page.h"
#include "quiz/quiz_dock.h"
#include "quiz/quiz_footer.h"
#include "quiz/quiz_header.h"
#include "quiz/text_block.h"
#include "theme/theme.h"
#include "widgets/choice_box.h"

using namespace lockstep;
using namespace lockstep::ui;
using State = OptionCard::State;

namespace {

/// System: the dock over the bank of 73, with real key and mouse events, on a screen that is not there.
struct Desk {
    explicit Desk(const QString& path) {
        theme.setReducedMotion(true);
        theme.applyTo(*qApp);
        dock = std::make_unique<QuizDock>(theme, *loadBuiltinBank(), path);
        dock->resize(340, 720);
        dock->show();
        dock->setFocus();
    }
    QuestionPage& page() const { return *dock->questionPage(); }
    const Question& asked() const { return *bank.byNumber(page().question().number); }
    int rightOption() const {
        for (int i = 0; i < page().cardCount(); ++i)
            if (page().card(i)->text() == QString::fromStdString(asked().options[asked().answerIndex].text)) return i;
        return -1;
    }
    int wrongOption() const { return (rightOption() + 1) % page().cardCount(); }
    void digit(int option) const { key(static_cast<Qt::Key>(Qt::Key_1 + option)); }
    void key(Qt::Key key) const { QTest::keyClick(dock.get(), key); }
    /// The bank's note of the option shown at a position, found by its text: independent of the dock's mapping.
    QString noteAt(int option) const {
        for (const QuizOption& candidate : asked().options)
            if (QString::fromStdString(candidate.text) == page().card(option)->text())
                return QString::fromStdString(candidate.note);
        return {};
    }

    /// A note that only repeats the explanation is not shown twice.
    QString shownNote() const {
        const AnswerNotes& notes = *page().notes();
        return notes.noteText().isEmpty() ? notes.explanationText() : notes.noteText();
    }

    Theme theme;
    QuestionBank bank = *loadBuiltinBank();
    std::unique_ptr<QuizDock> dock;
};

bool anythingBetrayed(const Desk& desk) {
    for (int i = 0; i < desk.page().cardCount(); ++i) {
        const State state = desk.page().card(i)->state();
        if (state == State::Right || state == State::Wrong || state == State::Other) return true;
    }
    return desk.page().notes()->isVisible();
}

/// Names of visible texts that are lower than their words need.
QStringList clippedTexts(const QWidget& root) {
    QStringList clipped;
    for (const QWidget* widget : root.findChildren<QWidget*>()) {
        const bool wraps = qobject_cast<const TextBlock*>(widget) || qobject_cast<const OptionCard*>(widget) ||
                           qobject_cast<const TopicRow*>(widget);
        if (wraps && widget->isVisible() && widget->height() < widget->heightForWidth(widget->width()))
            clipped << QStringLiteral("%1 \"%2\": %3 px high, needs %4 at %5")
                           .arg(widget->objectName(), widget->accessibleName())
                           .arg(widget->height())
                           .arg(widget->heightForWidth(widget->width()))
                           .arg(widget->width());
        const bool fixedText = qobject_cast<const QToolButton*>(widget) || qobject_cast<const QPushButton*>(widget);
        if (fixedText && widget->isVisible() && widget->width() < widget->sizeHint().width())
            clipped << QStringLiteral("button \"%1\"").arg(widget->accessibleName());
        // Nothing may stick out of its parent sideways, where no scroll bar leads.
        if (widget->isVisible() && !widget->isWindow() && widget->parentWidget() != nullptr &&
            widget->geometry().right() > widget->parentWidget()->width())
            clipped << QStringLiteral("outside: %1 \"%2\"")
                           .arg(widget->metaObject()->className(), widget->accessibleName());
    }
    return clipped;
}

}  // namespace

class TestQuizDock : public QObject {
    Q_OBJECT
    std::unique_ptr<QTemporaryDir> m_dir;
    QString path() const { return m_dir->filePath(QStringLiteral("progress.json")); }

private slots:
    void init() { m_dir = std::make_unique<QTemporaryDir>(); }

    void digitAnswersAndRevealsItsNote() {
        Desk desk(path());
        QVERIFY(!anythingBetrayed(desk));
        const int wrong = desk.wrongOption(), right = desk.rightOption();
        const QString note = desk.noteAt(wrong);
        desk.digit(wrong);
        QCOMPARE(desk.page().card(wrong)->state(), State::Wrong);
        QCOMPARE(desk.page().card(right)->state(), State::Right);
        QVERIFY(desk.page().notes()->isVisible());
        QCOMPARE(desk.page().notes()->noteText(), note);
        QCOMPARE(desk.page().notes()->explanationText(), QString::fromStdString(desk.asked().explanation));
        QVERIFY(desk.page().card(wrong)->accessibleDescription().contains(QStringLiteral("Wrong")));
    }

    void clickAnswers() {
        Desk desk(path());
        const int right = desk.rightOption();
        QTest::mouseClick(desk.page().card(right), Qt::LeftButton);
        QCOMPARE(desk.page().card(right)->state(), State::Right);
        QCOMPARE(desk.page().answer().chosen, right);
    }

    /// Every shown position of every question leads to the bank's option with that text.
    void shuffledPositionsMeanTheShownOption() {
        Desk desk(path());
        int movedFromWorksheetOrder = 0;
        for (const Question& question : desk.bank.questions) {
            desk.dock->goToQuestion(question.number);
            const int right = desk.rightOption();
            QVERIFY(right >= 0);
            movedFromWorksheetOrder += right != static_cast<int>(question.answerIndex);
            desk.digit(right);
            QCOMPARE(desk.page().card(right)->state(), State::Right);
            QCOMPARE(desk.shownNote(), desk.noteAt(right));
        }
        // 73 questions dealt at random keep the place of the key in a quarter of the cases; all of them: 4^-73.
        QVERIFY(movedFromWorksheetOrder > 0);
    }

    void digitAfterwardsShowsAnotherNoteAndKeepsTheAnswer() {
        Desk desk(path());
        const int wrong = desk.wrongOption(), right = desk.rightOption();
        desk.digit(wrong);
        desk.digit(right);
        QCOMPARE(desk.page().answer().chosen, wrong);
        QCOMPARE(desk.shownNote(), desk.noteAt(right));
    }

    void undoTakesTheAnswerBack() {
        Desk desk(path());
        desk.digit(desk.wrongOption());
        desk.key(Qt::Key_U);
        QVERIFY(!anythingBetrayed(desk));
        QVERIFY(!desk.dock->footer()->undoButton()->isEnabled());
        desk.digit(desk.rightOption());
        QVERIFY(desk.page().answer().revealed);
    }

    void enterAndBackspaceWalk() {
        Desk desk(path());
        const int first = desk.page().question().number;
        desk.key(Qt::Key_Return);
        QCOMPARE(desk.page().question().number, first + 1);
        QVERIFY(!anythingBetrayed(desk));
        desk.key(Qt::Key_Backspace);
        QCOMPARE(desk.page().question().number, first);
        QVERIFY(!desk.dock->footer()->previousButton()->isEnabled());
    }

    /// An Enter too many must not answer, even with the focus on an option.
    void enterOnAnOptionDoesNotAnswer() {
        Desk desk(path());
        desk.page().card(1)->setFocus();
        QTest::keyClick(desk.page().card(1), Qt::Key_Return);
        desk.dock->goToQuestion(1);
        QVERIFY(!desk.page().answer().revealed);
        QTest::keyClick(desk.page().card(1), Qt::Key_Space);
        QCOMPARE(desk.page().answer().chosen, 1);
    }

    void enterAtTheEndOpensTheOverview() {
        Desk desk(path());
        desk.dock->goToQuestion(desk.bank.questions.back().number);
        desk.key(Qt::Key_Return);
        QVERIFY(desk.dock->overviewPage()->isVisible());
    }

    void flagAndGuessedStay() {
        Desk desk(path());
        desk.key(Qt::Key_F);
        QVERIFY(desk.dock->footer()->flagButton()->isChecked());
        QVERIFY(!desk.dock->footer()->guessedButton()->isEnabled());  // nothing to mark yet
        desk.digit(0);
        desk.key(Qt::Key_G);
        QVERIFY(desk.page().answer().guessed);
        desk.key(Qt::Key_Return);
        QVERIFY(!desk.dock->footer()->flagButton()->isChecked());
        desk.key(Qt::Key_Backspace);
        QVERIFY(desk.dock->footer()->flagButton()->isChecked());
        QVERIFY(desk.page().answer().guessed);
    }

    void retryAsksAgain() {
        Desk desk(path());
        desk.digit(desk.wrongOption());
        desk.key(Qt::Key_R);
        QVERIFY(!anythingBetrayed(desk));
    }

    void filterAsksOneTopic() {
        Desk desk(path());
        const auto topics = desk.dock->header()->filterBox();
        const int last = topics->count() - 1;  // the last topic
        topics->setCurrentIndex(last);
        emit topics->activated(last);
        const std::string topic = desk.asked().topic;
        const auto inTopic = std::count_if(desk.bank.questions.begin(), desk.bank.questions.end(),
                                           [&](const Question& question) { return question.topic == topic; });
        QVERIFY(desk.dock->header()->placeText().endsWith(QStringLiteral("1 of %1").arg(inTopic)));
        for (int i = 1; i < inTopic; ++i) {
            desk.key(Qt::Key_Return);
            QCOMPARE(desk.asked().topic, topic);
        }
    }

    void filterOfWrongAnswersKeepsThem() {
        Desk desk(path());
        desk.dock->goToQuestion(5);
        desk.digit(desk.wrongOption());
        desk.dock->goToQuestion(9);
        desk.digit(desk.rightOption());
        emit desk.dock->header()->filterBox()->activated(2);  // All, Unanswered, Answered wrong, ...
        QCOMPARE(desk.page().question().number, 5);
        QVERIFY(desk.dock->header()->placeText().endsWith(QStringLiteral("1 of 1")));
    }

    void digitsWorkWhileTheFilterHasTheFocus() {
        Desk desk(path());
        QTest::keyClick(desk.dock->header()->filterBox(), Qt::Key_2);
        QCOMPARE(desk.page().answer().chosen, 1);
    }

    void overviewCountsAndJumps() {
        Desk desk(path());
        desk.digit(desk.rightOption());
        desk.key(Qt::Key_O);
        const OverviewPage& overview = *desk.dock->overviewPage();
        QVERIFY(overview.isVisible());
        QCOMPARE(overview.chips().size(), desk.bank.questions.size());
        int answered = 0, right = 0;
        for (const TopicRow* row : overview.rows()) answered += row->topic().answered, right += row->topic().right;
        QCOMPARE(answered, 1);
        QCOMPARE(right, 1);
        QuestionChip* chip = overview.chips()[20];
        const int number = chip->mark().number;
        QTest::mouseClick(chip, Qt::LeftButton);
        QVERIFY(desk.page().isVisible());
        QCOMPARE(desk.page().question().number, number);
    }

    void progressOutlivesTheDock() {
        QStringList shown;
        {
            Desk desk(path());
            desk.dock->goToQuestion(12);
            desk.digit(2);
            for (int i = 0; i < 4; ++i) shown << desk.page().card(i)->text();
        }
        Desk again(path());
        QCOMPARE(again.page().question().number, 12);
        QCOMPARE(again.page().answer().chosen, 2);
        for (int i = 0; i < 4; ++i) QCOMPARE(again.page().card(i)->text(), shown[i]);
    }

    void damagedProgressIsSaidAndSetAside() {
        QFile file(path());
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("{ \"answers\": [");
        file.close();
        Desk desk(path());
        QSignalSpy notices(desk.dock.get(), &QuizDock::noticeRaised);
        QTRY_COMPARE(notices.count(), 1);
        QVERIFY(!notices.first().first().toString().isEmpty());
        QVERIFY(!anythingBetrayed(desk));
        QVERIFY(QFile::exists(path() + QStringLiteral(".damaged")));
        desk.digit(0);
        QVERIFY(desk.page().answer().revealed);
    }

    void presentingRevealsOnlyOnDemand() {
        Desk desk(path());
        desk.digit(desk.wrongOption());
        desk.dock->setPresenting(true);
        QVERIFY(!anythingBetrayed(desk));  // though it was answered before
        const int right = desk.rightOption();
        desk.digit(right);
        QCOMPARE(desk.page().card(right)->state(), State::Selected);
        QVERIFY(!anythingBetrayed(desk));
        desk.key(Qt::Key_A);
        QCOMPARE(desk.page().card(right)->state(), State::Right);
        desk.dock->setPresenting(false);
        QVERIFY(desk.page().answer().chosen != right);  // the learner's own answer is untouched
    }

    void sceneIsOfferedOnlyWhenItCanBeOpened() {
        Desk desk(path());
        desk.digit(0);
        auto* button = desk.page().notes()->findChild<QPushButton*>();
        QVERIFY(!button->isVisible());
        desk.dock->setKnownScenes({QString::fromStdString(desk.asked().scene)});
        QVERIFY(button->isVisible());
        QSignalSpy requests(desk.dock.get(), &QuizDock::sceneRequested);
        QTest::mouseClick(button, Qt::LeftButton);
        QCOMPARE(requests.count(), 1);
        QCOMPARE(requests.first().first().toString(), QString::fromStdString(desk.asked().scene));
    }

    void keysWithCommandModifiersAreLeftAlone() {
        Desk desk(path());
        QKeyEvent event(QEvent::KeyPress, Qt::Key_1, Qt::ControlModifier);
        QVERIFY(!desk.dock->handleKey(&event));
        QVERIFY(!desk.page().answer().revealed);
    }

    void noTextIsCut_data() {
        QTest::addColumn<double>("scale");
        QTest::addColumn<int>("widthPx");
        QTest::newRow("300 px") << 1.0 << 300;
        QTest::newRow("320 px") << 1.0 << 320;
        QTest::newRow("presenting") << 1.6 << 480;
        QTest::newRow("presenting, narrow") << 1.6 << 400;
    }
    void noTextIsCut() {
        QFETCH(double, scale);
        QFETCH(int, widthPx);
        Desk desk(path());
        if (scale > 1) desk.theme.setPresenting(true, scale), desk.dock->setPresenting(true);
        desk.dock->resize(widthPx, 720);
        for (const Question& question : desk.bank.questions) {
            desk.dock->goToQuestion(question.number);
            for (const bool revealed : {false, true}) {
                if (revealed) desk.digit(desk.wrongOption()), desk.key(Qt::Key_A);  // A where it presents
                QCOMPARE(desk.dock->width(), widthPx);
                // The scroll bar's coming and going asks for another layout pass.
                QStringList clipped;
                const bool settled =
                    QTest::qWaitFor([&] { return (clipped = clippedTexts(*desk.dock)).isEmpty(); }, 500);
                QVERIFY2(settled,
                         qPrintable(QStringLiteral("question %1: %2").arg(question.number).arg(clipped.join(u"; "))));
            }
        }
        desk.key(Qt::Key_O);
        QCoreApplication::processEvents();
        const QStringList clipped = clippedTexts(*desk.dock);
        QVERIFY2(clipped.isEmpty(), qPrintable(clipped.join(u"; ")));
    }

    void longWordsBreakInsideTheWord() {
        Theme theme;
        OptionCard card(theme, 1);
        card.setOption(QString(80, QLatin1Char('W')));
        // 80 letters W cannot stand on one line of 200 px: at least three lines high.
        QVERIFY(card.heightForWidth(200) > 3 * QFontMetrics(theme.metrics().body).height());
    }
};

QTEST_MAIN(TestQuizDock)
#include "test_quiz_dock.moc"
