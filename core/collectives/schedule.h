#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "experiment/experiment.h"

namespace lockstep {

/// What the ranks want from each other. Every rank holds a buffer of the same length, cut into chunks; rank 0 is the
/// root; results are in place.
///   Broadcast      all buffers become the root's
///   Reduce         the root's becomes the sum of all; the others' then hold partial sums of no further use
///   Scatter        chunk r of the root reaches rank r
///   Gather         chunk r of rank r reaches the root
///   AllGather      chunk r of rank r reaches all
///   ReduceScatter  chunk r of rank r becomes the sum of all chunks r; the rest is of no further use
///   AllReduce      all buffers become the sum of all, with the same bits
enum class Collective { Broadcast, Reduce, Scatter, Gather, AllGather, ReduceScatter, AllReduce };

/// Chunks firstChunk .. firstChunk + chunkCount - 1 go from one rank to another in some step.
struct Transfer {
    int sender = 0;
    int receiver = 0;
    int firstChunk = 0;
    int chunkCount = 1;
    bool add = false;  ///< added to what the receiver has; otherwise replaces it

    bool operator==(const Transfer&) const = default;
};

/// A collective as steps of transfers: the one description that is executed on buffers, costed, replayed by the
/// simulator and shown step by step. Steps are generated on demand, so 65,536 ranks take no memory.
///
/// All transfers of a step happen at once, except that several into the same receiver add in the listed order. No rank
/// both sends and receives one chunk in one step. Algorithms, W ranks:
///   ring              W chunks; reduce-scatter then all-gather around the ring, 2(W-1) steps. Broadcast, reduce,
///                     scatter and gather are chunk pipelines along the chain 0, 1, ..., W-1.
///   tree              binomial, ceil(log2 W) steps a direction, whole buffers: reduce to the root, then broadcast.
///   halving-doubling  reduce-scatter by recursive halving, all-gather by recursive doubling (Thakur, Rabenseifner and
///                     Gropp 2005, section 4). Where W is no power of two, W - P ranks first fold into neighbours
///                     (P = the largest power of two below W) and get the result in a last step.
///   naive             everything to the root in one step, then from the root to all in one step.
class CollectiveSchedule {
public:
    /// `ranks` 1..65536. Fails for hierarchical and auto, which need a topology.
    [[nodiscard]] static Result<CollectiveSchedule> make(Collective collective, AllReduceAlgorithm algorithm,
                                                         int ranks);

    [[nodiscard]] Collective collective() const { return m_collective; }
    [[nodiscard]] AllReduceAlgorithm algorithm() const { return m_algorithm; }
    [[nodiscard]] int ranks() const { return m_ranks; }
    [[nodiscard]] int chunks() const { return m_chunks; }
    [[nodiscard]] int steps() const { return m_steps; }
    /// The transfers of step 0..steps()-1.
    [[nodiscard]] std::vector<Transfer> transfers(int step) const;

private:
    /// A part of the collective: reduce, then broadcast; reduce-scatter, then all-gather; and so on.
    struct Phase {
        Collective kind;
        int steps;
    };
    CollectiveSchedule(Collective collective, AllReduceAlgorithm algorithm, int ranks);

    Collective m_collective;
    AllReduceAlgorithm m_algorithm;
    int m_ranks;
    int m_chunks;
    int m_steps = 0;
    std::vector<Phase> m_phases;
};

/// "all-reduce", "reduce-scatter", ...: the command line's names.
[[nodiscard]] const char* collectiveName(Collective collective);

}  // namespace lockstep
