#include "train/snapshot_json.h"

#include <fmt/format.h>

#include <cmath>

namespace lockstep {
namespace {

using nlohmann::ordered_json;

ordered_json finite(double value) { return std::isfinite(value) ? ordered_json(value) : ordered_json(nullptr); }

ordered_json divergenceToJson(const Divergence& divergence) {
    return {{"mean_distance_to_average", finite(divergence.meanDistanceToAverage)},
            {"max_pairwise_distance", finite(divergence.maxPairwiseDistance)},
            {"relative", finite(divergence.relative)},
            {"prediction_disagreement", finite(divergence.predictionDisagreement)}};
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
            {"divergence", divergenceToJson(snapshot.divergence)},
            {"gradient_noise_scale", finite(snapshot.gradientNoiseScale)},
            {"staleness", {{"mean", finite(snapshot.staleness.mean)}, {"max", finite(snapshot.staleness.max)}}},
            {"measured_samples_per_s", finite(snapshot.measuredSamplesPerS)},
            {"loading_samples_per_s", finite(snapshot.loadingSamplesPerS)},
            {"loading_blocked_share", finite(snapshot.loadingBlockedShare)},
            {"bytes_sent", finite(snapshot.bytesSent)},
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
