#include <QLocale>
#include <QTest>
#include <cmath>

#include "charts/chart_export.h"
#include "charts/decimate.h"
#include "charts/measured_charts.h"
#include "charts/number_text.h"
#include "charts/plot_labels.h"
#include "charts/ticks.h"

using namespace lockstep;
using namespace lockstep::ui;

namespace {
constexpr double kGap = std::numeric_limits<double>::quiet_NaN();
}

/// The pure parts of the charts.
class TestChartFunctions : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }
    void decimationKeepsExtremesEndsAndGaps();
    void decimationLeavesShortCurvesAlone();
    void clippingCutsAtTheEdges();
    void rangesHoldTheirDataInRoundSteps();
    void numbersHaveThreeDigitsAndPrefixes();
    void labelsDoNotOverlapAndStayInside();
    void optionalLabelsAreNotWrittenAcrossCurves();
    void measuredChartsHintBeforeARun();
    void equalCopiesAreSaid();
    void ghostsComeBehindAndOnlyTheNewestIsLabelled();
    void csvHoldsEveryPoint();
};

void TestChartFunctions::decimationKeepsExtremesEndsAndGaps() {
    std::vector<QPointF> points;
    for (int i = 0; i < 10000; ++i) points.emplace_back(i, std::sin(i * 0.01));
    points[5003].setY(50);
    points[7001].setY(-50);
    points[2500].setY(kGap);
    const auto kept = decimate(points, 0, 9999, 100);
    QVERIFY(kept.size() <= 4 * 100 + 102);
    const auto has = [&](double y) {
        return std::any_of(kept.begin(), kept.end(), [y](const QPointF& p) { return p.y() == y; });
    };
    QVERIFY(has(50) && has(-50));
    QCOMPARE(kept.front(), points.front());
    QCOMPARE(kept.back(), points.back());
    QVERIFY(std::any_of(kept.begin(), kept.end(), [](const QPointF& p) { return std::isnan(p.y()); }));
    QVERIFY(std::is_sorted(kept.begin(), kept.end(), [](const QPointF& a, const QPointF& b) { return a.x() < b.x(); }));
    // A zoomed stretch keeps one point beyond either end, so that the line reaches the edges.
    const auto part = decimate(points, 1000.5, 1010.5, 100);
    QCOMPARE(part.front().x(), 1000.0);
    QCOMPARE(part.back().x(), 1011.0);
}

void TestChartFunctions::decimationLeavesShortCurvesAlone() {
    const std::vector<QPointF> points = {{0, 1}, {1, kGap}, {2, 3}};
    QCOMPARE(decimate(points, 0, 2, 50).size(), size_t{3});
    QVERIFY(decimate({}, 0, 1, 50).empty());
    QVERIFY(decimate(points, 1, 1, 50).empty());
}

void TestChartFunctions::clippingCutsAtTheEdges() {
    const auto clipped = clipToHeight({{0, 0}, {10, 20}, {20, 0}}, 0, 10);
    // Leaves at (5, 10), comes back at (15, 10); a gap between.
    QCOMPARE(clipped.size(), size_t{5});
    QCOMPARE(clipped[1], QPointF(5, 10));
    QVERIFY(std::isnan(clipped[2].y()));
    QCOMPARE(clipped[3], QPointF(15, 10));
    for (const QPointF& p : clipToHeight({{0, -5}, {1, 25}, {2, -5}}, 0, 10))
        QVERIFY(std::isnan(p.y()) || (p.y() >= 0 && p.y() <= 10));
}

void TestChartFunctions::rangesHoldTheirDataInRoundSteps() {
    for (const double high : {1e-9, 0.003, 0.9, 1.0, 7.3, 99.0, 101.0, 4321.0, 1e12})
        for (const int ticks : {2, 3, 5, 6}) {
            const TickRange range = roundRange(0, high, ticks);
            QVERIFY(range.minimum <= 0 && range.maximum >= high * (1 - 1e-9));
            QVERIFY(range.maximum <= high * 5.01);
            QVERIFY(std::lround(range.maximum / range.step) <= ticks - 1);
        }
    QCOMPARE(roundRange(0, 743, 6), (TickRange{0, 800, 200}));
    QVERIFY(roundRange(5, 5, 5).maximum > 5);
    QVERIFY(std::isfinite(roundRange(kGap, INFINITY, 5).maximum));
    QCOMPARE(ticksWithin(0.3, 2.2, 5), (std::vector<double>{0.5, 1.0, 1.5, 2.0}));
}

void TestChartFunctions::numbersHaveThreeDigitsAndPrefixes() {
    const QChar space(0x00A0);
    QCOMPARE(siText(2.5e9, QStringLiteral("bit/s")), QStringLiteral("2.5") + space + QStringLiteral("Gbit/s"));
    QCOMPARE(siText(102228128, QStringLiteral("B")), QStringLiteral("102") + space + QStringLiteral("MB"));
    QCOMPARE(siText(999.9e3, QStringLiteral("B")), QStringLiteral("1") + space + QStringLiteral("MB"));
    QCOMPARE(durationText(0.327), QStringLiteral("327") + space + QStringLiteral("ms"));
    QCOMPARE(durationText(5400), QStringLiteral("90 min"));
    QCOMPARE(percentText(0.8642), QStringLiteral("86.4 %"));
    QCOMPARE(tickText(4000, 2000), QStringLiteral("4k"));
    QCOMPARE(tickText(0.25, 0.25), QStringLiteral("0.25"));
    QCOMPARE(tickText(0, 100), QStringLiteral("0"));
    QCOMPARE(percentText(kGap), QStringLiteral("–"));
}

