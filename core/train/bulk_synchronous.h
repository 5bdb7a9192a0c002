#pragma once

#include "train/exchange.h"
#include "train/synchronization.h"

namespace lockstep {

/// Every step waits for all workers, or for all but the `backupWorkers` slowest, whose gradients are dropped (Chen et
/// al., "Revisiting Distributed Synchronous SGD", 2016). The gradients' mean, weighted by samples, is applied once. Of
/// workers that are equally fast, others are dropped at each step.
class BulkSynchronous : public Synchronization {
public:
    BulkSynchronous(const SynchronizationContext& context, int backupWorkers);

    void begin() override;
    bool arrived(const Arrival& arrival, double rate) override;
    /// With parameter servers; a lost worker ends an all-reduce for all of them.
    void workerBack(int rank, double time) override;
    [[nodiscard]] bool replicasIdentical() const override;
    [[nodiscard]] bool hasModel() const override { return replicasIdentical(); }
    void readModel(std::span<float> parameters) const override;
    void archive(StateArchive& archive) override;

private:
    void observe(std::span<const Share> shares);
    void beginStep(double time);

    std::size_t m_needed;
    bool m_rotates;
    std::vector<int> m_arrived;
};

/// The workers' shares of a mean in which every sample counts the same.
[[nodiscard]] std::vector<Share> sharesBySamples(std::span<const Worker> workers, std::span<const int> ranks);

}  // namespace lockstep
