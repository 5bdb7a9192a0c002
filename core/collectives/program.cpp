#include "collectives/program.h"

#include <algorithm>
#include <cassert>
#include <cstddef>

namespace lockstep {
namespace {

using Op = CollectiveProgram::Op;
using Instruction = CollectiveProgram::Instruction;

/// The sums of one chunk as they form: values below the number of ranks are what that rank began with, the others are
/// sums of two values.
class SumTrace {
public:
    explicit SumTrace(int ranks) : m_held(static_cast<std::size_t>(ranks)) {
        for (std::size_t i = 0; i < m_held.size(); ++i) m_held[i] = i;
    }

    void apply(const Transfer& transfer) {
        std::size_t& held = m_held[static_cast<std::size_t>(transfer.receiver)];
        const std::size_t sent = m_held[static_cast<std::size_t>(transfer.sender)];
        if (transfer.add) m_sums.push_back({held, sent});
        held = transfer.add ? m_held.size() + m_sums.size() - 1 : sent;
    }

    [[nodiscard]] bool allHoldTheSame() const {
        return std::all_of(m_held.begin(), m_held.end(), [&](std::size_t held) { return held == m_held.front(); });
    }

    /// Appends the stack program of the value that all hold; returns the stack it needs.
    int emit(std::vector<Instruction>& program) const { return emit(m_held.front(), program); }

private:
    struct Sum {
        std::size_t left, right;
    };

    [[nodiscard]] bool isRank(std::size_t value) const { return value < m_held.size(); }

    /// Chains as deep as there are ranks are walked in a loop; recursion happens only where both sides are sums, and
    /// then into the one that is no longer, so it is log2 of the ranks deep in trees.
    int emit(std::size_t value, std::vector<Instruction>& program) const {
        std::vector<std::size_t> addedLast;  // right-hand sides along the left spine, outermost first
        while (!isRank(value)) {
            const Sum& sum = m_sums[value - m_held.size()];
            // Addition commutes bit for bit, so the side that is a sum may come first.
            const bool swapped = isRank(sum.left);
            addedLast.push_back(swapped ? sum.left : sum.right);
            value = swapped ? sum.right : sum.left;
        }
        program.push_back({Op::Push, static_cast<std::uint16_t>(value)});
        int depth = 1;
        for (auto added = addedLast.rbegin(); added != addedLast.rend(); ++added) {
            if (isRank(*added)) {
                program.push_back({Op::AddRank, static_cast<std::uint16_t>(*added)});
            } else {
                depth = std::max(depth, 1 + emit(*added, program));
                program.push_back({Op::AddTop, 0});
            }
        }
        return depth;
    }

    std::vector<std::size_t> m_held;  ///< [ranks]
    std::vector<Sum> m_sums;
};

template <class Visit>
void visitChunks(const CollectiveSchedule& schedule, Visit&& visit) {
    for (int step = 0; step < schedule.steps(); ++step)
        for (const Transfer& transfer : schedule.transfers(step))
            for (int i = 0; i < transfer.chunkCount; ++i)
                visit(static_cast<std::size_t>(transfer.firstChunk + i), transfer);
}

}  // namespace

CollectiveProgram::CollectiveProgram(const CollectiveSchedule& schedule) {
    if (schedule.collective() == Collective::AllReduce)
        compileSums(schedule);
    else
        compileTransfers(schedule);
}

std::span<const Instruction> CollectiveProgram::chunk(int chunk) const {
    const std::size_t begin = m_begin[static_cast<std::size_t>(chunk)],
                      end = m_begin[static_cast<std::size_t>(chunk) + 1];
    return std::span(m_instructions).subspan(begin, end - begin);
}

void CollectiveProgram::compileTransfers(const CollectiveSchedule& schedule) {
    std::vector<std::size_t> cursor(static_cast<std::size_t>(schedule.chunks()) + 1);
    visitChunks(schedule, [&](std::size_t chunk, const Transfer&) { ++cursor[chunk + 1]; });
    for (std::size_t i = 1; i < cursor.size(); ++i) cursor[i] += cursor[i - 1];
    m_begin = cursor;
    m_instructions.resize(m_begin.back());
    visitChunks(schedule, [&](std::size_t chunk, const Transfer& transfer) {
        m_instructions[cursor[chunk]++] = {transfer.add ? Op::SendAdd : Op::SendCopy,
                                           static_cast<std::uint16_t>(transfer.sender),
                                           static_cast<std::uint16_t>(transfer.receiver)};
    });
}

void CollectiveProgram::compileSums(const CollectiveSchedule& schedule) {
    std::vector<SumTrace> traces(static_cast<std::size_t>(schedule.chunks()), SumTrace(schedule.ranks()));
    visitChunks(schedule, [&](std::size_t chunk, const Transfer& transfer) { traces[chunk].apply(transfer); });
    m_begin.push_back(0);
    for (const SumTrace& trace : traces) {
        assert(trace.allHoldTheSame());
        m_stackDepth = std::max(m_stackDepth, trace.emit(m_instructions));
        m_begin.push_back(m_instructions.size());
    }
}

}  // namespace lockstep
