#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/state_archive.h"
#include "experiment/experiment.h"
#include "train/arrival_queue.h"
#include "train/cluster_health.h"
#include "train/noise_scale_meter.h"
#include "train/parameter_server.h"
#include "train/worker.h"

namespace lockstep {

class Exchange;
class ServerExchange;

/// What a strategy works with; outlives it.
struct SynchronizationContext {
    std::span<Worker> workers;  ///< by rank
    ArrivalQueue& queue;
    ThreadPool& pool;
    Exchange& exchange;       ///< all-reduce or parameter servers
    ServerExchange* servers;  ///< the same when it is parameter servers, otherwise null
    NoiseScaleMeter& noiseScale;
    ServerGroup::Settings update;  ///< for strategies in which workers update their replicas themselves
    const ClusterHealth& health;
    std::function<void(std::span<float>, int)> initialize;  ///< a replica, as that of this rank began
};

/// The gradients that were applied since this was last taken.
struct AppliedGradients {
    long long gradients = 0, samples = 0;
    long long stalenessSum = 0, stalenessMax = 0;  ///< updates between a gradient's pull and its application

    void add(long long samplesOfGradient, long long staleness);
};

/// One way of keeping replicas together. The run's event loop hands it arrivals ordered by modelled time; it decides
/// what happens to the gradient and which workers start their next iteration, with which parameters. The gradient of
/// an arrival is complete; a worker that has started must keep its parameters until it arrives.
class Synchronization {
public:
    explicit Synchronization(const SynchronizationContext& context) : m_context(context) {}
    virtual ~Synchronization() = default;
    Synchronization(const Synchronization&) = delete;
    Synchronization& operator=(const Synchronization&) = delete;

    /// All workers start at time 0.
    virtual void begin();
    /// A worker has finished. True when this completed a step: an update of the model, or of every replica for
    /// strategies that update locally. `rate` is the learning rate of that update.
    virtual bool arrived(const Arrival& arrival, double rate) = 0;
    /// No further arrival has this time: called before the clock moves on.
    virtual void settled(double /*time*/) {}

    /// A worker's faults. They come between two steps or while nothing can arrive, `health` tells of them already.
    /// What a lost worker was at and held is gone; back is a new machine in its place, which catches up as it can.
    virtual void workerLost(int rank);
    virtual void workerBack(int rank, double time) = 0;
    virtual void workerResumed(int rank, double time);
    /// All servers are up again.
    virtual void serversResumed(double /*time*/) {}

    /// Whether all replicas hold the same bits, by construction.
    [[nodiscard]] virtual bool replicasIdentical() const = 0;
    /// Whether there is one model apart from the replicas' average: then readModel gives it.
    [[nodiscard]] virtual bool hasModel() const = 0;
    virtual void readModel(std::span<float> parameters) const = 0;
    [[nodiscard]] long long updates() const { return m_updates; }
    /// For a run that begins with what another has learnt; before the first step.
    virtual void continueFrom(long long updates) { m_updates = updates; }

    [[nodiscard]] AppliedGradients takeApplied();
    /// Samples behind them.
    [[nodiscard]] long long appliedSamples() const { return m_applied.samples; }

    /// The optimizer's state over the whole vector, where there is any: for runs that go on with other settings.
    virtual void readOptimizer(std::span<float> first, std::span<float> second) const;
    virtual void writeOptimizer(std::span<const float> first, std::span<const float> second);
    /// Between two steps. Derived classes call this one first.
    virtual void archive(StateArchive& archive);

protected:
    /// Dead workers do not start.
    void start(int rank, double time);
    void startAll(double time);

    SynchronizationContext m_context;
    AppliedGradients m_applied;
    long long m_updates = 0;  ///< of the model, or of each replica
};

/// The strategy of an experiment. Its key combinations have been checked (checkRun).
[[nodiscard]] std::unique_ptr<Synchronization> makeSynchronization(const Experiment& experiment,
                                                                   const SynchronizationContext& context);

}  // namespace lockstep
