#pragma once

#include "train/exchange.h"
#include "train/synchronization.h"

namespace lockstep {

/// Nobody waits: each gradient is applied when it arrives at the servers, and its worker pulls and goes on (Dean et
/// al., NeurIPS 2012). A step is one update.
class Asynchronous : public Synchronization {
public:
    Asynchronous(const SynchronizationContext& context, ServerExchange& servers);

    bool arrived(const Arrival& arrival, double rate) override;
    void workerBack(int rank, double time) override;
    [[nodiscard]] bool replicasIdentical() const override { return m_context.workers.size() == 1; }
    [[nodiscard]] bool hasModel() const override { return true; }
    void readModel(std::span<float> parameters) const override { m_servers.read(parameters); }
    void archive(StateArchive& archive) override;
    void continueFrom(long long updates) override;

private:
    void pullAndStart(int rank, double time);

    ServerExchange& m_servers;
    std::vector<long long> m_pulledAt;  ///< updates that the parameters of each worker had seen
};

}  // namespace lockstep
