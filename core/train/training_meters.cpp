#include "train/training_meters.h"

#include <algorithm>
#include <utility>

namespace lockstep {
namespace {

bool fullGradientsOf(const Experiment& experiment) { return experiment.training.gradient == GradientKind::Full; }

/// Whether gradients arrive as they were computed: compressed ones say nothing about the noise of a batch.
bool exactGradients(const Experiment& experiment) { return experiment.training.compression == Compression::None; }

bool oneModel(const Experiment& experiment, const RunPlan& plan) {
    return experiment.training.synchronization == SynchronizationKind::BulkSynchronous && plan.sharedReplica;
}

std::vector<IndexRange> rangesOf(const std::vector<NamedLayer>& layers) {
    std::vector<IndexRange> ranges;
    for (const NamedLayer& layer : layers) ranges.push_back(layer.range);
    return ranges;
}

}  // namespace

std::vector<NamedLayer> trainedLayers(const Network& network) {
    std::vector<NamedLayer> layers;
    int last = -1;
    for (const ParameterRange& range : network.parameterRanges()) {
        if (range.isStatistics()) break;
        if (range.layer != last)
            layers.push_back({range.name.substr(0, range.name.rfind('.')), {range.offset, range.offset}});
        last = range.layer;
        layers.back().range.end = range.offset + range.count;
    }
    return layers;
}

TrainingMeters::TrainingMeters(const Experiment& experiment, const RunPlan& plan, const Network& network,
                               const TrainingImages& images, const Partition& partition, ThreadPool& pool)
    : m_noiseScale(
          {.noiseScale = oneModel(experiment, plan) && exactGradients(experiment) && !fullGradientsOf(experiment),
           .variance = oneModel(experiment, plan),
           .trained = network.trainedCount()},
          pool),
      m_divergence(rangesOf(trainedLayers(network)), experiment.training.seed, pool),
      m_flopPerSample(network.executedFlopPerSample()),
      m_parameters(static_cast<double>(network.trainedCount())) {
    for (const NamedLayer& layer : trainedLayers(network)) m_layerNames.push_back(layer.name);
    // With augmentation each epoch's samples differ from those that the meter would compute with.
    if (oneModel(experiment, plan) && exactGradients(experiment) && fullGradientsOf(experiment) &&
        !experiment.training.augmentation)
        m_fullGradients.emplace(network, images, partition, pool);
}

void TrainingMeters::setEnabled(const Meters& meters) {
    m_enabled = meters;
    m_noiseScale.setEnabled(meters.noise);
}

bool TrainingMeters::observeGradients(std::span<const Worker> workers, long long update, std::stop_token stop) {
    if (!m_fullGradients || !m_enabled.fullGradients || m_observedUpdate == update) return true;
    if (!m_fullGradients->observe(workers, stop)) return false;
    m_observedUpdate = update;
    return true;
}

void TrainingMeters::addGradients(Snapshot& snapshot, std::vector<ReplicaState>& states) const {
    snapshot.gradientNoiseScale = m_noiseScale.noiseScale();
    snapshot.gradientNoiseScaleError = m_noiseScale.noiseScaleError();
    snapshot.suggestedGlobalBatch = suggestedGlobalBatch(snapshot.gradientNoiseScale);
    snapshot.gradientVariance = m_noiseScale.variance();
    if (!m_fullGradients) return;
    snapshot.fullGradients = m_fullGradients->summary();
    for (std::size_t rank = 0; rank < m_fullGradients->shards().size(); ++rank)
        states[rank].shardGradient = m_fullGradients->shards()[rank];
}

bool TrainingMeters::divergenceDue(long long samplesSeen, std::size_t replicas) const {
    if (!m_enabled.sampled || !m_kept) return true;
    constexpr double kShare = 0.03;
    // Gradients run at tens of times the operations per second of this meter, which moves memory.
    constexpr double kFlopPerReplicaParameter = 200;
    const double cost = kFlopPerReplicaParameter * static_cast<double>(replicas) * m_parameters;
    return kShare * m_flopPerSample * static_cast<double>(samplesSeen - m_kept->samplesSeen) >= cost;
}

void TrainingMeters::keepMeasured(DivergenceMeter::Measured measured, const Snapshot& snapshot) {
    m_kept = Kept{.divergence = measured.divergence,
                  .layers = {},
                  .places = std::move(measured.places),
                  .step = snapshot.step,
                  .samplesSeen = snapshot.samplesSeen};
    for (std::size_t layer = 0; layer < m_layerNames.size(); ++layer)
        m_kept->layers.push_back(
            {m_layerNames[layer], measured.layers[layer].meanDistanceToAverage, measured.layers[layer].relative});
}

void TrainingMeters::addDivergence(Snapshot& snapshot, std::vector<ReplicaState>& states,
                                   std::span<const std::span<const float>> replicas, bool atEnd, std::stop_token stop) {
    if (m_enabled.divergence && (atEnd || divergenceDue(snapshot.samplesSeen, replicas.size())))
        if (auto measured = m_divergence.measure(replicas, std::move(stop)))
            keepMeasured(*std::move(measured), snapshot);
    const double disagreement = snapshot.divergence.predictionDisagreement;
    snapshot.layers.clear();
    if (!m_enabled.divergence || !m_kept) {
        snapshot.divergence = {.meanDistanceToAverage = kNotMeasured,
                               .maxPairwiseDistance = kNotMeasured,
                               .relative = kNotMeasured,
                               .predictionDisagreement = disagreement};
        for (ReplicaState& state : states) state.x = state.y = static_cast<float>(kNotMeasured);
        return;
    }
    snapshot.divergence = m_kept->divergence;
    snapshot.divergence.predictionDisagreement = disagreement;
    if (m_kept->step != snapshot.step) snapshot.divergence.heldSinceStep = m_kept->step;
    snapshot.layers = m_kept->layers;
    for (std::size_t rank = 0; rank < states.size(); ++rank) {
        states[rank].x = static_cast<float>(m_kept->places[rank].x);
        states[rank].y = static_cast<float>(m_kept->places[rank].y);
    }
}

void TrainingMeters::addNoDivergence(Snapshot& snapshot) const {
    snapshot.layers.clear();
    for (const std::string& name : m_layerNames) snapshot.layers.push_back({name, 0, 0});
}

void TrainingMeters::archive(StateArchive& archive) {
    m_noiseScale.archive(archive);
    if (!archive.restores()) return;
    m_kept.reset();
    m_observedUpdate = -1;
}

std::optional<FloatVector> TrainingMeters::average(std::span<const std::span<const float>> replicas,
                                                   std::stop_token stop) const {
    return m_divergence.average(replicas, std::move(stop));
}

}  // namespace lockstep
