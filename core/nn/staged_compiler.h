#pragma once

#include <span>

#include "nn/staged_plan.h"

namespace lockstep {

/// Turns layers into operations, fusing what can be, and lays out the parameters. Messages name the layer.
class StagedCompiler {
public:
    explicit StagedCompiler(StagedPlan& plan);
    Result<void> run();

private:
    Result<void> addAll(std::span<const LayerSpec> layers);
    Result<void> add(const LayerSpec& layer, const LayerSpec* next);
    Result<void> addConvolution(const LayerSpec& layer, const LayerSpec* next);
    Result<void> addNormalization();
    Result<void> addRelu();
    Result<void> addMaxPool(const LayerSpec& layer);
    Result<void> addAveragePool();
    Result<void> addDense(const LayerSpec& layer);
    Result<void> addResidual(const LayerSpec& layer);
    Result<int> addShortcut(int from, const ImageShape& to, bool normalized);
    void join(int shortcut);
    void addStatistics();

    Operation& append(OperationType type, ImageShape output);
    [[nodiscard]] ImageShape shape() const { return m_plan.tensors[static_cast<std::size_t>(m_current)].shape; }
    std::size_t addRange(const std::string& name, ParameterRole role, std::size_t count, int inputs = 0);

    StagedPlan& m_plan;
    int m_current = 0;       ///< the tensor that the next operation reads
    bool m_canFuse = false;  ///< the last operation's output has no other reader
    bool m_inBlock = false, m_flat = false;
    int m_layer = -1;  ///< of the parameters
    int m_convolutions = 0, m_normalizations = 0, m_dense = 0;
};

/// Fills in phases, borders and who adds to which gradient.
void scheduleStages(StagedPlan& plan);

}  // namespace lockstep
