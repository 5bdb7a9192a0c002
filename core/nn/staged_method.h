#pragma once

#include "nn/network_method.h"
#include "nn/staged_plan.h"

namespace lockstep {

/// For networks in which samples of a batch depend on each other: the whole batch passes from one batch normalization
/// to the next, cut into slices.
class StagedMethod : public NetworkMethod {
public:
    explicit StagedMethod(StagedPlan plan) : m_plan(std::move(plan)) {}

    [[nodiscard]] const NetworkLayout& layout() const override { return m_plan; }
    [[nodiscard]] std::unique_ptr<Workspace::Impl> makeMemory(int maxBatch, Use use) const override;
    [[nodiscard]] std::size_t memoryBytes(int maxBatch, Use use) const override;
    [[nodiscard]] int phaseCount(int batch) const override;
    [[nodiscard]] int partCount(int batch, int phase) const override;
    void runPart(const NetworkCall& call, int phase, int part, std::span<float> gradient) const override;
    void evaluate(const NetworkCall& call, std::span<std::uint8_t> predictions) const override;

private:
    StagedPlan m_plan;
};

}  // namespace lockstep
