#pragma once

#include <compare>
#include <set>
#include <vector>

#include "base/random.h"
#include "base/state_archive.h"
#include "experiment/experiment.h"

namespace lockstep {

/// A worker has finished an iteration at this modelled time.
struct Arrival {
    double time = 0;  ///< in mean iterations of an unhindered worker
    int rank = 0;
};

/// The event queue of a run: who finishes when on the described cluster, whatever this computer does. An iteration of
/// an unhindered worker takes 1, of which `computeShare` is arithmetic and the rest transfer. Slow workers
/// (cluster.straggler_count: the last ranks; node overrides name nodes) and jitter (1 + compute_jitter * a normal
/// number from the worker's own stream, at least a twentieth) stretch the arithmetic; slow servers stretch the
/// transfer. Of equal times the lower rank comes first, counted from a rotating start (rotateTies).
class ArrivalQueue {
public:
    /// `computeShare` in 0..1.
    ArrivalQueue(const Experiment& experiment, int workers, double computeShare);

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
    void clear();
    /// The worker's iteration is abandoned.
    void drop(int rank);
    /// Lets another rank come first among equals. Only while the queue is empty.
    void rotateTies(long long turn);
    /// Whether the worker has begun an iteration that has not arrived.
    [[nodiscard]] bool underWay(int rank) const;

    /// A worker that stands still from now on: what it has begun, and what it begins, arrives only when it goes on.
    void pause(int rank, double time);
    void resume(int rank, double time);
    /// From `time` on, also for what is left of the iterations under way. Factors multiply those of the experiment.
    void slowWorker(int rank, double factor, double time);
    void slowTransfers(double factor, double time);
    /// Nothing arrives before `time`.
    void postpone(double time);

    void archive(StateArchive& archive);

private:
    double duration(int rank);
    void enter(int rank, double time);
    /// Of an iteration without jitter.
    [[nodiscard]] double plainDuration(int rank) const;
    /// What is left of the worker's iteration takes so many times as long.
    void stretch(int rank, double factor, double time);

    /// What became of a worker beside its plan.
    struct Hindrance {
        double factor = 1;
        bool paused = false, holds = false;
        double remaining = 0;  ///< of the iteration that it holds
    };

    struct Entry {
        double time = 0;
        int turn = 0, rank = 0;
        auto operator<=>(const Entry&) const = default;
    };

    double m_jitter, m_computeShare, m_transferFactor = 1;
    int m_first = 0;
    std::vector<double> m_slowdown;
    std::vector<Hindrance> m_hindrances;
    std::vector<RandomStream> m_streams;
    struct Standstill {
        double sum = 0;
        bool standing = false;
        double since = 0;  ///< while it stands
    };
    std::vector<Standstill> m_standstills;  ///< by rank
    std::set<Entry> m_arrivals;
};

}  // namespace lockstep
