#pragma once

#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "base/random.h"
#include "experiment/experiment.h"

namespace lockstep {

/// A worker has finished computing at this modelled time.
struct Arrival {
    double time = 0;  ///< in mean iterations of an unhindered worker
    int rank = 0;
};

/// The event queue of a run: who finishes when on the described cluster. A worker's iteration takes 1, times its
/// slowdown (cluster.straggler_count slow workers are the last ranks; node overrides name nodes), times
/// 1 + compute_jitter * a normal number from the worker's own stream, at least a twentieth. So the order does not
/// depend on this computer. Of equal times the lower rank comes first, counted from a rotating start (rotateTies).
class ArrivalQueue {
public:
    ArrivalQueue(const Experiment& experiment, int workers);

    /// What the cluster model calls one iteration, without jitter: that of the slowest worker that is waited for, or,
    /// where nobody waits, that of the average one.
    [[nodiscard]] double timePerIteration(const TrainingSettings& training) const;

    /// The worker starts an iteration at `time`.
    void begin(int rank, double time);
    [[nodiscard]] bool empty() const { return m_arrivals.empty(); }
    [[nodiscard]] Arrival next() const;
    Arrival pop();
    /// How long the worker has stood between the end of an iteration and the begin of its next one, up to `now`.
    [[nodiscard]] double waited(int rank, double now) const;
    /// What is under way is abandoned (backup workers).
    void clear() { m_arrivals.clear(); }
    /// Lets another rank come first among equals. Only while the queue is empty.
    void rotateTies(long long turn);

private:
    double duration(int rank);

    double m_jitter;
    int m_first = 0;
    std::vector<double> m_slowdown;
    std::vector<RandomStream> m_streams;
    struct Standstill {
        double sum = 0;
        std::optional<double> since{};  ///< while it stands
    };
    std::vector<Standstill> m_standstills;              ///< by rank
    std::set<std::tuple<double, int, int>> m_arrivals;  // time, turn, rank
};

}  // namespace lockstep
