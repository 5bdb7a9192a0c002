#include "collectives/steps.h"

#include <algorithm>
#include <bit>
#include <cassert>

#include "collectives/halving_steps.h"

namespace lockstep {
namespace {

int ceilLog2(int value) { return std::bit_width(static_cast<unsigned>(value - 1)); }

bool towardsRoot(Collective kind) { return kind == Collective::Reduce || kind == Collective::Gather; }

/// Rank r of a star to or from the root.
void appendStar(const SchedulePart& part, std::vector<Transfer>& transfers) {
    const bool whole = part.kind == Collective::Reduce || part.kind == Collective::Broadcast;
    for (int rank = 1; rank < part.ranks; ++rank) {
        Transfer transfer{.sender = 0,
                          .receiver = rank,
                          .firstChunk = whole ? 0 : rank,
                          .chunkCount = whole ? part.chunks : 1,
                          .add = part.kind == Collective::Reduce};
        if (towardsRoot(part.kind)) std::swap(transfer.sender, transfer.receiver);
        transfers.push_back(transfer);
    }
}

/// Level k of the binomial tree joins the ranks r with bit k as their lowest bit to r - 2^k, for themselves and the
/// subtree r .. r + 2^k - 1. Towards the root the levels rise.
void appendTree(const SchedulePart& part, int step, std::vector<Transfer>& transfers) {
    const int level = towardsRoot(part.kind) ? step : stepCount(part) - 1 - step;
    const bool whole = part.kind == Collective::Reduce || part.kind == Collective::Broadcast;
    const int distance = 1 << level;
    for (int child = distance; child < part.ranks; child += 2 * distance) {
        Transfer transfer{.sender = child - distance,
                          .receiver = child,
                          .firstChunk = whole ? 0 : child,
                          .chunkCount = whole ? part.chunks : std::min(distance, part.ranks - child),
                          .add = part.kind == Collective::Reduce};
        if (towardsRoot(part.kind)) std::swap(transfer.sender, transfer.receiver);
        transfers.push_back(transfer);
    }
}

/// The chunk that crosses the link between ranks `link` and `link` + 1 of the chain; outside 0..chunks-1: none.
/// Broadcast and reduce follow each other chunk by chunk; scatter sends the farthest first, gather is its mirror in
/// time.
int chainChunk(const SchedulePart& part, int link, int step) {
    switch (part.kind) {
        case Collective::Broadcast:
            return step - link;
        case Collective::Reduce:
            return step - (part.ranks - 2 - link);
        case Collective::Scatter:
            return part.ranks - 1 + link - step;
        default:
            return link + 1 + step;
    }
}

void appendChain(const SchedulePart& part, int step, std::vector<Transfer>& transfers) {
    for (int link = 0; link + 1 < part.ranks; ++link) {
        const int chunk = chainChunk(part, link, step);
        if (chunk < 0 || chunk >= part.chunks) continue;
        Transfer transfer{
            .sender = link, .receiver = link + 1, .firstChunk = chunk, .add = part.kind == Collective::Reduce};
        if (towardsRoot(part.kind)) std::swap(transfer.sender, transfer.receiver);
        transfers.push_back(transfer);
    }
}

/// Each rank passes one chunk on. Reduce-scatter starts one chunk earlier, so that chunk r ends at rank r.
void appendRing(const SchedulePart& part, int step, std::vector<Transfer>& transfers) {
    const bool reduce = part.kind == Collective::ReduceScatter;
    const int behind = step + (reduce ? 1 : 0);
    for (int rank = 0; rank < part.ranks; ++rank)
        transfers.push_back({.sender = rank,
                             .receiver = (rank + 1) % part.ranks,
                             .firstChunk = (rank - behind + part.ranks) % part.ranks,
                             .add = reduce});
}

bool goesAround(Collective kind) { return kind == Collective::ReduceScatter || kind == Collective::AllGather; }

}  // namespace

int stepCount(const SchedulePart& part) {
    const bool pipelined = part.kind == Collective::Broadcast || part.kind == Collective::Reduce;
    switch (part.algorithm) {
        case AllReduceAlgorithm::Naive:
            return 1;
        case AllReduceAlgorithm::Tree:
            return ceilLog2(part.ranks);
        case AllReduceAlgorithm::Ring:
            return part.ranks - 1 + (pipelined ? part.chunks - 1 : 0);
        default:
            return goesAround(part.kind) ? halvingStepCount(part) : ceilLog2(part.ranks);
    }
}

void appendStep(const SchedulePart& part, int step, std::vector<Transfer>& transfers) {
    assert(part.ranks >= 2 && step >= 0 && step < stepCount(part));
    switch (part.algorithm) {
        case AllReduceAlgorithm::Naive:
            return appendStar(part, transfers);
        case AllReduceAlgorithm::Tree:
            return appendTree(part, step, transfers);
        case AllReduceAlgorithm::Ring:
            return goesAround(part.kind) ? appendRing(part, step, transfers) : appendChain(part, step, transfers);
        default:
            return goesAround(part.kind) ? appendHalvingStep(part, step, transfers) : appendTree(part, step, transfers);
    }
}

}  // namespace lockstep
