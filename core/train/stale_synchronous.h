#pragma once

#include <map>

#include "nn/float_vector.h"
#include "train/exchange.h"
#include "train/synchronization.h"

namespace lockstep {

/// Stale-synchronous parallel (Ho et al., NeurIPS 2013): a worker at clock c computes with parameters of a version >=
/// c - bound, or waits. The servers hold back the gradients of a clock until all have come and then apply their mean
/// once, in rank order: version c + 1. Bound 0 is bulk-synchronous bit for bit. Workers that finish at the same
/// modelled time all push before any of them pulls.
class StaleSynchronous : public Synchronization {
public:
    StaleSynchronous(const SynchronizationContext& context, ServerExchange& servers, int bound);

    bool arrived(const Arrival& arrival, double rate) override;
    void settled(double time) override;
    /// Does again what was lost, with the newest parameters.
    void workerBack(int rank, double time) override;
    [[nodiscard]] bool replicasIdentical() const override { return m_context.workers.size() == 1; }
    [[nodiscard]] bool hasModel() const override { return true; }
    void readModel(std::span<float> parameters) const override { m_servers.read(parameters); }
    void archive(StateArchive& archive) override;
    void continueFrom(long long updates) override;

private:
    /// What one worker pushed for a clock.
    struct Pushed {
        FloatVector gradient;
        long long samples = 0;
        long long version = 0;  ///< of the parameters it was computed with
    };
    struct Progress {
        long long clock = 0;    ///< of the iteration it is in, or waits to begin
        long long version = 0;  ///< of the parameters it holds
        bool waiting = false;
    };

    void hold(Worker& worker);
    bool applyOldestClock(double rate);

    ServerExchange& m_servers;
    long long m_bound;
    std::vector<Progress> m_progress;
    std::map<long long, std::map<int, Pushed>> m_clocks;  ///< by clock, then by rank
    std::vector<FloatVector> m_spare;                     ///< gradient buffers to use again
};

}  // namespace lockstep
