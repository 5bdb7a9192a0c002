#pragma once

#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "nn/network_layout.h"

namespace lockstep {

/// What one slice of a batch sums up alone.
struct SliceScore {
    double loss = 0;
    int correct = 0;
};

/// Base of a method's own memory.
struct Workspace::Impl {
    virtual ~Impl() = default;

    int capacity = 0;                ///< samples
    std::vector<SliceScore> scores;  ///< one for each slice
};

/// One batch at one set of parameters.
struct NetworkCall {
    std::span<const float> parameters;
    const LabelledBatch& batch;
    Workspace::Impl& memory;
    const std::stop_token& stop;

    [[nodiscard]] int samples() const { return static_cast<int>(batch.labels.size()); }
};

/// A way to compute networks; which one, the specification decides. RoundMethod passes samples one by one through all
/// layers, StagedMethod the whole batch from one batch normalization to the next. Immutable, for any number of threads.
class NetworkMethod {
public:
    using Use = Workspace::Use;
    virtual ~NetworkMethod() = default;

    [[nodiscard]] virtual const NetworkLayout& layout() const = 0;
    [[nodiscard]] virtual std::unique_ptr<Workspace::Impl> makeMemory(int maxBatch, Use use) const = 0;
    [[nodiscard]] virtual std::size_t memoryBytes(int maxBatch, Use use) const = 0;

    /// GradientTask's phases and parts: functions of the batch size alone.
    [[nodiscard]] virtual int phaseCount(int batch) const = 0;
    [[nodiscard]] virtual int partCount(int batch, int phase) const = 0;
    virtual void runPart(const NetworkCall& call, int phase, int part, std::span<float> gradient) const = 0;
    /// Network::evaluate(), but for the result, which the memory's scores hold.
    virtual void evaluate(const NetworkCall& call, std::span<std::uint8_t> predictions) const = 0;
};

}  // namespace lockstep
