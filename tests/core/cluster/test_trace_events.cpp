// The trace file: parsed again, its spans are those of the timeline and its counters those of the links.
#include "cluster/trace_events.h"

#include <QTest>
#include <cmath>
#include <map>

using namespace lockstep;

class TestTraceEvents : public QObject {
    Q_OBJECT

private slots:
    void spansAndCountersAreThoseOfTheModel() {
        const Catalogue catalogue = loadBuiltinCatalogue().value();
        Experiment experiment;
        experiment.cluster.workers = 5;
        experiment.cluster.servers = 2;
        const Prediction prediction = predict(experiment, catalogue).value();
        const Timeline timeline = predictTimeline(experiment, catalogue).value();
        const auto trace = nlohmann::json::parse(traceEvents(timeline, prediction).dump());
        std::map<int, double> ends;  // by thread
        std::size_t spans = 0, names = 0, counters = 0;
        for (const auto& event : trace.at("traceEvents")) {
            const std::string kind = event.at("ph");
            if (kind == "M") names += event.at("name") == "thread_name";
            if (kind == "C") {
                ++counters;
                const double busy = event.at("args").at("busy (%)");
                QVERIFY(busy >= 0 && busy <= 100);
            }
            if (kind != "X") continue;
            ++spans;
            const int thread = event.at("tid");
            const double begin = event.at("ts"), duration = event.at("dur");
            QVERIFY(duration > 0 && begin >= ends[thread] - 1e-6);  // spans of a lane do not overlap
            ends[thread] = begin + duration;
            QCOMPARE(event.at("pid").get<int>(), timeline.lanes[static_cast<std::size_t>(thread - 1)].server ? 2 : 1);
        }
        QCOMPARE(spans, timeline.spans.size());
        QCOMPARE(names, timeline.lanes.size());
        QCOMPARE(counters, 2 * prediction.links.size());
        for (const auto& [thread, end] : ends) QVERIFY(end <= 1e6 * timeline.duration_s * (1 + 1e-12));
        QVERIFY(std::abs(ends.begin()->second - 1e6 * *prediction.iterationTime_s) < 1e-3);
    }
};

QTEST_APPLESS_MAIN(TestTraceEvents)
#include "test_trace_events.moc"
