#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/state_archive.h"
#include "base/thread_pool.h"
#include "collectives/execute.h"
#include "experiment/experiment.h"
#include "train/parameter_server.h"
#include "train/participation_time.h"
#include "train/traffic.h"
#include "train/wire_format.h"
#include "train/worker.h"

namespace lockstep {

/// A worker's share of a weighted mean.
struct Share {
    int rank = 0;
    float weight = 0;
};

/// How the workers' vectors are brought together, for real: over the replicas' own buffers. Counts the bytes that would
/// cross the network, transfer by transfer, and the time that moving and summing takes here (updates aside).
class Exchange {
public:
    Exchange(std::span<Worker> workers, std::size_t servers);
    virtual ~Exchange() = default;

    /// Before the first iteration: workers get the parameters they start from.
    virtual void begin() = 0;
    /// One synchronous update from the weighted mean of the gradients named (the others count nothing). Every replica
    /// has it afterwards; gradients are used up.
    virtual void update(std::span<const Share> shares, double rate, long long update) = 0;
    /// Each vector becomes the mean of all, one vector for each worker. `parameters` says that they are the model.
    virtual void average(std::span<const std::span<float>> vectors, bool parameters) = 0;

    /// Workers get the parameters that servers hold. Nothing where nobody holds them for others.
    virtual void refresh(std::span<const int> /*ranks*/) {}
    /// What servers hold becomes these parameters.
    virtual void adopt(std::span<const float> /*parameters*/) {}

    /// The optimizer's state over the whole vector, as much of it as there is.
    virtual void readOptimizer(std::span<float> first, std::span<float> second) const = 0;
    virtual void writeOptimizer(std::span<const float> first, std::span<const float> second) = 0;
    virtual void archive(StateArchive& archive);

    [[nodiscard]] const Traffic& traffic() const { return m_traffic; }
    /// How gradients travel from now on.
    virtual void setWireFormat(const WireFormat& format) { m_format = format; }
    /// Of the exchanges that each worker took part in. Measured.
    [[nodiscard]] ParticipationTime& time() { return m_time; }
    [[nodiscard]] const ParticipationTime& time() const { return m_time; }

protected:
    [[nodiscard]] std::span<const int> everyone() const { return m_everyone; }

    std::span<Worker> m_workers;
    Traffic m_traffic;
    WireFormat m_format;
    ParticipationTime m_time;

private:
    std::vector<int> m_everyone;  ///< all ranks
};

/// 1..S parameter servers.
class ServerExchange : public Exchange {
public:
    /// Co-located server s lives on the node of worker s mod N; what that worker sends to it crosses no network.
    ServerExchange(std::span<Worker> workers, std::unique_ptr<ServerGroup> servers, ServerPlacement placement,
                   const std::vector<std::vector<IndexRange>>& layout);

    void begin() override;
    void update(std::span<const Share> shares, double rate, long long update) override;
    void average(std::span<const std::span<float>> vectors, bool parameters) override;
    void refresh(std::span<const int> ranks) override { pull(ranks); }
    void adopt(std::span<const float> parameters) override { m_servers->adopt(parameters); }
    void readOptimizer(std::span<float> first, std::span<float> second) const override {
        m_servers->readOptimizer(first, second);
    }
    void writeOptimizer(std::span<const float> first, std::span<const float> second) override {
        m_servers->writeOptimizer(first, second);
    }
    void archive(StateArchive& archive) override;

    /// Single transfers, for strategies without a common step.
    void push(std::span<const Contribution> gradients, std::span<const int> ranks);
    void applyPushed(double rate, long long update) { m_servers->update(rate, update); }
    void pull(std::span<const int> ranks);
    /// The servers' parameters, without counting as a transfer.
    void read(std::span<float> parameters) const;

private:
    /// Between the worker and every server that is not on its own node; `bytes` of a slice that the server holds.
    template <class BytesOfSlice>
    void countPush(int rank, BytesOfSlice bytes);
    void countPull(int rank);
    template <class Count>
    void forEachRemoteServer(int rank, Count count);

    std::unique_ptr<ServerGroup> m_servers;
    ServerPlacement m_placement;
    std::vector<std::vector<IndexRange>> m_layout;
};

class SparseGather;

/// All-reduce: after it every replica holds the mean gradient and updates itself.
class AllReduceExchange : public Exchange {
public:
    /// `algorithm` is one that needs no topology. `distinctReplicas`: 1 when all workers share one replica, otherwise
    /// one for each worker.
    AllReduceExchange(std::span<Worker> workers, ServerGroup::Settings settings, AllReduceAlgorithm algorithm,
                      std::size_t distinctReplicas, ThreadPool& pool);
    ~AllReduceExchange() override;

    /// Updates come from gradients of at most so many entries, and their lists go round (SparseGather) in place of the
    /// algorithm. Averages stay with the algorithm.
    void gatherSparse(std::size_t keptEntries);
    void begin() override {}
    void update(std::span<const Share> shares, double rate, long long update) override;
    void average(std::span<const std::span<float>> vectors, bool parameters) override;
    void readOptimizer(std::span<float> first, std::span<float> second) const override;
    void writeOptimizer(std::span<const float> first, std::span<const float> second) override;
    void archive(StateArchive& archive) override;
    void setWireFormat(const WireFormat& format) override;

private:
    struct Task {
        std::size_t replica, piece;
    };
    template <class Work>
    void forEachPiece(Work work);
    void sumGradients(std::span<const Share> shares);
    [[nodiscard]] std::span<const float> sumOf(const Worker& worker) const;
    void countSparse(std::span<const Share> shares);
    /// `each`: what one execution makes every worker send and receive.
    void execute(std::span<float* const> buffers, float scale, std::span<const BytesMoved> each);
    [[nodiscard]] std::vector<BytesMoved> bytesOfOne(const WireFormat& format) const;

    ServerGroup::Settings m_settings;
    ThreadPool& m_pool;
    CollectivePlan m_plan;
    std::unique_ptr<SparseGather> m_sparse;                  ///< its sum is in worker 0's gradient, for all
    std::vector<BytesMoved> m_vectorBytes, m_gradientBytes;  ///< of one execution, by rank
    std::vector<ParameterShard> m_replicas;
    std::vector<Task> m_tasks;
};

}  // namespace lockstep
