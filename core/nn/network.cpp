#include "nn/network.h"

#include <cassert>
#include <cmath>
#include <utility>

#include "base/flush_subnormals.h"
#include "nn/round_pass.h"

namespace lockstep {

Network::Network(std::unique_ptr<const NetworkPlan> plan) : m_plan(std::move(plan)) {}
Network::Network(Network&&) noexcept = default;
Network& Network::operator=(Network&&) noexcept = default;
Network::~Network() = default;

Result<Network> Network::build(NetworkSpec spec) {
    Result<NetworkPlan> plan = NetworkPlan::compile(std::move(spec));
    if (!plan) return tl::unexpected(plan.error());
    return Network(std::make_unique<const NetworkPlan>(std::move(*plan)));
}

const NetworkSpec& Network::spec() const { return m_plan->spec; }
int Network::classes() const { return m_plan->classes(); }
std::size_t Network::parameterCount() const { return m_plan->parameterCount; }
std::span<const ParameterRange> Network::parameterRanges() const { return m_plan->ranges; }
double Network::denseFlopPerSample() const { return m_plan->denseFlop; }
double Network::executedFlopPerSample() const { return m_plan->executedFlop; }

void Network::initialize(std::span<float> parameters, RandomStream& stream) const {
    assert(parameters.size() == parameterCount());
    const auto fill = [&](std::size_t offset, std::size_t count, int inputs) {
        const float bound = std::sqrt(6.0F / static_cast<float>(inputs));
        for (float& weight : parameters.subspan(offset, count)) weight = bound * (2.0F * stream.nextFloat() - 1.0F);
    };
    std::fill(parameters.begin(), parameters.end(), 0.0F);
    for (const ImageStep& step : m_plan->images)
        if (const kernels::Convolution* c = step.convolution())
            fill(step.weights, static_cast<std::size_t>(c->taps()) * c->outChannels, c->taps());
    for (const DenseStep& step : m_plan->dense) fill(step.weights, step.weightCount(), step.inputs);
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

namespace {

BatchResult collect(const Workspace::Impl& memory, std::size_t batch, const std::stop_token& stop) {
    BatchResult result;
    for (const SliceMemory& slice : memory.slices) {
        result.loss += slice.loss;
        result.correct += slice.correct;
    }
    result.loss /= static_cast<double>(batch);
    result.complete = !stop.stop_requested();
    return result;
}

}  // namespace

BatchResult Network::evaluate(std::span<const float> parameters, const LabelledBatch& batch,
                              std::span<std::uint8_t> predictions, Workspace& workspace, std::stop_token stop) const {
    assert(predictions.empty() || predictions.size() == batch.labels.size());
    const FlushSubnormals flush;
    const int samples = static_cast<int>(batch.labels.size());
    const RoundPass pass(*m_plan, parameters, batch, *workspace.m_impl, stop);
    pass.prepare(false);
    for (int r = 0; r < Round::countFor(samples); ++r) {
        const Round round = Round::at(samples, r);
        for (int slice = 0; slice < sliceCount(round.count); ++slice) {
            if (stop.stop_requested()) return {};
            pass.evaluateSlice(round, slice, predictions);
        }
    }
    return collect(*workspace.m_impl, batch.labels.size(), stop);
}

GradientTask::GradientTask(const Network& network, std::span<const float> parameters, const LabelledBatch& batch,
                           std::span<float> gradient, Workspace& workspace, std::stop_token stop)
    : m_network(network),
      m_parameters(parameters),
      m_batch(batch),
      m_gradient(gradient),
      m_workspace(workspace),
      m_stop(std::move(stop)) {
    assert(!batch.labels.empty());
    assert(batch.images.size() == batch.labels.size() * network.spec().input.elements());
    assert(parameters.size() == network.parameterCount() && gradient.size() == network.parameterCount());
    assert(Round::at(static_cast<int>(batch.labels.size()), 0).count <= workspace.m_impl->capacity);
}

int GradientTask::phaseCount() const { return 1 + 2 * Round::countFor(static_cast<int>(m_batch.labels.size())); }

int GradientTask::partCount(int phase) const {
    if (phase == 0) return 1;
    if (phase % 2 == 0) return kWeightParts;
    return sliceCount(Round::at(static_cast<int>(m_batch.labels.size()), phase / 2).count);
}

void GradientTask::runPart(int phase, int part) {
    const FlushSubnormals flush;
    const RoundPass pass(*m_network.m_plan, m_parameters, m_batch, *m_workspace.m_impl, m_stop);
    if (phase == 0) return pass.prepare(true);
    const Round round = Round::at(static_cast<int>(m_batch.labels.size()), (phase - 1) / 2);
    if (phase % 2 == 1) {
        pass.runSlice(round, part);
    } else {
        pass.gatherWeights(round, part, m_gradient);
    }
}

BatchResult GradientTask::result() const { return collect(*m_workspace.m_impl, m_batch.labels.size(), m_stop); }

}  // namespace lockstep
