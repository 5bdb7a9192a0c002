#include <QTest>

#include "stage/timeline_layout.h"

using namespace lockstep;
using namespace lockstep::ui;

class TestTimelineLayout : public QObject {
    Q_OBJECT
private slots:
    void zoomKeepsTheTimeUnderThePointer();
    void theWindowStaysInsideTheIteration();
    void ticksAreRoundAndCarryOneUnit();
    void lanesThatDoNotFitKeepTheFirstAndTheLast();
    void visibleSpansAreThoseThatTouchTheWindow();
    void lanesAreNamedAfterTheirWorkers();
};

void TestTimelineLayout::zoomKeepsTheTimeUnderThePointer() {
    const TimeWindow window = zoomed({0, 10}, 4, 0.5, 10);
    QCOMPARE(window.length(), 5.0);
    QCOMPARE((4 - window.start_s) / window.length(), 0.4);  // as before: 4 of 10
}

void TestTimelineLayout::theWindowStaysInsideTheIteration() {
    QCOMPARE(zoomed({2, 4}, 3, 100, 10), (TimeWindow{0, 10}));
    QCOMPARE(panned({2, 4}, 100, 10), (TimeWindow{8, 10}));
    QCOMPARE(panned({2, 4}, -100, 10), (TimeWindow{0, 2}));
    QVERIFY(zoomed({0, 10}, 5, 1e-9, 10).length() >= 10 * 1e-4 * 0.999);
}

void TestTimelineLayout::ticksAreRoundAndCarryOneUnit() {
    const auto ticks = timeTicks({0, 0.743}, 8);
    QCOMPARE(ticks.front().text, QStringLiteral("0"));
    QCOMPARE(ticks.back().text, QStringLiteral("700") + QChar(0x00A0) + QStringLiteral("ms"));
    QCOMPARE(ticks.size(), size_t{8});
    for (size_t i = 0; i + 1 < ticks.size(); ++i) QVERIFY(!ticks[i].text.contains(QStringLiteral("ms")));
    QVERIFY(timeTicks({0, 1.6}, 8).back().text.endsWith(QLatin1Char('s')));
    QVERIFY(timeTicks({0, 0}, 8).empty());
}

void TestTimelineLayout::lanesThatDoNotFitKeepTheFirstAndTheLast() {
    Timeline t;
    for (int i = 0; i < 8; ++i) t.lanes.push_back({"", 1, false});
    for (int i = 0; i < 4; ++i) t.lanes.push_back({"", 1, true});
    QCOMPARE(shownLanes(t, 12).size(), size_t{12});
    QCOMPARE(shownLanes(t, 5), (std::vector<int>{0, 1, 7, 8, 11}));
    QCOMPARE(shownLanes(t, 2), (std::vector<int>{0, 8}));
    t.lanes.resize(8);
    QCOMPARE(shownLanes(t, 3), (std::vector<int>{0, 1, 7}));
}

void TestTimelineLayout::visibleSpansAreThoseThatTouchTheWindow() {
    Timeline t;
    t.duration_s = 100;
    t.lanes = {{"", 1, false}, {"", 1, false}};
    for (const int lane : {0, 1})
        for (int i = 0; i < 100; ++i) t.spans.push_back({lane, TimelineSpan::Kind::Forward, i * 1.0, i + 1.0});
    const SpanRange range = visibleSpans(t, 1, {10.5, 12.5});
    QCOMPARE(range.first, size_t{110});
    QCOMPARE(range.last, size_t{113});
    const SpanRange none = visibleSpans(t, 1, {200, 300});
    QCOMPARE(none.first, none.last);
}

void TestTimelineLayout::lanesAreNamedAfterTheirWorkers() {
    Timeline t;
    t.lanes = {{"", 1, false}, {"", 63, false}, {"", 1, true}};
    QCOMPARE(laneName(t, 0, true), QStringLiteral("W1"));
    QCOMPARE(laneName(t, 1, true), QStringLiteral("W2–64"));
    QCOMPARE(laneName(t, 1, false), QStringLiteral("W2–64 ×63"));
    QCOMPARE(laneName(t, 2, true), QStringLiteral("S1"));
}

QTEST_GUILESS_MAIN(TestTimelineLayout)
#include "test_timeline_layout.moc"
