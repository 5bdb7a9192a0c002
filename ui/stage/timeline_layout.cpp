#include "stage/timeline_layout.h"

#include <QCoreApplication>
#include <algorithm>

#include "charts/number_text.h"
#include "charts/ticks.h"

namespace lockstep::ui {
namespace {

QString tr(const char* text, const char* comment = nullptr) {
    return QCoreApplication::translate("TimelineLayout", text, comment);
}

TimeWindow within(double start_s, double length_s, double duration_s) {
    length_s = std::min(length_s, duration_s);
    start_s = std::clamp(start_s, 0.0, duration_s - length_s);
    return {start_s, start_s + length_s};
}

/// `rows` of the lanes from `begin` to `end`: the first ones and always the last.
void addLanes(std::vector<int>& shown, int begin, int end, int rows) {
    const int count = end - begin;
    for (int i = 0; i < std::min(count, rows); ++i)
        shown.push_back(rows > 1 && i + 1 == rows && count > rows ? end - 1 : begin + i);
}

}  // namespace

TimeWindow zoomed(const TimeWindow& window, double anchor_s, double factor, double duration_s) {
    const double length = std::clamp(window.length() * factor, duration_s * 1e-4, duration_s);
    const double share = window.length() > 0 ? (anchor_s - window.start_s) / window.length() : 0.5;
    return within(anchor_s - share * length, length, duration_s);
}

TimeWindow panned(const TimeWindow& window, double shift_s, double duration_s) {
    return within(window.start_s + shift_s, window.length(), duration_s);
}

std::vector<TimeTick> timeTicks(const TimeWindow& window, int most) {
    std::vector<TimeTick> ticks;
    if (!(window.length() > 0)) return ticks;
    double unit = 1;
    QString unitText = tr("s", "seconds");
    if (window.end_s < 1e-3)
        unit = 1e-6, unitText = tr("µs");
    else if (window.end_s < 1)
        unit = 1e-3, unitText = tr("ms");
    const double step = stepWithin(window.start_s / unit, window.end_s / unit, std::max(1, most));
    for (const double value : ticksWithin(window.start_s / unit, window.end_s / unit, std::max(1, most)))
        ticks.push_back({value * unit, tickText(value, step)});
    if (!ticks.empty()) ticks.back().text += QChar(0x00A0) + unitText;
    return ticks;
}

std::vector<int> shownLanes(const Timeline& timeline, int rows) {
    std::vector<int> shown;
    const int lanes = static_cast<int>(timeline.lanes.size());
    const int workers = static_cast<int>(std::count_if(timeline.lanes.begin(), timeline.lanes.end(),
                                                       [](const TimelineLane& lane) { return !lane.server; }));
    const int servers = lanes - workers;
    int serverRows = std::min(servers, std::max(servers > 0 ? 1 : 0, rows * 2 / 5));
    const int workerRows = std::min(workers, std::max(1, rows - serverRows));
    serverRows = std::min(servers, std::max(serverRows, rows - workerRows));
    addLanes(shown, 0, workers, workerRows);
    addLanes(shown, workers, lanes, serverRows);
    return shown;
}

QString laneName(const Timeline& timeline, int lane, bool shortName) {
    const TimelineLane& named = timeline.lanes[static_cast<size_t>(lane)];
    int first = 1;
    for (int i = 0; i < lane; ++i)
        if (timeline.lanes[static_cast<size_t>(i)].server == named.server)
            first += timeline.lanes[static_cast<size_t>(i)].count;
    const QString letter = named.server ? tr("S%1", "short for server") : tr("W%1", "short for worker");
    if (named.count == 1) return letter.arg(first);
    const QString range = letter.arg(first) + QChar(0x2013) + QString::number(first + named.count - 1);
    return shortName ? range : range + QStringLiteral(" ×") + numberText(named.count);
}

SpanRange visibleSpans(const Timeline& timeline, int lane, const TimeWindow& window) {
    const auto& spans = timeline.spans;
    const auto before = [](const TimelineSpan& span, int l) { return span.lane < l; };
    const auto laneBegin = std::lower_bound(spans.begin(), spans.end(), lane, before);
    const auto laneEnd = std::lower_bound(laneBegin, spans.end(), lane + 1, before);
    const auto first = std::partition_point(laneBegin, laneEnd,
                                            [&](const TimelineSpan& span) { return span.end_s <= window.start_s; });
    const auto last =
        std::partition_point(first, laneEnd, [&](const TimelineSpan& span) { return span.start_s < window.end_s; });
    return {static_cast<size_t>(first - spans.begin()), static_cast<size_t>(last - spans.begin())};
}

}  // namespace lockstep::ui
