#include "train/snapshot_json.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace lockstep {
namespace {

using nlohmann::ordered_json;

ordered_json finite(double value) { return std::isfinite(value) ? ordered_json(value) : ordered_json(nullptr); }

ordered_json divergenceToJson(const Snapshot& snapshot) {
    const Divergence& divergence = snapshot.divergence;
    const bool measured = !std::isnan(divergence.relative);
    ordered_json layers = ordered_json::array();
    for (const LayerDivergence& layer : snapshot.layers)
        layers.push_back({{"layer", layer.layer},
                          {"mean_distance_to_average", finite(layer.meanDistanceToAverage)},
                          {"relative", finite(layer.relative)}});
    return {{"mean_distance_to_average", finite(divergence.meanDistanceToAverage)},
            {"max_pairwise_distance", finite(divergence.maxPairwiseDistance)},
            {"relative", finite(divergence.relative)},
            {"prediction_disagreement", finite(divergence.predictionDisagreement)},
            {"measured_at_step", measured ? ordered_json(divergence.heldSinceStep.value_or(snapshot.step)) : nullptr},
            {"per_layer", std::move(layers)},
            {"projection", {{"version", divergence.planeVersion}, {"shown_share", finite(divergence.shownShare)}}}};
}

ordered_json fullGradientsToJson(const FullGradients& gradients) {
    return {{"mean_relative_error", finite(gradients.mean.relativeError)},
            {"max_relative_error", finite(gradients.largest.relativeError)},
            {"mean_angle_deg", finite(gradients.mean.angleDeg)},
            {"max_angle_deg", finite(gradients.largest.angleDeg)},
            {"weighted_mean_relative_difference", finite(gradients.weightedMeanError)}};
}

/// One figure of each element, in order.
template <class Elements, class Figure>
ordered_json column(const Elements& elements, Figure figure) {
    ordered_json values = ordered_json::array();
    for (const auto& element : elements) values.push_back(finite(figure(element)));
    return values;
}

ordered_json workersToJson(const std::vector<ReplicaState>& workers) {
    using State = ReplicaState;
    return {{"loss", column(workers, [](const State& w) { return w.loss; })},
            {"test_accuracy", column(workers, [](const State& w) { return w.testAccuracy; })},
            {"x", column(workers, [](const State& w) { return double{w.x}; })},
            {"y", column(workers, [](const State& w) { return double{w.y}; })},
            {"bytes_sent", column(workers, [](const State& w) { return w.bytes.sent; })},
            {"bytes_received", column(workers, [](const State& w) { return w.bytes.received; })},
            {"compute_thread_s", column(workers, [](const State& w) { return w.compute_s; })},
            {"communication_wall_s", column(workers, [](const State& w) { return w.communication_s; })},
            {"waiting_modelled_share", column(workers, [](const State& w) { return w.waitingShare; })},
            {"gradient_relative_error", column(workers, [](const State& w) { return w.shardGradient.relativeError; })},
            {"gradient_angle_deg", column(workers, [](const State& w) { return w.shardGradient.angleDeg; })}};
}

ordered_json serversToJson(const std::vector<BytesMoved>& servers) {
    return {{"bytes_sent", column(servers, [](const BytesMoved& s) { return s.sent; })},
            {"bytes_received", column(servers, [](const BytesMoved& s) { return s.received; })}};
}

/// The machines that are not as they should be.
ordered_json machinesToJson(const ClusterHealth& health) {
    ordered_json machines = ordered_json::array();
    const auto add = [&](const std::vector<MachineHealth>& group, const char* kind) {
        for (std::size_t i = 0; i < group.size(); ++i) {
            if (group[i] == MachineHealth{}) continue;
            const char* state = group[i].dead ? "dead" : group[i].paused ? "paused" : "slow";
            machines.push_back({{kind, i}, {"state", state}, {"slowdown", group[i].slowdown}});
        }
    };
    add(health.workers, "worker");
    add(health.servers, "server");
    return machines;
}

}  // namespace

ordered_json snapshotToJson(const Snapshot& snapshot) {
    return {{"step", snapshot.step},
            {"epoch", finite(snapshot.epoch)},
            {"samples_seen", snapshot.samplesSeen},
            {"wall_s", finite(snapshot.wall_s)},
            {"modelled_s", finite(snapshot.modelled_s)},
            {"loss", finite(snapshot.loss)},
            {"train_accuracy", finite(snapshot.trainAccuracy)},
            {"test_accuracy", finite(snapshot.testAccuracy)},
            {"test_loss", finite(snapshot.testLoss)},
            {"average_model_test_accuracy", finite(snapshot.averageModelTestAccuracy)},
            {"learning_rate", finite(snapshot.learningRate)},
            {"divergence", divergenceToJson(snapshot)},
            {"gradient_noise_scale", finite(snapshot.gradientNoiseScale)},
            {"gradient_noise_scale_standard_error", finite(snapshot.gradientNoiseScaleError)},
            {"suggested_global_batch", finite(snapshot.suggestedGlobalBatch)},
            {"gradient_variance",
             {{"before_averaging", finite(snapshot.gradientVariance.before)},
              {"after_averaging", finite(snapshot.gradientVariance.after)}}},
            {"full_gradient", fullGradientsToJson(snapshot.fullGradients)},
            {"staleness", {{"mean", finite(snapshot.staleness.mean)}, {"max", finite(snapshot.staleness.max)}}},
            {"measured_samples_per_s", finite(snapshot.measuredSamplesPerS)},
            {"loading_samples_per_s", finite(snapshot.loadingSamplesPerS)},
            {"loading_blocked_share", finite(snapshot.loadingBlockedShare)},
            {"bytes_sent", finite(snapshot.bytesSent)},
            {"workers", workersToJson(snapshot.replicas)},
            {"servers", serversToJson(snapshot.servers)},
            {"faults",
             {{"machines", machinesToJson(snapshot.health)},
              {"waiting_for", snapshot.waitingFor.empty() ? ordered_json(nullptr) : ordered_json(snapshot.waitingFor)},
              {"restarts", snapshot.restarts},
              {"lost_steps", snapshot.lostSteps}}}};
}

ordered_json summaryToJson(const RunResult& result) {
    ordered_json summary = snapshotToJson(result.last);
    summary["outcome"] = runStateName(result.outcome);
    summary["diverged_at_step"] = result.divergedAtStep ? ordered_json(*result.divergedAtStep) : ordered_json(nullptr);
    summary["parameters_hash"] = fmt::format("{:016x}", result.parametersHash);
    summary["parameters_hash_per_replica"] = ordered_json::array();
    for (const std::uint64_t hash : result.parametersHashPerReplica)
        summary["parameters_hash_per_replica"].push_back(fmt::format("{:016x}", hash));
    return {{"summary", summary}};
}

}  // namespace lockstep
