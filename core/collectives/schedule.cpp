#include "collectives/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <span>

#include "collectives/steps.h"

namespace lockstep {
namespace {

constexpr int kMaxRanks = 65536;

/// The collectives one after another that make up `collective`.
std::vector<Collective> parts(Collective collective, AllReduceAlgorithm algorithm) {
    const bool scattered = algorithm == AllReduceAlgorithm::Ring || algorithm == AllReduceAlgorithm::HalvingDoubling;
    switch (collective) {
        case Collective::AllReduce:
            if (scattered) return {Collective::ReduceScatter, Collective::AllGather};
            return {Collective::Reduce, Collective::Broadcast};
        case Collective::ReduceScatter:
            if (!scattered) return {Collective::Reduce, Collective::Scatter};
            break;
        case Collective::AllGather:
            if (!scattered) return {Collective::Gather, Collective::Broadcast};
            break;
        case Collective::Broadcast:
            if (algorithm == AllReduceAlgorithm::HalvingDoubling) return {Collective::Scatter, Collective::AllGather};
            break;
        case Collective::Reduce:
            if (algorithm == AllReduceAlgorithm::HalvingDoubling)
                return {Collective::ReduceScatter, Collective::Gather};
            break;
        case Collective::Scatter:
        case Collective::Gather:
            break;
    }
    return {collective};
}

/// Chunks are as many as messages tell apart: an all-reduce by halving needs one for each rank that takes part in it,
/// algorithms that move whole buffers one in all.
int chunkCount(Collective collective, AllReduceAlgorithm algorithm, int ranks) {
    const bool whole = algorithm == AllReduceAlgorithm::Tree || algorithm == AllReduceAlgorithm::Naive;
    switch (collective) {
        case Collective::AllReduce:
            if (algorithm == AllReduceAlgorithm::HalvingDoubling)
                return static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)));
            return whole ? 1 : ranks;
        case Collective::Broadcast:
        case Collective::Reduce:
            return whole ? 1 : ranks;
        default:
            return ranks;
    }
}

}  // namespace

Result<CollectiveSchedule> CollectiveSchedule::make(Collective collective, AllReduceAlgorithm algorithm, int ranks) {
    if (ranks < 1 || ranks > kMaxRanks)
        return fail(fmt::format("{} ranks cannot take part in a collective; allowed are 1 to {}", ranks, kMaxRanks));
    if (algorithm == AllReduceAlgorithm::Hierarchical || algorithm == AllReduceAlgorithm::Auto)
        return fail(
            "a schedule by itself can be ring, tree, halving-doubling or naive; hierarchical and auto depend on "
            "the cluster's nodes");
    return CollectiveSchedule(collective, algorithm, ranks);
}

CollectiveSchedule::CollectiveSchedule(Collective collective, AllReduceAlgorithm algorithm, int ranks)
    : m_collective(collective),
      m_algorithm(algorithm),
      m_ranks(ranks),
      m_chunks(chunkCount(collective, algorithm, ranks)) {
    if (ranks == 1) return;
    for (const Collective part : parts(collective, algorithm)) {
        m_phases.push_back({part, stepCount({part, algorithm, ranks, m_chunks})});
        m_steps += m_phases.back().steps;
    }
}

std::vector<Transfer> CollectiveSchedule::transfers(int step) const {
    assert(step >= 0 && step < m_steps);
    std::vector<Transfer> result;
    for (const Phase& phase : m_phases) {
        if (step < phase.steps) {
            appendStep({phase.kind, m_algorithm, m_ranks, m_chunks}, step, result);
            break;
        }
        step -= phase.steps;
    }
    return result;
}

const char* collectiveName(Collective collective) {
    switch (collective) {
        case Collective::Broadcast:
            return "broadcast";
        case Collective::Reduce:
            return "reduce";
        case Collective::Scatter:
            return "scatter";
        case Collective::Gather:
            return "gather";
        case Collective::AllGather:
            return "all-gather";
        case Collective::ReduceScatter:
            return "reduce-scatter";
        case Collective::AllReduce:
            return "all-reduce";
    }
    return "";
}

}  // namespace lockstep
