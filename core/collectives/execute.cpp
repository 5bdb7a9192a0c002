#include "collectives/execute.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <numeric>

#include "base/thread_pool.h"

namespace lockstep {
namespace {

using Op = CollectiveProgram::Op;
using Instruction = CollectiveProgram::Instruction;

/// Elements worked on at a time: few enough that the block of every rank stays in a core's cache between being read and
/// being written, enough that streams from memory are long.
constexpr std::size_t kCachedBytes = 256 << 10;
constexpr std::size_t kSmallestBlock = 256, kLargestBlock = 2048;
/// Below this many bytes of all ranks together, waking a thread takes longer than the work.
constexpr std::size_t kSmallestSharedBytes = 64 << 10;
/// Tasks a thread, so that one that starts late still finishes with the others.
constexpr std::size_t kTasksPerThread = 8;

std::size_t blockElements(std::size_t ranks) {
    return std::clamp(kCachedBytes / (ranks * sizeof(float)), kSmallestBlock, kLargestBlock);
}

void add(float* __restrict sum, const float* __restrict a, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) sum[i] += a[i];
}

void add4(float* __restrict sum, std::span<const float* const> s, std::size_t count) {
    const float* __restrict a = s[0], * __restrict b = s[1], * __restrict c = s[2], * __restrict d = s[3];
    for (std::size_t i = 0; i < count; ++i) sum[i] = (((sum[i] + a[i]) + b[i]) + c[i]) + d[i];
}

void scaleBy(float* values, float scale, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) values[i] *= scale;
}

/// One block: `count` elements from `offset` on, of every rank.
struct Block {
    std::span<float* const> buffers;
    std::size_t offset;
    std::size_t count;

    [[nodiscard]] float* rank(std::size_t index) const { return buffers[index] + offset; }
};

/// Runs the stack program; the sum is then in stack[0 .. count). Four ranks at a time are added in registers, one after
/// another as the program says.
void sumBlock(std::span<const Instruction> program, const Block& block, std::vector<float>& stack) {
    float* top = stack.data();
    bool empty = true;
    for (std::size_t i = 0; i < program.size();) {
        const Instruction& next = program[i];
        if (next.op == Op::Push) {
            if (!empty) top += kLargestBlock;
            empty = false;
            std::memcpy(top, block.rank(next.rank), block.count * sizeof(float));
            ++i;
        } else if (next.op == Op::AddTop) {
            add(top - kLargestBlock, top, block.count);
            top -= kLargestBlock;
            ++i;
        } else {
            std::array<const float*, 4> sources{};
            std::size_t found = 0;
            while (found < 4 && i + found < program.size() && program[i + found].op == Op::AddRank) {
                sources[found] = block.rank(program[i + found].rank);
                ++found;
            }
            if (found == 4)
                add4(top, sources, block.count);
            else
                for (std::size_t k = 0; k < found; ++k) add(top, sources[k], block.count);
            i += found;
        }
    }
}

void moveBlock(std::span<const Instruction> program, const Block& block) {
    for (const Instruction& next : program) {
        if (next.op == Op::SendAdd)
            add(block.rank(next.receiver), block.rank(next.rank), block.count);
        else
            std::memcpy(block.rank(next.receiver), block.rank(next.rank), block.count * sizeof(float));
    }
}

int chunkOf(std::size_t elements, int chunks, std::size_t element) {
    int low = 0, high = chunks - 1;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (chunkRange(elements, chunks, middle).end > element)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

CollectiveTraffic countTraffic(const CollectiveSchedule& schedule, std::size_t elements) {
    const std::size_t ranks = static_cast<std::size_t>(schedule.ranks());
    CollectiveTraffic traffic{schedule.steps(), std::vector<std::uint64_t>(ranks), std::vector<std::uint64_t>(ranks)};
    for (int step = 0; step < schedule.steps(); ++step)
        for (const Transfer& transfer : schedule.transfers(step)) {
            const int last = transfer.firstChunk + transfer.chunkCount - 1;
            const std::uint64_t bytes =
                sizeof(float) * (chunkRange(elements, schedule.chunks(), last).end -
                                 chunkRange(elements, schedule.chunks(), transfer.firstChunk).begin);
            traffic.bytesSent[static_cast<std::size_t>(transfer.sender)] += bytes;
            traffic.bytesReceived[static_cast<std::size_t>(transfer.receiver)] += bytes;
        }
    return traffic;
}

}  // namespace

