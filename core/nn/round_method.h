#pragma once

#include "nn/network_method.h"
#include "nn/network_plan.h"

namespace lockstep {

/// For networks whose samples do not depend on each other: rounds of samples, each sample through all layers at once.
class RoundMethod : public NetworkMethod {
public:
    explicit RoundMethod(NetworkPlan plan) : m_plan(std::move(plan)) {}

    [[nodiscard]] const NetworkLayout& layout() const override { return m_plan; }
    [[nodiscard]] std::unique_ptr<Workspace::Impl> makeMemory(int maxBatch, Use use) const override;
    [[nodiscard]] std::size_t memoryBytes(int maxBatch, Use use) const override;
    [[nodiscard]] int phaseCount(int batch) const override;
    [[nodiscard]] int partCount(int batch, int phase) const override;
    void runPart(const NetworkCall& call, int phase, int part, std::span<float> gradient) const override;
    void evaluate(const NetworkCall& call, std::span<std::uint8_t> predictions) const override;

private:
    NetworkPlan m_plan;
};

}  // namespace lockstep
