#include "nn/network.h"

#include <fmt/format.h>

#include <cassert>
#include <utility>

#include "base/flush_subnormals.h"
#include "nn/round_method.h"
#include "nn/staged_method.h"

namespace lockstep {
namespace {

BatchResult collect(const Workspace::Impl& memory, std::size_t batch, const std::stop_token& stop) {
    BatchResult result;
    for (const SliceScore& slice : memory.scores) {
        result.loss += slice.loss;
        result.correct += slice.correct;
    }
    result.loss /= static_cast<double>(batch);
    result.complete = !stop.stop_requested();
    return result;
}

/// 256 MB; what does not fit a computer's memory is told from the run's estimate.
constexpr std::size_t kMostParameters = std::size_t{1} << 26;

Result<std::unique_ptr<const NetworkMethod>> makeMethod(NetworkSpec spec) {
    if (StagedPlan::isFor(spec)) {
        Result<StagedPlan> plan = StagedPlan::compile(std::move(spec));
        if (!plan) return tl::unexpected(plan.error());
        return std::make_unique<const StagedMethod>(std::move(*plan));
    }
    Result<NetworkPlan> plan = NetworkPlan::compile(std::move(spec));
    if (!plan) return tl::unexpected(plan.error());
    return std::make_unique<const RoundMethod>(std::move(*plan));
}

}  // namespace

Network::Network(std::unique_ptr<const NetworkMethod> method) : m_method(std::move(method)) {}
Network::Network(Network&&) noexcept = default;
Network& Network::operator=(Network&&) noexcept = default;
Network::~Network() = default;

Result<Network> Network::build(NetworkSpec spec) {
    auto method = makeMethod(std::move(spec));
    if (!method) return tl::unexpected(method.error());
    const std::size_t parameters = (*method)->layout().parameterCount;
    if (parameters > kMostParameters)
        return fail(fmt::format("{} parameters; allowed are at most {}", parameters, kMostParameters));
    return Network(*std::move(method));
}

const NetworkSpec& Network::spec() const { return m_method->layout().spec; }
int Network::classes() const { return m_method->layout().classes(); }
std::size_t Network::parameterCount() const { return m_method->layout().parameterCount; }
std::size_t Network::trainedCount() const { return m_method->layout().trainedCount; }
std::span<const ParameterRange> Network::parameterRanges() const { return m_method->layout().ranges; }
double Network::denseFlopPerSample() const { return m_method->layout().denseFlop; }
double Network::executedFlopPerSample() const { return m_method->layout().executedFlop; }

void Network::initialize(std::span<float> parameters, RandomStream& stream) const {
    assert(parameters.size() == parameterCount());
    m_method->layout().initialize(parameters, stream);
}

BatchResult Network::lossAndGradient(std::span<const float> parameters, const LabelledBatch& batch,
                                     std::span<float> gradient, Workspace& workspace, std::stop_token stop) const {
    GradientTask task(*this, parameters, batch, gradient, workspace, stop);
    for (int phase = 0; phase < task.phaseCount(); ++phase)
        for (int part = 0; part < task.partCount(phase); ++part) {
            if (stop.stop_requested()) return {};
            task.runPart(phase, part);
        }
    return task.result();
}

BatchResult Network::evaluate(std::span<const float> parameters, const LabelledBatch& batch,
                              std::span<std::uint8_t> predictions, Workspace& workspace, std::stop_token stop) const {
    assert(predictions.empty() || predictions.size() == batch.labels.size());
    const FlushSubnormals flush;
    m_method->evaluate({parameters, batch, *workspace.m_impl, stop}, predictions);
    if (stop.stop_requested()) return {};
    return collect(*workspace.m_impl, batch.labels.size(), stop);
}

void updateStatistics(std::span<float> statistics, std::span<const float> observed) {
    for (std::size_t i = 0; i < statistics.size(); ++i)
        statistics[i] += kStatisticsMomentum * (observed[i] - statistics[i]);
}

Workspace::Workspace(const Network& network, int maxBatch, Use use)
    : m_impl(network.m_method->makeMemory(maxBatch, use)) {}
Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;
Workspace::~Workspace() = default;

std::size_t Workspace::bytes(const Network& network, int maxBatch, Use use) {
    return network.m_method->memoryBytes(maxBatch, use);
}

GradientTask::GradientTask(const Network& network, std::span<const float> parameters, const LabelledBatch& batch,
                           std::span<float> gradient, Workspace& workspace, std::stop_token stop)
    : m_method(*network.m_method),
      m_parameters(parameters),
      m_batch(batch),
      m_gradient(gradient),
      m_workspace(workspace),
      m_stop(std::move(stop)) {
    assert(!batch.labels.empty());
    assert(batch.images.size() == batch.labels.size() * network.spec().input.elements());
    assert(parameters.size() == network.parameterCount() && gradient.size() == network.parameterCount());
}

int GradientTask::phaseCount() const { return m_method.phaseCount(static_cast<int>(m_batch.labels.size())); }

int GradientTask::partCount(int phase) const {
    return m_method.partCount(static_cast<int>(m_batch.labels.size()), phase);
}

void GradientTask::runPart(int phase, int part) {
    const FlushSubnormals flush;
    m_method.runPart({m_parameters, m_batch, *m_workspace.m_impl, m_stop}, phase, part, m_gradient);
}

BatchResult GradientTask::result() const { return collect(*m_workspace.m_impl, m_batch.labels.size(), m_stop); }

}  // namespace lockstep
