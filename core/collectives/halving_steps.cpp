#include "collectives/halving_steps.h"

#include <bit>

namespace lockstep {
namespace {

/// Everything between folded ranks and their neighbours: to the neighbour or back.
void appendFold(const HalvingGroup& group, int chunks, bool reduce, std::vector<Transfer>& transfers) {
    for (int v = 0; v < group.folded(); ++v) {
        const int rank = group.rank(v);
        if (reduce)
            transfers.push_back({.sender = rank + 1, .receiver = rank, .chunkCount = chunks, .add = true});
        else
            transfers.push_back({.sender = rank, .receiver = rank + 1, .chunkCount = chunks});
    }
}

/// Only the folded ranks' own chunk: from the neighbour after a reduce-scatter, to it before an all-gather.
void appendOwnChunk(const HalvingGroup& group, bool reduce, std::vector<Transfer>& transfers) {
    for (int v = 0; v < group.folded(); ++v) {
        const int rank = group.rank(v), folded = rank + 1;
        transfers.push_back(
            {.sender = reduce ? rank : folded, .receiver = reduce ? folded : rank, .firstChunk = folded});
    }
}

/// Partners at `distance` exchange: the half that the partner keeps (reduce), or all that one has (gather). Both are
/// the aligned block of `distance` virtual ranks around the partner, or around oneself.
void appendExchange(const HalvingGroup& group, int distance, bool reduce, std::vector<Transfer>& transfers) {
    for (int v = 0; v < group.size(); ++v) {
        const int partner = v ^ distance;
        const int block = (reduce ? partner : v) & ~(distance - 1);
        const int first = group.chunkBegin(block);
        transfers.push_back({.sender = group.rank(v),
                             .receiver = group.rank(partner),
                             .firstChunk = first,
                             .chunkCount = group.chunkBegin(block + distance) - first,
                             .add = reduce});
    }
}

}  // namespace

HalvingGroup::HalvingGroup(int ranks, int chunks)
    : m_size(static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)))),
      m_folded(ranks - m_size),
      m_chunks(chunks) {}

int HalvingGroup::levels() const { return std::bit_width(static_cast<unsigned>(m_size)) - 1; }

int HalvingGroup::rank(int virtualRank) const {
    return virtualRank < m_folded ? 2 * virtualRank : virtualRank + m_folded;
}

int HalvingGroup::chunkBegin(int virtualRank) const { return m_chunks == m_size ? virtualRank : rank(virtualRank); }

int halvingStepCount(const SchedulePart& part) {
    const HalvingGroup group(part.ranks, part.chunks);
    return group.levels() + (group.folded() > 0 ? 1 : 0) + (group.foldedOwnChunks() ? 1 : 0);
}

void appendHalvingStep(const SchedulePart& part, int step, std::vector<Transfer>& transfers) {
    const HalvingGroup group(part.ranks, part.chunks);
    const bool reduce = part.kind == Collective::ReduceScatter;
    // Steps before the exchanges: a reduce-scatter folds everything, an all-gather the folded ranks' own chunks.
    const int before = reduce ? (group.folded() > 0 ? 1 : 0) : (group.foldedOwnChunks() ? 1 : 0);
    const int level = step - before;
    if (level < 0)
        return reduce ? appendFold(group, part.chunks, true, transfers) : appendOwnChunk(group, false, transfers);
    if (level >= group.levels())
        return reduce ? appendOwnChunk(group, true, transfers) : appendFold(group, part.chunks, false, transfers);
    const int distance = 1 << (reduce ? group.levels() - 1 - level : level);
    appendExchange(group, distance, reduce, transfers);
}

}  // namespace lockstep
