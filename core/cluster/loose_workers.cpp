#include "cluster/loose_workers.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

namespace lockstep {

namespace {

constexpr int kEvents = 2000, kWarmEvents = kEvents / 2;
/// Once the lead is gained it does not matter how large it is; a small one is gained within the warm-up.
constexpr int kMostLead = 3;

enum Phase { Load, PullDelay, Pull, Compute, PushDelay, Push, Sum, Wait, kPhases };

/// Where a kind of worker is at a moment.
struct Mark {
    double now_s = 0, loops = 0;
    std::array<double, kPhases> spent_s{};
};

WorkerLoop between(const Mark& from, const Mark& to) {
    const double loops = to.loops - from.loops;
    const auto spent_s = [&](Phase phase) {
        const auto index = static_cast<std::size_t>(phase);
        return (to.spent_s[index] - from.spent_s[index]) / loops;
    };
    return {.pull_s = spent_s(PullDelay) + spent_s(Pull),
            .push_s = spent_s(PushDelay) + spent_s(Push),
            .sum_s = spent_s(Sum),
            .loopsPerS = loops / (to.now_s - from.now_s)};
}

/// One kind of worker. `left` is the share of its phase that is still to do.
struct Kind {
    int count = 0;
    std::array<double, kPhases> alone_s{};  ///< durations with nobody else about
    std::array<double, kPhases> spent_s{};
    Mark warm, firstStart, lastStart;  ///< after the warm-up
    int phase = Load;
    double left = 1, loops = 0;
    double clock = 0;        ///< of the iteration that it is in, or waits to begin
    double nextBatch_s = 0;  ///< earliest start of the next loop

    /// Loops done, with what is done of the present one.
    [[nodiscard]] double progress() const {
        const double whole = std::accumulate(alone_s.begin(), alone_s.end(), 0.0);
        const auto present = static_cast<std::size_t>(phase);
        const double done = std::accumulate(alone_s.begin(), alone_s.begin() + phase, 0.0);
        return loops + (done + (1 - left) * alone_s[present]) / whole;
    }
};

class Simulation {
public:
    explicit Simulation(const LooseWorkers& workers)
        : m_workers(workers), m_bound(std::min(workers.stalenessBound, kMostLead)) {
        m_kinds[0].count = workers.network.workers - workers.slow;
        m_kinds[1].count = workers.slow;
        for (Kind& kind : m_kinds) {
            const bool slow = &kind == &m_kinds[1];
            kind.alone_s[Load] = workers.loadsAhead ? 0 : workers.load_s;
            kind.alone_s[PullDelay] = kind.alone_s[PushDelay] = serverExchange(workers.network, 1, 1).latency_s;
            kind.alone_s[Pull] = transfer_s(workers.pullBytes, kind.count);
            kind.alone_s[Push] = transfer_s(workers.pushBytes, kind.count);
            kind.alone_s[Compute] = slow ? workers.slowCompute_s : workers.fastCompute_s;
            kind.alone_s[Sum] = workers.sum_s * kind.count;
        }
        m_pullTogether_s = transfer_s(workers.pullBytes, workers.network.workers);
        m_pushTogether_s = transfer_s(workers.pushBytes, workers.network.workers);
        for (Kind& kind : m_kinds) passEmptyPhases(kind);
    }

    LooseLoops run() {
        for (int event = 0; event < kWarmEvents; ++event) advance();
        for (Kind& kind : m_kinds) {
            kind.warm = mark(kind, kind.progress());
            kind.firstStart = {};
        }
        for (int event = kWarmEvents; event < kEvents; ++event) advance();
        return {loopOf(m_kinds[0]), loopOf(m_kinds[1])};
    }

private:
    [[nodiscard]] Mark mark(const Kind& kind, double loops) const { return {m_now_s, loops, kind.spent_s}; }

