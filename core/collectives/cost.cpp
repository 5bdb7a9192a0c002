#include "collectives/cost.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace lockstep {
namespace {

/// Seconds as (times the whole buffer's transfer time) and (times the latency).
struct Cost {
    double buffers = 0;
    double messages = 0;

    Cost operator+(const Cost& other) const { return {buffers + other.buffers, messages + other.messages}; }
};

Cost naiveCost(Collective collective, double ranks) {
    const Cost whole{ranks - 1, 1}, chunks{(ranks - 1) / ranks, 1};
    switch (collective) {
        case Collective::Broadcast:
        case Collective::Reduce:
            return whole;
        case Collective::Scatter:
        case Collective::Gather:
            return chunks;
        case Collective::AllGather:
        case Collective::ReduceScatter:
            return whole + chunks;
        case Collective::AllReduce:
            break;
    }
    return whole + whole;
}

/// The largest subtree of level k has min(2^k, W - 2^k) ranks: its chunks cross one link in that step.
Cost treeScatterCost(int ranks) {
    Cost cost;
    for (int distance = 1; distance < ranks; distance *= 2)
        cost = cost + Cost{static_cast<double>(std::min(distance, ranks - distance)) / ranks, 1};
    return cost;
}

Cost treeCost(Collective collective, int ranks) {
    const double levels = std::bit_width(static_cast<unsigned>(ranks - 1));
    const Cost whole{levels, levels};
    switch (collective) {
        case Collective::Broadcast:
        case Collective::Reduce:
            return whole;
        case Collective::Scatter:
        case Collective::Gather:
            return treeScatterCost(ranks);
        case Collective::AllGather:
        case Collective::ReduceScatter:
            return whole + treeScatterCost(ranks);
        case Collective::AllReduce:
            break;
    }
    return whole + whole;
}

Cost ringCost(Collective collective, double ranks) {
    const Cost once{(ranks - 1) / ranks, ranks - 1};
    switch (collective) {
        case Collective::Scatter:
        case Collective::Gather:
        case Collective::AllGather:
        case Collective::ReduceScatter:
            return once;
        case Collective::Broadcast:
        case Collective::Reduce:
        case Collective::AllReduce:
            break;
    }
    return once + once;
}

/// Reduce-scatter by halving with a chunk for each rank; all-gather costs the same. The busiest exchange at distance d
/// concerns the block of d virtual ranks with the most folded ones in it: as many as there are, up to d. (At d = 1 with
/// folded ranks that is two chunks.)
Cost halvingOnceCost(int ranks) {
    const int size = static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks))), folded = ranks - size;
    Cost cost;
    for (int distance = 1; distance < size; distance *= 2)
        cost = cost + Cost{static_cast<double>(distance + std::min(distance, folded)) / ranks, 1};
    if (folded > 0) cost = cost + Cost{1, 1} + Cost{1.0 / ranks, 1};
    return cost;
}

Cost halvingCost(Collective collective, int ranks) {
    const unsigned size = std::bit_floor(static_cast<unsigned>(ranks));
    const double levels = std::bit_width(size) - 1;
    switch (collective) {
        case Collective::Scatter:
        case Collective::Gather:
            return treeScatterCost(ranks);
        case Collective::AllGather:
        case Collective::ReduceScatter:
            return halvingOnceCost(ranks);
        case Collective::Broadcast:
        case Collective::Reduce:
            return treeScatterCost(ranks) + halvingOnceCost(ranks);
        case Collective::AllReduce:
            break;
    }
    const Cost exchanges{2.0 * (size - 1) / size, 2 * levels};
    return std::has_single_bit(static_cast<unsigned>(ranks)) ? exchanges : exchanges + Cost{2, 2};
}

Cost cost(Collective collective, AllReduceAlgorithm algorithm, int ranks) {
    if (ranks == 1) return {};
    switch (algorithm) {
        case AllReduceAlgorithm::Naive:
            return naiveCost(collective, ranks);
        case AllReduceAlgorithm::Tree:
            return treeCost(collective, ranks);
        case AllReduceAlgorithm::Ring:
            return ringCost(collective, ranks);
        default:
            return halvingCost(collective, ranks);
    }
}

}  // namespace

Result<double> closedFormSeconds(Collective collective, AllReduceAlgorithm algorithm, int ranks, double bytes,
                                 const UniformLinks& links) {
    const Result<CollectiveSchedule> schedule = CollectiveSchedule::make(collective, algorithm, ranks);
    if (!schedule) return tl::unexpected(schedule.error());
    const Cost total = cost(collective, algorithm, ranks);
    return total.buffers * 8 * bytes / links.bandwidthBitPerS + total.messages * links.latency_s;
}

double scheduleSeconds(const CollectiveSchedule& schedule, double bytes, const UniformLinks& links) {
    const double chunkSeconds = 8 * bytes / schedule.chunks() / links.bandwidthBitPerS;
    std::vector<std::int64_t> sent(static_cast<std::size_t>(schedule.ranks())), received(sent.size());
    double seconds = 0;
    for (int step = 0; step < schedule.steps(); ++step) {
        std::fill(sent.begin(), sent.end(), 0);
        std::fill(received.begin(), received.end(), 0);
        std::int64_t busiest = 0;
        for (const Transfer& transfer : schedule.transfers(step)) {
            std::int64_t& out = sent[static_cast<std::size_t>(transfer.sender)];
            std::int64_t& in = received[static_cast<std::size_t>(transfer.receiver)];
            out += transfer.chunkCount;
            in += transfer.chunkCount;
            busiest = std::max({busiest, out, in});
        }
        seconds += links.latency_s + static_cast<double>(busiest) * chunkSeconds;
    }
    return seconds;
}

}  // namespace lockstep