std::uint64_t CollectiveTraffic::totalBytesSent() const {
    return std::accumulate(bytesSent.begin(), bytesSent.end(), std::uint64_t{0});
}

ElementRange chunkRange(std::size_t elements, int chunks, int chunk) {
    const std::size_t count = static_cast<std::size_t>(chunks), index = static_cast<std::size_t>(chunk);
    return {elements * index / count, elements * (index + 1) / count};
}

CollectivePlan::CollectivePlan(const CollectiveSchedule& schedule, std::size_t elements)
    : m_schedule(schedule), m_elements(elements), m_program(schedule), m_traffic(countTraffic(schedule, elements)) {}

void CollectivePlan::execute(std::span<float* const> buffers, ThreadPool* pool, float scale) const {
    assert(buffers.size() == static_cast<std::size_t>(m_schedule.ranks()));
    assert(scale == 1.0F || m_program.sums());
    const std::size_t threads = pool ? static_cast<std::size_t>(pool->threadCount()) : 1;
    if (threads == 1 || m_elements * sizeof(float) * buffers.size() < kSmallestSharedBytes)
        return executeRange({0, m_elements}, buffers, scale);
    // Elements are independent of each other, so any cut gives the same bits.
    const std::size_t block = blockElements(buffers.size());
    const std::size_t blocks = (m_elements + block - 1) / block;
    const std::size_t tasks = std::min(blocks, threads * kTasksPerThread);
    pool->parallelFor(tasks, [&](std::size_t task, int) {
        const std::size_t begin = blocks * task / tasks * block, end = blocks * (task + 1) / tasks * block;
        executeRange({begin, std::min(end, m_elements)}, buffers, scale);
    });
}

void CollectivePlan::executeRange(ElementRange range, std::span<float* const> buffers, float scale) const {
    if (range.begin == range.end) return;
    const std::size_t largest = blockElements(buffers.size());
    std::vector<float> stack(static_cast<std::size_t>(m_program.stackDepth()) * kLargestBlock);
    int chunk = chunkOf(m_elements, m_schedule.chunks(), range.begin);
    for (std::size_t offset = range.begin; offset < range.end;) {
        while (chunkRange(m_elements, m_schedule.chunks(), chunk).end <= offset) ++chunk;
        const std::size_t end = std::min(range.end, chunkRange(m_elements, m_schedule.chunks(), chunk).end);
        const Block block{buffers, offset, std::min(largest, end - offset)};
        if (m_program.sums()) {
            sumBlock(m_program.chunk(chunk), block, stack);
            if (scale != 1.0F) scaleBy(stack.data(), scale, block.count);
            for (std::size_t rank = 0; rank < buffers.size(); ++rank)
                std::memcpy(block.rank(rank), stack.data(), block.count * sizeof(float));
        } else {
            moveBlock(m_program.chunk(chunk), block);
        }
        offset += block.count;
    }
}

void CollectivePlan::executeStepwise(std::span<float* const> buffers) const {
    assert(buffers.size() == static_cast<std::size_t>(m_schedule.ranks()));
    for (int step = 0; step < m_schedule.steps(); ++step)
        for (const Transfer& transfer : m_schedule.transfers(step)) {
            const int last = transfer.firstChunk + transfer.chunkCount - 1;
            const std::size_t begin = chunkRange(m_elements, m_schedule.chunks(), transfer.firstChunk).begin;
            const std::size_t count = chunkRange(m_elements, m_schedule.chunks(), last).end - begin;
            float* receiver = buffers[static_cast<std::size_t>(transfer.receiver)] + begin;
            const float* sender = buffers[static_cast<std::size_t>(transfer.sender)] + begin;
            for (std::size_t i = 0; i < count; ++i) receiver[i] = transfer.add ? receiver[i] + sender[i] : sender[i];
        }
}

}  // namespace lockstep
