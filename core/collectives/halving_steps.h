#pragma once

#include <vector>

#include "collectives/steps.h"

namespace lockstep {

/// Recursive halving happens among P = 2^k of the W ranks; the W - P others fold into a neighbour. Virtual rank v is
/// rank 2v for the first W - P, whose neighbour 2v + 1 folds, and v + (W - P) for the rest. So the chunks of a range of
/// virtual ranks are contiguous, whether there is a chunk for each rank or for each virtual rank.
class HalvingGroup {
public:
    HalvingGroup(int ranks, int chunks);

    [[nodiscard]] int size() const { return m_size; }
    /// log2 of the size.
    [[nodiscard]] int levels() const;
    [[nodiscard]] int folded() const { return m_folded; }
    /// Whether folded ranks have chunks of their own.
    [[nodiscard]] bool foldedOwnChunks() const { return m_folded > 0 && m_chunks != m_size; }
    [[nodiscard]] int rank(int virtualRank) const;
    /// The first chunk of a virtual rank; of size(): the number of chunks.
    [[nodiscard]] int chunkBegin(int virtualRank) const;

private:
    int m_size, m_folded, m_chunks;
};

/// Of reduce-scatter by recursive halving or all-gather by recursive doubling.
[[nodiscard]] int halvingStepCount(const SchedulePart& part);
void appendHalvingStep(const SchedulePart& part, int step, std::vector<Transfer>& transfers);

}  // namespace lockstep
