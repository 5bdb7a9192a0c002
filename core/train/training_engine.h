#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "data/dataset.h"
#include "experiment/experiment.h"
#include "train/checkpoint.h"
#include "train/cluster_health.h"
#include "train/evaluator.h"
#include "train/exchange.h"
#include "train/gradient_engine.h"
#include "train/run_plan.h"
#include "train/snapshot.h"
#include "train/synchronization.h"
#include "train/training_meters.h"

namespace lockstep {

/// The whole of one training run without threads, clocks or controls of its own: replicas, data, strategy and meters.
/// A pure state machine: what a step does depends on the experiment and the data alone.
class TrainingEngine {
public:
    /// Halted: nothing can go on before a machine is revived.
    enum class Advance { Stepped, Stopped, Diverged, Halted };
    enum class FaultEffect { None, Restart };

    /// Fails as planRun and buildNetwork do. Returns null when stopped. The pool outlives the engine. `pace` is that of
    /// the input pipelines, for whoever wants to change it meanwhile; null: the experiment's.
    [[nodiscard]] static Result<std::unique_ptr<TrainingEngine>> make(const Experiment& experiment,
                                                                      const TrainTest& data, ThreadPool& pool,
                                                                      std::stop_token stop = {},
                                                                      std::shared_ptr<LoadingPace> pace = nullptr);
    ~TrainingEngine();

    [[nodiscard]] const RunPlan& plan() const { return m_plan; }
    [[nodiscard]] long long step() const { return m_step; }
    [[nodiscard]] double epoch() const {
        return m_begun.epoch + static_cast<double>(m_step - m_begun.step) / m_plan.stepsPerEpoch;
    }
    /// Behind all updates so far.
    [[nodiscard]] long long samplesSeen() const;
    [[nodiscard]] double bytesSent() const { return m_begun.bytesSent + m_exchange->traffic().sent(); }
    [[nodiscard]] bool finished() const { return m_step >= m_begun.step + m_plan.totalSteps; }
    /// The modelled clock in iterations of the cluster model (Prediction::iterationTime_s).
    [[nodiscard]] double modelledIterations() const { return m_time / m_timePerIteration; }
    /// The base rate from the next update on.
    void setLearningRate(double baseRate);
    /// All are on at first.
    void setMeters(const Meters& meters);
    /// Of the update that would come next.
    [[nodiscard]] double learningRate() const;

    /// Events in the order of modelled time, up to the next completed step. After Diverged nothing more can be
    /// advanced.
    Advance advance(std::stop_token stop);

    /// One line when there is no such machine.
    [[nodiscard]] Result<void> check(const Fault& fault) const;
    /// Between two steps, or while halted. Restart: what was lost was part of every worker's run, so all of them must
    /// begin again from a checkpoint (restart), or from the beginning. Fails as check does.
    [[nodiscard]] Result<FaultEffect> apply(const Fault& fault);
    /// A machine is dead that everybody needs: there is nothing whole to save until all have begun again.
    [[nodiscard]] bool restartDue() const { return m_restartDue; }
    [[nodiscard]] const ClusterHealth& health() const { return m_health; }
    /// Lets the modelled clock go on while halted.
    void waitUntil(double modelledIterations);

    /// Everything that later steps depend on. Between two steps.
    [[nodiscard]] std::shared_ptr<const Checkpoint> save(const Snapshot& last);
    [[nodiscard]] double checkpointBytes();
    /// Goes on exactly where the checkpoint was made; it comes from an experiment that trains the same.
    void restore(const Checkpoint& checkpoint);
    /// Goes back to the checkpoint, machines staying as they are now.
    void restart(const Checkpoint& checkpoint);
    /// Machines are as they are in another engine.
    void takeOver(const ClusterHealth& health);
    /// Begins with what a checkpoint of another experiment has learnt: parameters, the optimizer's state where the rule
    /// is the same, steps and epochs done. Fails when its network is another one. Before the first step.
    [[nodiscard]] Result<void> adopt(const Checkpoint& checkpoint);