    /// Whole loops where there are any.
    [[nodiscard]] WorkerLoop loopOf(const Kind& kind) const {
        constexpr double kHardlyAny = 1e-9;
        const bool whole = kind.firstStart.loops > 0 && kind.lastStart.loops > kind.firstStart.loops;
        if (whole) return between(kind.firstStart, kind.lastStart);
        if (kind.progress() - kind.warm.loops > kHardlyAny) return between(kind.warm, mark(kind, kind.progress()));
        return {.pull_s = kind.alone_s[PullDelay] + kind.alone_s[Pull],
                .push_s = kind.alone_s[PushDelay] + kind.alone_s[Push],
                .sum_s = kind.alone_s[Sum],
                .loopsPerS = 1 / std::accumulate(kind.alone_s.begin(), kind.alone_s.end(), 0.0)};
    }

    [[nodiscard]] double transfer_s(double bytes, int senders) const {
        return serverExchange(m_workers.network, bytes, senders).transfer_s;
    }

    /// Seconds that the kind's phase takes from begin to end if everybody goes on as now.
    [[nodiscard]] double duration_s(const Kind& kind) const {
        const Kind& other = &kind == &m_kinds[0] ? m_kinds[1] : m_kinds[0];
        const bool otherTransfers = other.phase == Pull || other.phase == Push;
        const bool shared = other.phase == kind.phase || (m_workers.network.coLocated && otherTransfers);
        if (kind.phase == Pull && shared) return m_pullTogether_s;
        if (kind.phase == Push && shared) return m_pushTogether_s;
        if (kind.phase == Sum && shared) return m_workers.sum_s * m_workers.network.workers;
        return kind.alone_s[static_cast<std::size_t>(kind.phase)];
    }

    [[nodiscard]] bool mayStart(const Kind& kind) const {
        const double version = std::min(m_kinds[0].clock, m_kinds[1].clock);
        const bool inBound = m_bound < 0 || version >= kind.clock - m_bound;
        return inBound && m_now_s >= kind.nextBatch_s;
    }

    [[nodiscard]] double remaining_s(const Kind& kind) const {
        if (kind.phase != Wait) return kind.left * duration_s(kind);
        return kind.nextBatch_s > m_now_s ? kind.nextBatch_s - m_now_s : std::numeric_limits<double>::infinity();
    }

    void advance() {
        const std::array<double, 2> remaining{remaining_s(m_kinds[0]), remaining_s(m_kinds[1])};
        const double step_s = std::min(remaining[0], remaining[1]);
        m_now_s += step_s;
        for (std::size_t i = 0; i < 2; ++i) {
            Kind& kind = m_kinds[i];
            kind.spent_s[static_cast<std::size_t>(kind.phase)] += step_s;
            if (kind.phase != Wait) kind.left = remaining[i] > step_s ? kind.left * (1 - step_s / remaining[i]) : 0;
        }
        for (Kind& kind : m_kinds) passEmptyPhases(kind);
        for (Kind& kind : m_kinds)
            if (kind.phase == Wait && mayStart(kind)) start(kind);
    }

    void passEmptyPhases(Kind& kind) {
        while (kind.phase != Wait && (kind.left <= 0 || kind.alone_s[static_cast<std::size_t>(kind.phase)] <= 0)) {
            if (kind.phase == Push) ++kind.clock;
            ++kind.phase;
            kind.left = 1;
        }
    }

    void start(Kind& kind) {
        ++kind.loops;
        kind.lastStart = mark(kind, kind.loops);
        if (kind.firstStart.loops == 0) kind.firstStart = kind.lastStart;
        kind.phase = Load;
        if (m_workers.loadsAhead) kind.nextBatch_s = m_now_s + m_workers.load_s;
        passEmptyPhases(kind);
    }

    const LooseWorkers& m_workers;
    int m_bound;
    std::array<Kind, 2> m_kinds;
    double m_pullTogether_s = 0, m_pushTogether_s = 0;
    double m_now_s = 0;
};

}  // namespace

LooseLoops looseLoops(const LooseWorkers& workers) { return Simulation(workers).run(); }

}  // namespace lockstep
