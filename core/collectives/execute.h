#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "collectives/program.h"
#include "collectives/schedule.h"

namespace lockstep {

class ThreadPool;

/// What the ranks put on the wire.
struct CollectiveTraffic {
    int steps = 0;
    std::vector<std::uint64_t> bytesSent;      ///< [ranks]
    std::vector<std::uint64_t> bytesReceived;  ///< [ranks]
    [[nodiscard]] std::uint64_t totalBytesSent() const;
};

/// Elements [begin, end) of a chunk; chunks differ by at most one element, and are empty where there are fewer elements
/// than chunks.
struct ElementRange {
    std::size_t begin = 0, end = 0;
};
[[nodiscard]] ElementRange chunkRange(std::size_t elements, int chunks, int chunk);

/// A schedule made ready for float buffers of one length, to be executed any number of times. Messages become data
/// movement in this process: each element is summed in exactly the order in which the schedule's messages would have
/// summed it, block by block so that every buffer is read and written about once. The bits depend on the schedule
/// alone, not on the threads. Preparing takes time and memory in ranks x chunks, so it is meant for up to about 1,024
/// ranks. Immutable: several threads may execute one plan at once.
class CollectivePlan {
public:
    CollectivePlan(const CollectiveSchedule& schedule, std::size_t elements);

    [[nodiscard]] const CollectiveSchedule& schedule() const { return m_schedule; }
    [[nodiscard]] std::size_t elements() const { return m_elements; }
    /// Of one execution.
    [[nodiscard]] const CollectiveTraffic& traffic() const { return m_traffic; }

    /// `buffers` [ranks], each pointing to `elements` floats, not overlapping. `scale` multiplies an all-reduce's sums
    /// (1/N makes them means) and must be 1 for the other collectives. The pool may be null.
    void execute(std::span<float* const> buffers, ThreadPool* pool = nullptr, float scale = 1.0F) const;

    /// Message by message, step by step as listed, without fusing: the definition that execute() is tested against.
    void executeStepwise(std::span<float* const> buffers) const;

private:
    void executeRange(ElementRange range, std::span<float* const> buffers, float scale) const;

    CollectiveSchedule m_schedule;
    std::size_t m_elements;
    CollectiveProgram m_program;
    CollectiveTraffic m_traffic;
};

}  // namespace lockstep