    /// What training has shown since the last call: loss, training accuracy, staleness; and counts, rate, noise scale.
    void takeProgress(Snapshot& snapshot);
    /// What loading amounted to since the last call.
    [[nodiscard]] LoadingReport takeLoading() { return m_gradients->takeLoading(); }
    /// Distances between replicas and their places, for a snapshot with its progress. Exactly zero, and free, where
    /// replicas are identical by construction. When stopped, those of the measurement before.
    void measureDivergence(Snapshot& snapshot, std::stop_token stop);
    /// Test figures. Replicas that differ are tested on fewer images the more they are (kReplicaTests in all), at the
    /// end of a run on more. When stopped, leaves the snapshot as it was.
    void test(Snapshot& snapshot, bool atEnd, std::stop_token stop);

    /// Of the servers' parameters or of replica 0, and of each replica.
    [[nodiscard]] std::uint64_t modelHash();
    [[nodiscard]] std::vector<std::uint64_t> replicaHashes();
    /// The servers' parameters, or replica 0.
    [[nodiscard]] FloatVector model();
    [[nodiscard]] std::span<const Worker> workers() const { return m_workers; }

private:
    TrainingEngine(const Experiment& experiment, const RunPlan& plan, Network network, TrainingImages train,
                   TrainingImages test, Partition partition, std::shared_ptr<LoadingPace> pace, ThreadPool& pool);

    void createReplicas();
    void initialize(std::span<float> replica, int rank) const;
    void createExchange();
    [[nodiscard]] ServerGroup::Settings updateSettings() const;
    [[nodiscard]] std::vector<IndexRange> layers() const;
    [[nodiscard]] std::vector<GradientCompression> compressions() const;
    [[nodiscard]] GradientEngine::Settings gradientSettings() const;
    [[nodiscard]] std::vector<std::span<const float>> replicas() const;
    [[nodiscard]] std::vector<std::span<const float>> trainedParts() const;
    [[nodiscard]] std::optional<FloatVector> averageModel(std::stop_token stop) const;
    void record(const Worker& worker);
    void addTransfersAndTimes(Snapshot& snapshot);
    void testReplicas(Snapshot& snapshot, bool atEnd, std::stop_token stop);
    [[nodiscard]] bool halted() const;
    void setWorkerHealth(int rank, const MachineHealth& next);
    void setServerHealth(std::size_t server, const MachineHealth& next);
    void archive(StateArchive& archive);

    /// Where a run that goes on from another one began.
    struct Begun {
        long long step = 0;
        double epoch = 0;
        double bytesSent = 0;
    };

    Experiment m_experiment;
    RunPlan m_plan;
    Begun m_begun;
    ClusterHealth m_health;
    bool m_restartDue = false;  ///< a machine is dead without which nobody can go on
    Network m_network;
    TrainingImages m_train, m_test;
    Partition m_partition;  ///< m_gradients' own, once it is there
    std::shared_ptr<LoadingPace> m_pace;
    ThreadPool& m_pool;
    // In one piece each: a few hundred vectors of their own take long to come and go.
    FloatVector m_replicaMemory, m_gradientMemory;
    std::vector<std::span<float>> m_replicas;  ///< one for each worker, or one for all
    std::vector<Worker> m_workers;
    std::unique_ptr<GradientEngine> m_gradients;
    std::unique_ptr<Exchange> m_exchange;
    ServerExchange* m_servers = nullptr;  ///< m_exchange, when it is one
    ArrivalQueue m_queue;
    double m_timePerIteration;  ///< of the queue's time
    TrainingMeters m_meters;
    Evaluator m_evaluator;
    std::unique_ptr<Synchronization> m_synchronization;

    struct Window {
        double lossSum = 0;  ///< over samples
        long long samples = 0, correct = 0;
    };
    long long m_step = 0, m_samplesSeen = 0;
    double m_time = 0;         ///< the queue's
    bool m_unsettled = false;  ///< arrivals of m_time were handed over, settled() not yet called
    Window m_window;
    bool m_timed = true;
    std::vector<ReplicaState> m_states;  ///< one for each worker
};

}  // namespace lockstep
