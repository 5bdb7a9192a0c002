#include <fmt/format.h>

#include <algorithm>

#include "cluster/iteration.h"

namespace lockstep {

namespace {

using Kind = TimelineSpan::Kind;

/// Appends spans to one lane, each beginning where the last ended.
class LaneWriter {
public:
    LaneWriter(Timeline& timeline, int lane) : m_timeline(timeline), m_lane(lane) {}

    void until(Kind kind, double end_s) {
        if (end_s <= m_now_s) return;
        m_timeline.spans.push_back({m_lane, kind, m_now_s, end_s});
        m_now_s = end_s;
    }
    void during(Kind kind, double duration_s) { until(kind, m_now_s + duration_s); }
    [[nodiscard]] double now_s() const { return m_now_s; }

private:
    Timeline& m_timeline;
    int m_lane;
    double m_now_s = 0;
};

/// The moments at which an iteration's phases begin; communication is amortized over local steps.
struct Moments {
    double loaded_s = 0, pulled_s = 0, fastPush_s = 0, slowPush_s = 0, fastPushed_s = 0, pushed_s = 0, end_s = 0;
};

Moments momentsOf(const Iteration& iteration) {
    const double rounds = iteration.roundsPerIteration;
    Moments at;
    at.end_s = iteration.withLoading_s(iteration.path_s());
    at.loaded_s = at.end_s - iteration.path_s();
    if (iteration.loose) at.end_s = std::max(iteration.ownLoop_s(false), iteration.ownLoop_s(true));
    if (iteration.sumsBeside) at.end_s = std::max(at.end_s, iteration.aggregate_s);
    at.pulled_s = at.loaded_s + rounds * iteration.pull.total_s();
    at.fastPush_s = at.pulled_s + iteration.compute_s();
    at.slowPush_s = at.pulled_s + iteration.slowestCompute_s();
    at.fastPushed_s = at.slowPush_s + rounds * iteration.pushEnds.fast_s;
    at.pushed_s = at.slowPush_s + rounds * iteration.pushEnds.slow_s;
    return at;
}

void addLane(Timeline& timeline, std::string_view kind, int first, int count, bool server) {
    const std::string name =
        count == 1 ? fmt::format("{} {}", kind, first) : fmt::format("{}s {}..{}", kind, first, first + count - 1);
    timeline.lanes.push_back({name, count, server});
}

/// A backup worker computes until it is told that it is late.
void addCompute(LaneWriter& lane, const Iteration& iteration, double slowdown, double atMost_s) {
    const double forward_s = slowdown * iteration.forward_s, backward_s = slowdown * iteration.backward_s;
    const bool cutShort = iteration.backups > 0;
    lane.until(Kind::Forward, cutShort ? std::min(lane.now_s() + forward_s, atMost_s) : lane.now_s() + forward_s);
    lane.until(Kind::Backward, cutShort ? std::min(lane.now_s() + backward_s, atMost_s) : lane.now_s() + backward_s);
}

/// The loop of one that does not meet the others at every step, on average; what is left of it is waiting.
void addOwnLoop(LaneWriter& lane, const Iteration& iteration, bool slow) {
    const double slowdown = slow ? iteration.slowdown : 1, loop_s = iteration.ownLoop_s(slow);
    const WorkerLoop exchange = iteration.loose ? (slow ? iteration.loose->slow : iteration.loose->fast) : WorkerLoop{};
    const double stall_s = iteration.communicates ? 0 : loop_s - slowdown * iteration.compute_s();
    lane.during(Kind::Load, iteration.loadsAhead ? stall_s : iteration.load_s);
    lane.during(Kind::Pull, exchange.pull_s);
    lane.during(Kind::Forward, slowdown * iteration.forward_s);
    lane.during(Kind::Backward, slowdown * iteration.backward_s);
    lane.during(Kind::Push, exchange.push_s);
    if (iteration.communicates) lane.until(Kind::Wait, loop_s);
}

/// What the loops of both kinds of worker ask of a server, each begun at once.
void addLooseServer(LaneWriter& lane, const Iteration& iteration, double end_s) {
    const WorkerLoop &fast = iteration.loose->fast, &slow = iteration.loose->slow;
    const double loaded_s = iteration.loadsAhead ? 0 : iteration.load_s;
    const double fastPush_s = loaded_s + fast.pull_s + iteration.compute_s();
    const double slowPush_s = loaded_s + slow.pull_s + iteration.slowestCompute_s();
    lane.until(Kind::Wait, loaded_s);
    lane.until(Kind::Pull, std::min(loaded_s + std::max(fast.pull_s, slow.pull_s), fastPush_s));
    lane.until(Kind::Wait, fastPush_s);
    lane.until(Kind::Push, fastPush_s + fast.push_s);
    lane.until(Kind::Wait, slowPush_s);
    lane.until(Kind::Push, slowPush_s + slow.push_s);
    lane.until(Kind::Wait, end_s);
}

void addWorker(Timeline& timeline, const Iteration& iteration, const Moments& at, int first, int count, bool slow) {
    addLane(timeline, "Worker", first, count, false);
    LaneWriter lane(timeline, static_cast<int>(timeline.lanes.size()) - 1);
    const double slowdown = slow ? iteration.slowdown : 1;
    if (!iteration.communicates || iteration.loose) return addOwnLoop(lane, iteration, slow);
    lane.until(Kind::Load, at.loaded_s);
    lane.until(Kind::Pull, at.pulled_s);
    addCompute(lane, iteration, slowdown, at.slowPush_s);
    if (iteration.network.servers == 0) {
        lane.until(Kind::Wait, at.slowPush_s);
        lane.until(Kind::AllReduce, at.end_s);
        return;
    }
    // Co-located workers begin to push together, see delayedPush.
    if (iteration.network.coLocated) lane.until(Kind::Wait, at.slowPush_s);
    const bool abandoned = slow && iteration.slowCounted() == 0;
    if (!abandoned) lane.until(Kind::Push, slow ? at.pushed_s : at.fastPushed_s);
    lane.until(Kind::Wait, at.end_s);
}

void addServer(Timeline& timeline, const Iteration& iteration, const Moments& at, int first, int count) {
    addLane(timeline, "Server", first, count, true);
    LaneWriter lane(timeline, static_cast<int>(timeline.lanes.size()) - 1);
    if (iteration.loose) return addLooseServer(lane, iteration, at.end_s);
    const bool someFast = iteration.slowWorkers < iteration.network.workers && !iteration.network.coLocated;
    lane.until(Kind::Wait, at.loaded_s);
    lane.until(Kind::Pull, at.pulled_s);
    // Sums that nobody waits for are those of the iteration before.
    if (iteration.sumsBeside) lane.until(Kind::Aggregate, std::min(at.pulled_s + iteration.aggregate_s, at.fastPush_s));
    lane.until(Kind::Wait, someFast ? at.fastPush_s : at.slowPush_s);
    lane.until(Kind::Push, std::min(at.fastPushed_s, at.pushed_s));
    lane.until(Kind::Wait, at.slowPush_s);
    lane.until(Kind::Push, at.pushed_s);
    lane.until(Kind::Aggregate, at.end_s);
}

/// `count` equal members in at most `lanes` lanes: one each while they last, the rest in one.
template <class Add>
void addGroup(int first, int count, int lanes, Add add) {
    const int single = count <= lanes ? count : lanes - 1;
    for (int i = 0; i < single; ++i) add(first + i, 1);
    if (count > single) add(first + single, count - single);
}

}  // namespace

Result<Timeline> predictTimeline(const Experiment& experiment, const Catalogue& catalogue, int maxLanes) {
    const Result<Iteration> iteration = iterationOf(experiment, catalogue);
    if (!iteration) return tl::unexpected(iteration.error());
    Timeline timeline;
    if (iteration->memory.largestBatch() < experiment.training.batchPerWorker) return timeline;

    constexpr int kKinds = 3;  // workers, slow workers, servers
    const int lanes = std::max(maxLanes, kKinds);
    const int servers = iteration->communicates ? iteration->network.servers : 0;
    const int slow = iteration->slowWorkers;
    const int fast = iteration->network.workers - slow;
    const int serverLanes = std::min(servers, lanes / kKinds);
    const int slowLanes = std::min(slow, fast > 0 ? std::max(1, (lanes - serverLanes) / kKinds) : lanes - serverLanes);
    const Moments at = momentsOf(*iteration);
    addGroup(1, fast, lanes - serverLanes - slowLanes,
             [&](int first, int count) { addWorker(timeline, *iteration, at, first, count, false); });
    addGroup(fast + 1, slow, slowLanes,
             [&](int first, int count) { addWorker(timeline, *iteration, at, first, count, true); });
    addGroup(1, servers, serverLanes, [&](int first, int count) { addServer(timeline, *iteration, at, first, count); });
    timeline.duration_s = at.end_s;
    return timeline;
}

}  // namespace lockstep
