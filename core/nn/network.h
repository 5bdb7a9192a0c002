#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/result.h"
#include "nn/float_vector.h"
#include "nn/network_spec.h"

namespace lockstep {

class NetworkPlan;
class Workspace;

/// A named part of the flat parameter vector: "conv1.weights", "conv1.bias", "dense1.weights", ...
/// Row-major: a convolution's weights are [kernel y x kernel x x input channels x outputs], a dense layer's
/// [outputs x inputs]; but a first dense layer of 16 or more outputs, which skips zero pixels, has [inputs x outputs].
struct ParameterRange {
    std::string name;
    std::size_t offset = 0;
    std::size_t count = 0;
    int layer = 0;  ///< index into NetworkSpec::layers
};

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
class Network {
public:
    /// One line when a layer does not fit what comes before it, or is out of its range (LayerSpec).
    [[nodiscard]] static Result<Network> build(NetworkSpec spec);

    Network(Network&&) noexcept;
    Network& operator=(Network&&) noexcept;
    ~Network();

    [[nodiscard]] const NetworkSpec& spec() const;
    [[nodiscard]] int classes() const;
    [[nodiscard]] std::size_t parameterCount() const;
    /// In layout order; together they cover the vector.
    [[nodiscard]] std::span<const ParameterRange> parameterRanges() const;
    /// Floating-point operations (2 per multiply-add) of one sample's forward and backward pass as dense arithmetic:
    /// nothing skipped.
    [[nodiscard]] double denseFlopPerSample() const;
    /// The same, counting what the kernels do: pooled gradients touch one position of each window. Skipped zero pixels
    /// and zero gradients are not known here and count as done.
    [[nodiscard]] double executedFlopPerSample() const;

    /// Weights uniform in +-sqrt(6 / inputs) (He et al., ICCV 2015, eq. 10), biases zero; one number of the stream per
    /// weight, in layout order.
    void initialize(std::span<float> parameters, RandomStream& stream) const;

    /// Loss of the batch at `parameters`, and its gradient, which overwrites `gradient` [parameterCount]. Batch size 1
    /// to the workspace's. Stop is looked at every few samples. Fastest when parameters and gradient are FloatVectors.
    BatchResult lossAndGradient(std::span<const float> parameters, const LabelledBatch& batch,
                                std::span<float> gradient, Workspace& workspace, std::stop_token stop = {}) const;

    /// Loss without gradient. `predictions` is empty or [batch]: the class with the largest logit.
    BatchResult evaluate(std::span<const float> parameters, const LabelledBatch& batch,
                         std::span<std::uint8_t> predictions, Workspace& workspace, std::stop_token stop = {}) const;

private:
    friend class Workspace;
    friend class GradientTask;
    explicit Network(std::unique_ptr<const NetworkPlan> plan);
    std::unique_ptr<const NetworkPlan> m_plan;
};

/// All scratch memory of one gradient or evaluation at a time: one per concurrent task, not one per worker. For batches
/// of up to `maxBatch` samples. Large batches are worked on in rounds of kRoundSamples, so memory stops growing there
/// and a workspace of that size takes any batch.
class Workspace {
public:
    static constexpr int kRoundSamples = 128;

    Workspace(const Network& network, int maxBatch);
    Workspace(Workspace&&) noexcept;
    Workspace& operator=(Workspace&&) noexcept;
    ~Workspace();

    /// What the constructor would allocate.
    [[nodiscard]] static std::size_t bytes(const Network& network, int maxBatch);

    struct Impl;  ///< nn/workspace.h

private:
    friend class Network;
    friend class GradientTask;
    std::unique_ptr<Impl> m_impl;
};

/// One batch's gradient cut into parts that several threads may share, with the same bits as one thread:
///
///     GradientTask task(network, parameters, batch, gradient, workspace);
///     for (int phase = 0; phase < task.phaseCount(); ++phase)
///         parallelFor(task.partCount(phase), [&](int part) { task.runPart(phase, part); });  // waits
///     BatchResult result = task.result();
///
/// Phases come in order; parts of one phase are independent. How a batch is cut depends on its size alone.
/// lossAndGradient() runs exactly these parts one after another. What is passed in must outlive the task.
class GradientTask {
public:
    GradientTask(const Network& network, std::span<const float> parameters, const LabelledBatch& batch,
                 std::span<float> gradient, Workspace& workspace, std::stop_token stop = {});

    [[nodiscard]] int phaseCount() const;
    [[nodiscard]] int partCount(int phase) const;
    void runPart(int phase, int part);
    /// After the last part of the last phase.
    [[nodiscard]] BatchResult result() const;

private:
    const Network& m_network;
    std::span<const float> m_parameters;
    LabelledBatch m_batch;
    std::span<float> m_gradient;
    Workspace& m_workspace;
    std::stop_token m_stop;
};

}  // namespace lockstep
