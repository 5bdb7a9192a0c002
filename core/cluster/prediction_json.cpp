#include "cluster/prediction_json.h"

namespace lockstep {

namespace {

using Json = nlohmann::ordered_json;

Json orNull(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json breakdownJson(const Prediction& prediction) {
    const Breakdown& parts = prediction.breakdown;
    const auto time = [&](double seconds) { return prediction.fits ? Json(seconds) : Json(nullptr); };
    return {{"load_s", time(parts.load_s)},
            {"compute_s", time(parts.compute_s)},
            {"pull_s", time(parts.pull_s)},
            {"push_s", time(parts.push_s)},
            {"allreduce_s", time(parts.allreduce_s)},
            {"aggregate_s", time(parts.aggregate_s)},
            {"exposed_communication_s", time(parts.exposedCommunication_s)},
            {"idle_s", time(parts.idle_s)}};
}

Json linksJson(const Prediction& prediction) {
    Json links = Json::array();
    for (const LinkUse& link : prediction.links) {
        links.push_back({{"node", link.node},
                         {"count", link.count},
                         {"direction", link.outgoing ? "out" : "in"},
                         {"bytes", link.bytes},
                         {"busy_fraction", link.busyFraction}});
    }
    return links;
}

}  // namespace

Json predictionToJson(const Prediction& prediction) {
    const MemoryUse& memory = prediction.memory;
    Json json;
    json["iteration_time_s"] = orNull(prediction.iterationTime_s);
    json["throughput_samples_per_s"] = orNull(prediction.throughputSamplesPerS);
    json["scaling_efficiency"] = orNull(prediction.scalingEfficiency);
    json["global_batch"] = prediction.globalBatch;
    json["epoch_time_s"] = orNull(prediction.epochTime_s);
    json["fits"] = prediction.fits;
    json["max_batch_per_worker"] = prediction.maxBatchPerWorker;
    json["breakdown"] = breakdownJson(prediction);
    json["bottleneck"] = bottleneckName(prediction.bottleneck);
    json["memory"] = {{"parameters_bytes", memory.parametersBytes},
                      {"gradients_bytes", memory.gradientsBytes},
                      {"optimizer_bytes", memory.optimizerBytes},
                      {"activations_bytes", memory.activationsBytes},
                      {"workspace_bytes", memory.workspaceBytes}};
    json["pull_bandwidth_per_worker_bit_per_s"] = orNull(prediction.pullBandwidthPerWorkerBitPerS);
    json["push_bandwidth_per_worker_bit_per_s"] = orNull(prediction.pushBandwidthPerWorkerBitPerS);
    json["links"] = linksJson(prediction);
    json["loading_bandwidth_samples_per_s"] = orNull(prediction.loadingBandwidthSamplesPerS);
    json["training_bandwidth_samples_per_s"] = orNull(prediction.trainingBandwidthSamplesPerS);
    return json;
}

}  // namespace lockstep
