#pragma once

#include <memory>
#include <span>
#include <vector>

#include "experiment/experiment.h"
#include "train/arrival_queue.h"
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

    /// Whether all replicas hold the same bits, by construction.
    [[nodiscard]] virtual bool replicasIdentical() const = 0;
    /// Whether there is one model apart from the replicas' average: then readModel gives it.
    [[nodiscard]] virtual bool hasModel() const = 0;
    virtual void readModel(std::span<float> parameters) const = 0;

    [[nodiscard]] AppliedGradients takeApplied();

protected:
    void start(int rank, double time);
    void startAll(double time);

    SynchronizationContext m_context;
    AppliedGradients m_applied;
};

/// The strategy of an experiment. Its key combinations have been checked (checkRun).
[[nodiscard]] std::unique_ptr<Synchronization> makeSynchronization(const Experiment& experiment,
                                                                   const SynchronizationContext& context);

}  // namespace lockstep
