#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collectives/schedule.h"

namespace lockstep {

/// A schedule from the point of view of one element: what happens to it, chunk by chunk. An all-reduce becomes a stack
/// program that sums the ranks' values in the schedule's order, with the one result for all ranks; every other
/// collective the list of its transfers.
class CollectiveProgram {
public:
    enum class Op : std::uint8_t {
        Push,      ///< the rank's values onto the stack
        AddRank,   ///< the rank's values to the top of the stack
        AddTop,    ///< the top of the stack to the one below
        SendAdd,   ///< the rank's values to the receiver's
        SendCopy,  ///< the rank's values over the receiver's
    };
    struct Instruction {
        Op op;
        std::uint16_t rank;
        std::uint16_t receiver = 0;
    };

    /// Up to 65,536 ranks; its size is one instruction for each rank (or transfer) and chunk.
    explicit CollectiveProgram(const CollectiveSchedule& schedule);

    /// Whether chunks are stack programs.
    [[nodiscard]] bool sums() const { return m_stackDepth > 0; }
    [[nodiscard]] int stackDepth() const { return m_stackDepth; }
    [[nodiscard]] std::span<const Instruction> chunk(int chunk) const;

private:
    void compileTransfers(const CollectiveSchedule& schedule);
    void compileSums(const CollectiveSchedule& schedule);

    int m_stackDepth = 0;
    std::vector<Instruction> m_instructions;
    std::vector<std::size_t> m_begin;  ///< [chunks + 1]
};

}  // namespace lockstep
