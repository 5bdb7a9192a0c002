#pragma once

#include "train/parameter_shard.h"
#include "train/synchronization.h"

namespace lockstep {

/// Every worker updates its own replica. With localSteps H > 0, local SGD (Stich, ICLR 2019): after each H updates all
/// take the mean of their parameters and of their optimizers' state. With 0 they never hear of each other. A step is
/// one update of every worker.
class LocalUpdates : public Synchronization {
public:
    LocalUpdates(const SynchronizationContext& context, int localSteps);

    void begin() override;
    bool arrived(const Arrival& arrival, double rate) override;
    [[nodiscard]] bool replicasIdentical() const override { return m_context.workers.size() == 1; }
    [[nodiscard]] bool hasModel() const override { return replicasIdentical(); }
    void readModel(std::span<float> parameters) const override;

private:
    void updateAll(double rate);
    void averageAll();

    int m_localSteps;
    std::vector<ParameterShard> m_shards;  ///< one for each worker, each of the whole vector
    std::size_t m_arrivals = 0;
    long long m_updates = 0;
};

}  // namespace lockstep
