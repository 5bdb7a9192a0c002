#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "base/thread_pool.h"
#include "data/partition.h"
#include "data/training_images.h"
#include "nn/network.h"
#include "train/snapshot.h"
#include "train/worker.h"

namespace lockstep {

/// Gradient descent on what each worker holds (training.gradient = full), seen from the gradient of the loss over the
/// samples of all workers together, each sample as often as it is held. Running statistics are left out.
///
/// The true gradient is taken as the mean of the workers' weighted by their samples, which costs next to nothing. That
/// it is the true one is checked at the first update and each kCheckEvery-th after it: the gradient over all samples is
/// then computed in one go, sorted and cut into pieces without regard to shards, and summed in double. With batch
/// normalization, which normalizes over a piece, that comparison shows the cut as well.
class FullGradientMeter {
public:
    static constexpr long long kCheckEvery = 40;

    FullGradientMeter(const Network& network, const TrainingImages& images, const Partition& partition,
                      ThreadPool& pool);

    /// The gradients of all workers at the parameters that they share, before anything is applied. False when stopped:
    /// then it wants to be called again.
    [[nodiscard]] bool observe(std::span<const Worker> workers, std::stop_token stop);

    /// Of the newest observation, by rank; empty before the first.
    [[nodiscard]] std::span<const ShardGradient> shards() const { return m_shards; }
    [[nodiscard]] FullGradients summary() const;

private:
    [[nodiscard]] std::vector<double> weightedMean(std::span<const Worker> workers) const;
    /// Empty when stopped.
    [[nodiscard]] std::vector<double> gradientInOneGo(std::span<const float> parameters, std::stop_token stop) const;
    void compare(std::span<const Worker> workers, std::span<const double> mean);

    const Network& m_network;
    const TrainingImages& m_images;
    ThreadPool& m_pool;
    std::vector<std::uint32_t> m_samples;  ///< of all shards, ascending
    long long m_updates = 0;
    std::vector<ShardGradient> m_shards;
    double m_weightedMeanError = kNotMeasured;
};

}  // namespace lockstep
