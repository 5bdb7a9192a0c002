#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "experiment/experiment.h"

namespace lockstep {

struct PartitionSettings {
    PartitionKind kind = PartitionKind::Disjoint;
    int workers = 1;          ///< 1..256
    int batchPerWorker = 32;  ///< b >= 1
    std::uint64_t seed = 1;
};

/// Which samples each worker sees, in which order. An epoch is K = floor(n / (N b)) steps in every kind, so that equal
/// epochs mean equal numbers of samples seen; a worker sees K b of its samples in each.
///   disjoint    a seeded permutation dealt block-cyclically in blocks of b: in epoch 0, step k of the N workers
///               together is step k of one worker with batch N b. Later epochs are shuffled within each shard by the
///               worker's own stream; what the division leaves over is seen by nobody.
///   by-label    the permutation sorted by label and cut into N contiguous shards of K b, evenly spread, so that a
///               worker sees few classes; shuffled within the shard in every epoch.
///   replicated  every worker holds everything and draws K b of it without repetition, anew in each epoch, by its own
///               stream.
/// The order in an epoch depends on (settings, labels, worker, epoch) alone, so a run can be continued anywhere.
/// Memory is two numbers a sample, whatever the number of workers.
class Partition {
public:
    /// Fails when N b exceeds the number of samples (a batch would be larger than a shard).
    [[nodiscard]] static Result<Partition> make(const PartitionSettings& settings,
                                                std::span<const std::uint8_t> labels);

    [[nodiscard]] int workers() const { return m_settings.workers; }
    [[nodiscard]] int batchPerWorker() const { return m_settings.batchPerWorker; }
    /// K
    [[nodiscard]] long long stepsPerEpoch() const { return m_stepsPerEpoch; }
    /// Samples that a worker sees in an epoch: K b.
    [[nodiscard]] std::size_t samplesPerEpoch() const;
    /// Everything the worker holds: its K b samples in dealt order, or all n when replicated.
    [[nodiscard]] std::span<const std::uint32_t> shard(int worker) const;

    /// The b sample indices of worker's step 0..K-1 in epoch 0.. . Valid until the next call for the same worker.
    /// Calls for different workers may run at the same time. Going to another epoch costs one shuffle of the shard.
    [[nodiscard]] std::span<const std::uint32_t> batch(int worker, long long epoch, long long step);

private:
    Partition(const PartitionSettings& settings, std::span<const std::uint8_t> labels);
    void deal(std::span<const std::uint8_t> labels);
    void orderEpoch(int worker, long long epoch);

    PartitionSettings m_settings;
    long long m_stepsPerEpoch = 0;
    std::vector<std::uint32_t> m_dealt;    ///< [N x K b], or [n] when replicated
    std::vector<std::uint32_t> m_ordered;  ///< [N x K b], each worker's current epoch
    std::vector<long long> m_epochs;       ///< [N], the epoch that m_ordered holds
};

}  // namespace lockstep
