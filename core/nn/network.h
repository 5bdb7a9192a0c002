#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/result.h"
#include "base/thread_pool.h"
#include "nn/float_vector.h"
#include "nn/network_spec.h"

namespace lockstep {

class NetworkMethod;
class Workspace;

enum class ParameterRole { Weights, Bias, Scale, Shift, RunningMean, RunningVariance };

/// A named part of the flat parameter vector: "conv1.weights", "conv1.bias", "norm1.scale", "dense1.weights", ...
/// Row-major: a convolution's weights are [kernel y x kernel x x input channels x outputs], a dense layer's
/// [outputs x inputs]; but a first layer that is dense with 16 or more outputs, and skips zero pixels in a network of
/// dense layers alone, has [inputs x outputs]. A residual block's layers come first, then its shortcut's. Running
/// statistics follow behind all that is trained: norm1.mean, norm1.variance, norm2.mean, ...
struct ParameterRange {
    std::string name;
    ParameterRole role = ParameterRole::Weights;
    std::size_t count = 0;
    int inputs = 0;  ///< Weights: that one output sums up
    int layer = 0;   ///< counts every layer that has parameters, those inside blocks too; never falls
    std::size_t offset = 0;

    /// Not trained by a gradient: see Network.
    [[nodiscard]] bool isStatistics() const {
        return role == ParameterRole::RunningMean || role == ParameterRole::RunningVariance;
    }
};

/// Share by which one update moves running statistics towards what its batches showed.
inline constexpr float kStatisticsMomentum = 0.1F;

/// What a forward (and backward) pass over a batch measured.
struct BatchResult {
    double loss = 0;        ///< mean softmax cross-entropy, nats; not finite when training has diverged
    int correct = 0;        ///< samples whose largest logit is their label's (the first of equal ones)
    bool complete = false;  ///< false: stopped on request; gradient, predictions and the rest are then meaningless
};

/// Raw pixels 0..1 [batch x height x width x channels] and one label per sample, each below classes().
struct LabelledBatch {
    std::span<const float> images;
    std::span<const std::uint8_t> labels;
};

/// A network compiled for one input shape: shapes, layout of all parameters in ONE flat vector of floats, fused steps.
/// Immutable: any number of threads may use one Network at once, each with its own Workspace. Arithmetic is float32.
///
/// Every result depends on the inputs alone (and on the kernels' instruction set), never on the number of threads:
/// each sum has a fixed order. See GradientTask for sharing one batch between threads.
///
/// Batch normalization keeps a running mean and variance of each channel, by which evaluation normalizes. They are the
/// end of the parameter vector, [trainedCount, parameterCount), so that they travel with the model, are averaged where
/// replicas are, and need no memory of their own. Nothing is trained there: a gradient's entries hold the mean and the
/// (unbiased) variance that its batch showed, an update moves the statistics towards them by kStatisticsMomentum
/// (updateStatistics), and learning rate, momentum, weight decay, clipping, compression and distances between replicas
/// leave them out. Averaged gradients so carry averaged statistics.
class Network {
public:
    /// One line when a layer does not fit what comes before it, or is out of its range (LayerSpec), or when there are
    /// more than 2^26 parameters.
    [[nodiscard]] static Result<Network> build(NetworkSpec spec);

    Network(Network&&) noexcept;
    Network& operator=(Network&&) noexcept;
    ~Network();

    [[nodiscard]] const NetworkSpec& spec() const;
    [[nodiscard]] int classes() const;
    [[nodiscard]] std::size_t parameterCount() const;
    /// Parameters that gradients train; the rest are running statistics.
    [[nodiscard]] std::size_t trainedCount() const;
    /// In layout order; together they cover the vector.
    [[nodiscard]] std::span<const ParameterRange> parameterRanges() const;
    /// Floating-point operations (2 per multiply-add) of one sample's forward and backward pass as dense arithmetic:
    /// nothing skipped.
    [[nodiscard]] double denseFlopPerSample() const;
    /// The same, counting what the kernels do: pooled gradients touch one position of each window. Skipped zero pixels
    /// and zero gradients are not known here and count as done.
    [[nodiscard]] double executedFlopPerSample() const;

