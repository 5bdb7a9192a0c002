#pragma once

#include <vector>

#include "train/parameter_shard.h"
#include "train/synchronization.h"

namespace lockstep {

/// Every worker updates its own replica. With localSteps H > 0, local SGD (Stich, ICLR 2019): after each H updates all
/// take the mean of their parameters and of their optimizers' state. With 0 they never hear of each other. A step is
/// one update of every worker that is up; the mean waits for those that are not. A worker that was paused meanwhile
/// gives up the iteration it was in and takes part with what it has.
class LocalUpdates : public Synchronization {
public:
    LocalUpdates(const SynchronizationContext& context, int localSteps);

    void begin() override;
    bool arrived(const Arrival& arrival, double rate) override;
    /// The new worker begins with the servers' parameters (local SGD) or as the lost one began.
    void workerBack(int rank, double time) override;
    void workerResumed(int rank, double time) override;
    void serversResumed(double time) override;
    [[nodiscard]] bool replicasIdentical() const override { return m_context.workers.size() == 1; }
    [[nodiscard]] bool hasModel() const override { return replicasIdentical(); }
    void readModel(std::span<float> parameters) const override;
    void readOptimizer(std::span<float> first, std::span<float> second) const override;
    void writeOptimizer(std::span<const float> first, std::span<const float> second) override;
    void archive(StateArchive& archive) override;

private:
    [[nodiscard]] ParameterShard newShard() const;
    [[nodiscard]] bool allUpArrived() const;
    void update(const std::vector<int>& ranks, double rate);
    void goOn(double time);
    void averageAll();

    int m_localSteps;
    std::vector<ParameterShard> m_shards;  ///< one for each worker, each of the whole vector
    std::vector<char> m_arrived;           ///< whether a worker has, in this step
    bool m_averagingDue = false;
};

}  // namespace lockstep