void TestChartFunctions::labelsDoNotOverlapAndStayInside() {
    std::vector<std::vector<QPointF>> curves(6);
    for (size_t c = 0; c < curves.size(); ++c)
        for (int x = 0; x <= 300; x += 10) curves[c].emplace_back(x, 60 + 3.0 * static_cast<double>(c));
    std::vector<LabelRequest> requests;
    std::vector<const std::vector<QPointF>*> all;
    for (const auto& curve : curves) requests.push_back({QSizeF(80, 15), &curve}), all.push_back(&curve);
    const QRectF area(0, 0, 300, 120), ring(140, 40, 14, 14);
    const auto places = placeLabels(requests, all, area, {ring});
    QCOMPARE(places.size(), requests.size());
    int placed = 0;
    for (size_t i = 0; i < places.size(); ++i) {
        if (places[i].isNull()) continue;
        ++placed;
        QVERIFY(area.contains(places[i]));
        QVERIFY(!places[i].intersects(ring));
        for (size_t j = i + 1; j < places.size(); ++j) QVERIFY(!places[i].intersects(places[j]));
    }
    QVERIFY(placed >= 3);
}

void TestChartFunctions::optionalLabelsAreNotWrittenAcrossCurves() {
    std::vector<QPointF> curve, wall;
    for (int x = 0; x <= 100; ++x) curve.emplace_back(x, 50), wall.emplace_back(x, x % 2 ? 0 : 100);
    const QRectF area(0, 0, 100, 100);
    QVERIFY(placeLabels({{QSizeF(60, 15), &curve, true}}, {&curve, &wall}, area, {})[0].isNull());
    QVERIFY(!placeLabels({{QSizeF(60, 15), &curve, false}}, {&curve, &wall}, area, {})[0].isNull());
    QVERIFY(!placeLabels({{QSizeF(60, 15), &curve, true}}, {&curve}, area, {})[0].isNull());
}

void TestChartFunctions::measuredChartsHintBeforeARun() {
    QVERIFY(!learningChart({}).notice.isEmpty());
    QVERIFY(!divergenceChart({}).notice.isEmpty());
    const std::vector<Snapshot> history(3);
    MeasuredInput input;
    input.history = &history;
    QVERIFY(learningChart(input).notice.isEmpty());
}

void TestChartFunctions::equalCopiesAreSaid() {
    std::vector<Snapshot> history(5);
    for (size_t i = 0; i < history.size(); ++i) history[i].step = static_cast<long long>(10 * i);
    MeasuredInput input;
    input.history = &history;
    const QString equal = divergenceChart(input).curves.back().label;
    history.back().divergence.meanDistanceToAverage = 0.4;
    const ChartData apart = divergenceChart(input);
    QVERIFY(equal.startsWith(QLatin1Char('0')));
    QVERIFY(!apart.curves.back().label.startsWith(QLatin1Char('0')));
    QCOMPARE(apart.y.high, 0.4);
}

void TestChartFunctions::ghostsComeBehindAndOnlyTheNewestIsLabelled() {
    std::vector<Snapshot> history(2), old(2), older(2);
    for (auto* h : {&history, &old, &older}) (*h)[1].step = 10, (*h)[1].testAccuracy = 0.5, (*h)[1].loss = 1;
    old[1].step = 40;
    MeasuredInput input{&history, {{QStringLiteral("old"), &old}, {QStringLiteral("older"), &older}}, 256};
    const ChartData data = learningChart(input);
    QCOMPARE(data.curves.size(), size_t{4});
    QCOMPARE(data.curves[0].name, QStringLiteral("older"));
    QVERIFY(!data.curves[0].labelled && data.curves[1].labelled);
    QCOMPARE(data.curves[1].look, CurveLook::Ghost);
    QCOMPARE(data.curves[3].look, CurveLook::MeasuredPoints);
    QCOMPARE(data.x.high, 40.0);  // the axis holds the longest
    QVERIFY(data.x.title.contains(QStringLiteral("256")));
    for (const Curve& curve : data.curves)
        for (const QPointF& p : curve.points) QVERIFY(std::isfinite(p.y()));
}

void TestChartFunctions::csvHoldsEveryPoint() {
    ChartData data;
    data.x.title = QStringLiteral("workers");
    data.y.title = QStringLiteral("images/s");
    data.curves.push_back({QStringLiteral("a, \"b\""), {{1, 2.5}, {2, kGap}}});
    QCOMPARE(chartCsv(data), QStringLiteral("curve,workers,images/s\n\"a, \"\"b\"\"\",1,2.5\n\"a, \"\"b\"\"\",2,\n"));
}

QTEST_GUILESS_MAIN(TestChartFunctions)
#include "test_chart_functions.moc"
