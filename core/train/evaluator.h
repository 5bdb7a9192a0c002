#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "base/thread_pool.h"
#include "data/training_images.h"
#include "nn/network.h"

namespace lockstep {

/// How well one parameter vector does on test images.
struct Evaluation {
    double loss = 0;                        ///< mean cross-entropy, nats
    double accuracy = 0;                    ///< 0..1
    std::vector<std::uint8_t> predictions;  ///< one for each image
};

/// Tests parameter vectors on the pool's threads. Sums have a fixed order.
class Evaluator {
public:
    Evaluator(const Network& network, const TrainingImages& images, ThreadPool& pool);

    [[nodiscard]] std::size_t size() const { return m_images.size(); }
    /// Every model on the first `samples` images; empty when stopped before the end.
    [[nodiscard]] std::vector<Evaluation> evaluate(std::span<const std::span<const float>> models, std::size_t samples,
                                                   std::stop_token stop);
    [[nodiscard]] static double scratchBytes(const Network& network);

private:
    struct Scratch {
        Workspace workspace;
        FloatVector images;
        std::vector<std::uint8_t> labels;
    };

    const Network& m_network;
    const TrainingImages& m_images;
    ThreadPool& m_pool;
    std::vector<Scratch> m_scratch;
};

/// Share of images on which at least two of the models disagree.
[[nodiscard]] double predictionDisagreement(std::span<const Evaluation> models);

}  // namespace lockstep
