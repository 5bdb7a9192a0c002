#include "cluster/trace_events.h"

namespace lockstep {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kMicrosecondsPerSecond = 1e6;
constexpr int kWorkers = 1, kServers = 2, kLinks = 3;

const char* nameOf(TimelineSpan::Kind kind) {
    using Kind = TimelineSpan::Kind;
    switch (kind) {
        case Kind::Load:
            return "load";
        case Kind::Forward:
            return "forward";
        case Kind::Backward:
            return "backward";
        case Kind::Pull:
            return "pull";
        case Kind::Push:
            return "push";
        case Kind::AllReduce:
            return "all-reduce";
        case Kind::Aggregate:
            return "aggregate";
        case Kind::Update:
            return "update";
        case Kind::Wait:
            return "wait";
    }
    return "wait";
}

Json named(const char* what, int process, int thread, const std::string& name) {
    return {{"name", what}, {"ph", "M"}, {"pid", process}, {"tid", thread}, {"args", {{"name", name}}}};
}

int processOf(const TimelineLane& lane) { return lane.server ? kServers : kWorkers; }

}  // namespace

Json traceEvents(const Timeline& timeline, const Prediction& prediction) {
    Json events = Json::array();
    events.push_back(named("process_name", kWorkers, 0, "workers (modelled)"));
    if (prediction.servers > 0) events.push_back(named("process_name", kServers, 0, "parameter servers (modelled)"));
    if (!prediction.links.empty()) events.push_back(named("process_name", kLinks, 0, "links (modelled)"));
    for (std::size_t lane = 0; lane < timeline.lanes.size(); ++lane)
        events.push_back(named("thread_name", processOf(timeline.lanes[lane]), static_cast<int>(lane) + 1,
                               timeline.lanes[lane].name));
    for (const TimelineSpan& span : timeline.spans) {
        const TimelineLane& lane = timeline.lanes[static_cast<std::size_t>(span.lane)];
        events.push_back({{"name", nameOf(span.kind)},
                          {"cat", span.kind == TimelineSpan::Kind::Wait ? "wait" : "work"},
                          {"ph", "X"},
                          {"ts", span.start_s * kMicrosecondsPerSecond},
                          {"dur", (span.end_s - span.start_s) * kMicrosecondsPerSecond},
                          {"pid", processOf(lane)},
                          {"tid", span.lane + 1},
                          {"args", {{"machines", lane.count}}}});
    }
    for (const LinkUse& link : prediction.links)
        for (const double at_s : {0.0, timeline.duration_s})
            events.push_back({{"name", link.node + (link.outgoing ? " out" : " in")},
                              {"ph", "C"},
                              {"ts", at_s * kMicrosecondsPerSecond},
                              {"pid", kLinks},
                              {"args", {{"busy (%)", 100 * link.busyFraction}}}});
    return {{"traceEvents", events},
            {"displayTimeUnit", "ms"},
            {"otherData", {{"producer", "Lockstep"}, {"what", "one modelled iteration"}}}};
}

}  // namespace lockstep