    /// Weights uniform in +-sqrt(6 / inputs) (He et al., ICCV 2015, eq. 10), biases, shifts and running means zero,
    /// scales and running variances one; one number of the stream per weight, in layout order.
    void initialize(std::span<float> parameters, RandomStream& stream) const;

    /// Loss of the batch at `parameters`, and its gradient, which overwrites `gradient` [parameterCount]. Batch
    /// normalization normalizes over this batch. Batch size 1 to the workspace's. Stop is looked at every few samples.
    /// Fastest when parameters and gradient are FloatVectors.
    BatchResult lossAndGradient(std::span<const float> parameters, const LabelledBatch& batch,
                                std::span<float> gradient, Workspace& workspace, std::stop_token stop = {}) const;

    /// Loss without gradient; batch normalization uses the running statistics. Any batch size. `predictions` is empty
    /// or [batch]: the class with the largest logit.
    BatchResult evaluate(std::span<const float> parameters, const LabelledBatch& batch,
                         std::span<std::uint8_t> predictions, Workspace& workspace, std::stop_token stop = {}) const;

private:
    friend class Workspace;
    friend class GradientTask;
    explicit Network(std::unique_ptr<const NetworkMethod> method);
    std::unique_ptr<const NetworkMethod> m_method;
};

/// w += kStatisticsMomentum * (observed - w).
void updateStatistics(std::span<float> statistics, std::span<const float> observed);

/// All scratch memory of one gradient or evaluation at a time: one per concurrent task, not one per worker. For batches
/// of up to `maxBatch` samples. Networks whose samples have nothing to do with each other work on large batches in
/// rounds of kRoundSamples, so memory stops growing there and a workspace of that size takes any batch; others keep
/// what every sample left.
class Workspace {
public:
    static constexpr int kRoundSamples = 128;
    enum class Use { Gradient, Evaluation };

    /// For Use::Evaluation memory does not depend on the batch, and gradients cannot be had.
    Workspace(const Network& network, int maxBatch, Use use = Use::Gradient);
    Workspace(Workspace&&) noexcept;
    Workspace& operator=(Workspace&&) noexcept;
    ~Workspace();

    /// What the constructor would allocate.
    [[nodiscard]] static std::size_t bytes(const Network& network, int maxBatch, Use use = Use::Gradient);

    struct Impl;  ///< nn/network_method.h

private:
    friend class Network;
    friend class GradientTask;
    std::unique_ptr<Impl> m_impl;
};

/// One batch's gradient cut into parts that several threads may share, with the same bits as one thread:
///
///     GradientTask task(network, parameters, batch, gradient, workspace);
///     BatchResult result = task.run(pool);
///
/// Phases come in order; parts of one phase are independent. How a batch is cut depends on its size alone.
/// lossAndGradient() runs exactly these parts one after another. What is passed in must outlive the task.
class GradientTask {
public:
    GradientTask(const Network& network, std::span<const float> parameters, const LabelledBatch& batch,
                 std::span<float> gradient, Workspace& workspace, std::stop_token stop = {});

    /// All of it on the pool's threads. Incomplete when stopped.
    [[nodiscard]] BatchResult run(ThreadPool& pool) {
        return run(pool, [](int, auto part) { part(); });
    }
    /// The same, with `around(thread, part)` in place of each part, which calls `part()`.
    template <class Around>
    [[nodiscard]] BatchResult run(ThreadPool& pool, Around around) {
        for (int phase = 0; phase < phaseCount(); ++phase) {
            if (m_stop.stop_requested()) return {};
            pool.parallelFor(static_cast<std::size_t>(partCount(phase)), [&](std::size_t part, int thread) {
                around(thread, [&] { runPart(phase, static_cast<int>(part)); });
            });
        }
        return result();
    }

    [[nodiscard]] int phaseCount() const;
    [[nodiscard]] int partCount(int phase) const;
    void runPart(int phase, int part);
    /// After the last part of the last phase.
    [[nodiscard]] BatchResult result() const;

private:
    const NetworkMethod& m_method;
    std::span<const float> m_parameters;
    LabelledBatch m_batch;
    std::span<float> m_gradient;
    Workspace& m_workspace;
    std::stop_token m_stop;
};

}  // namespace lockstep
