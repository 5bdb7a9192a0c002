#include <fmt/format.h>

#include <limits>

#include "base/json_text.h"
#include "experiment/key_table.h"

namespace lockstep {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::max();
constexpr double kMaxNodes = 65536;
constexpr double kMaxBucketBytes = 1099511627776.0;  // 2^40

using nlohmann::json;

Result<void> readOverrideField(NodeOverride& target, const std::string& name, const json& value,
                               const std::string& where) {
    if (name != "node" && name != "bandwidth_bit_per_s" && name != "latency_s" && name != "slowdown")
        return fail(fmt::format("{}: unknown entry '{}'; allowed are node, bandwidth_bit_per_s, latency_s, slowdown",
                                where, name));
    if (value.is_null() && name != "node") return {};
    if (!value.is_number()) return fail(fmt::format("{}.{} = {}: allowed is a number", where, name, shownJson(value)));
    const double number = value.get<double>();
    if (name == "node") {
        if (!(number >= 0 && number < 2 * kMaxNodes) || number != static_cast<double>(static_cast<int>(number)))
            return fail(fmt::format("{}.node = {}: allowed is a whole number 0..131071", where, shownJson(value)));
        target.node = static_cast<int>(number);
    } else if (name == "bandwidth_bit_per_s") {
        if (!(number > 0)) return fail(fmt::format("{}.{} = {}: allowed is > 0", where, name, shownJson(value)));
        target.bandwidthBitPerS = number;
    } else if (name == "latency_s") {
        if (!(number >= 0)) return fail(fmt::format("{}.{} = {}: allowed is >= 0", where, name, shownJson(value)));
        target.latencyS = number;
    } else {
        if (!(number >= 1)) return fail(fmt::format("{}.{} = {}: allowed is >= 1", where, name, shownJson(value)));
        target.slowdown = number;
    }
    return {};
}

Result<void> setOverrides(Experiment& experiment, const json& list) {
    if (list.size() > 2 * static_cast<std::size_t>(kMaxNodes))
        return fail(fmt::format("cluster.node_overrides has {} entries; allowed are at most 131072", list.size()));
    std::vector<NodeOverride> overrides;
    for (std::size_t i = 0; i < list.size(); ++i) {
        const std::string where = fmt::format("cluster.node_overrides[{}]", i);
        if (!list[i].is_object() || !list[i].contains("node"))
            return fail(fmt::format("{} = {}: allowed is an object with at least 'node'", where, shownJson(list[i])));
        NodeOverride entry;
        for (const auto& [name, value] : list[i].items())
            if (Result<void> read = readOverrideField(entry, name, value, where); !read) return read;
        overrides.push_back(entry);
    }
    experiment.cluster.nodeOverrides = std::move(overrides);
    return {};
}

json getOverrides(const Experiment& experiment) {
    json list = json::array();
    for (const NodeOverride& entry : experiment.cluster.nodeOverrides) {
        json object = {{"node", entry.node}};
        if (entry.bandwidthBitPerS) object["bandwidth_bit_per_s"] = *entry.bandwidthBitPerS;
        if (entry.latencyS) object["latency_s"] = *entry.latencyS;
        if (entry.slowdown) object["slowdown"] = *entry.slowdown;
        list.push_back(std::move(object));
    }
    return list;
}

using C = ClusterSettings;
const auto kGroup = &Experiment::cluster;

std::vector<KeyRow> nodeRows() {
    return {
        row({.path = "cluster.architecture",
             .meaning =
                 "Who holds what and who talks to whom: one machine alone, workers around parameter servers, or equal "
                 "workers that reduce among themselves."},
            kGroup, &C::architecture),
        row({.path = "cluster.workers",
             .type = KeyType::Integer,
             .meaning = "Model replicas that compute gradients, each on its own part of the data.",
             .minimum = 1,
             .maximum = kMaxNodes},
            kGroup, &C::workers),
        row({.path = "cluster.servers",
             .type = KeyType::Integer,
             .meaning = "Parameter servers. Each holds an equal share of the parameters, so their links add up.",
             .minimum = 0,
             .maximum = kMaxNodes},
            kGroup, &C::servers),
        row({.path = "cluster.server_placement",
             .meaning = "Whether servers are machines of their own or share the workers' machines and links."},
            kGroup, &C::serverPlacement),
        row({.path = "cluster.fixed_nodes",
             .type = KeyType::Integer,
             .unit = "nodes",
             .meaning =
                 "When above 0, workers and servers together are this many machines: every server costs a worker.",
             .minimum = 2,
             .maximum = kMaxNodes,
             .zeroAllowed = true},
            kGroup, &C::fixedNodes),
        row({.path = "cluster.device",
             .type = KeyType::Text,
             .meaning =
                 "The accelerator or processor that holds one replica: its rate by precision, its memory and the share "
                 "of its peak that training reaches."},
            kGroup, &C::device),
        row({.path = "cluster.devices_per_node",
             .type = KeyType::Integer,
             .meaning = "Replicas in one machine. They share that machine's network link.",
             .minimum = 1,
             .maximum = 16,
             .notYet = {"*"}},
            kGroup, &C::devicesPerNode),
        row({.path = "cluster.intra_node_link",
             .type = KeyType::Text,
             .meaning = "The link between the devices of one machine.",
             .notYet = {"*"}},
            kGroup, &C::intraNodeLink),
        row({.path = "cluster.intra_node_bandwidth_bit_per_s",
             .type = KeyType::Number,
             .unit = "bit/s",
             .meaning = "Overrides the bandwidth of the link inside a machine; 0 keeps the catalogue's.",
             .minimum = 0,
             .maximum = kUnbounded,
             .notYet = {"*"}},
            kGroup, &C::intraNodeBandwidthBitPerS),
        row({.path = "cluster.link_bandwidth_bit_per_s",
             .type = KeyType::Number,
             .unit = "bit/s",
             .meaning = "Each machine's full-duplex network link: this much in each direction.",
             .minimum = 0,
             .maximum = kUnbounded,
             .minimumExcluded = true},
            kGroup, &C::linkBandwidthBitPerS),
        row({.path = "cluster.link_latency_s",
             .type = KeyType::Number,
             .unit = "s",
             .meaning = "Time before the first byte of a message arrives, whatever its size.",
             .minimum = 0,
             .maximum = kUnbounded},
            kGroup, &C::linkLatencyS),
        row({.path = "cluster.nodes_per_rack",
             .type = KeyType::Integer,
             .meaning = "Machines behind one rack switch; 0 puts all of them behind a single switch.",
             .minimum = 0,
             .maximum = kMaxNodes,
             .notYet = {"*"}},
            kGroup, &C::nodesPerRack),
        row({.path = "cluster.oversubscription",
             .type = KeyType::Number,
             .meaning = "How many times a rack's links together exceed its uplink.",
             .minimum = 1,
             .maximum = kUnbounded},
            kGroup, &C::oversubscription),
    };
}

std::vector<KeyRow> communicationRows() {
    return {
        row({.path = "cluster.allreduce",
             .meaning =
                 "How equal workers sum their gradients: round a ring, up and down a tree, by exchanging halves, "
                 "through one of them, or as is cheapest.",
             .notYet = {"hierarchical"}},
            kGroup, &C::allreduce),
        row({.path = "cluster.overlap",
             .type = KeyType::Boolean,
             .meaning = "Send gradients bucket by bucket while the backward pass still runs.",
             .notYet = {"*"}},
            kGroup, &C::overlap),
        row({.path = "cluster.bucket_bytes",
             .type = KeyType::Number,
             .unit = "B",
             .meaning = "Size of a bucket of gradients when communication overlaps the backward pass.",
             .minimum = 1,
             .maximum = kMaxBucketBytes,
             .notYet = {"*"}},
            kGroup, &C::bucketBytes),
        row({.path = "cluster.sharding",
             .meaning =
                 "How parameters are dealt to the servers: in equal slices, or as whole tensors, each to the emptiest "
                 "server."},
            kGroup, &C::sharding),
        row({.path = "cluster.server_aggregation_byte_per_s",
             .type = KeyType::Number,
             .unit = "B/s",
             .meaning = "What one server can sum; 0 is unlimited.",
             .minimum = 0,
             .maximum = kUnbounded},
            kGroup, &C::serverAggregationBytePerS),
    };
}

std::vector<KeyRow> inputAndFaultRows() {
    return {
        row({.path = "cluster.loader_samples_per_s",
             .type = KeyType::Number,
             .unit = "samples/s",
             .meaning = "What one machine's input pipeline delivers; 0 is unlimited.",
             .minimum = 0,
             .maximum = kUnbounded},
            kGroup, &C::loaderSamplesPerS),
        row({.path = "cluster.prefetch_batches",
             .type = KeyType::Integer,
             .unit = "batches",
             .meaning = "Depth of the queue between the input pipeline and the device; with 0 they take turns.",
             .minimum = 0,
             .maximum = 64},
            kGroup, &C::prefetchBatches),
        row({.path = "cluster.storage_bandwidth_bit_per_s",
             .type = KeyType::Number,
             .unit = "bit/s",
             .meaning = "Bandwidth of the storage that all machines read from together; 0 is unlimited.",
             .minimum = 0,
             .maximum = kUnbounded},
            kGroup, &C::storageBandwidthBitPerS),
        row({.path = "cluster.straggler_count",
             .type = KeyType::Integer,
             .meaning = "Workers that compute slower than the others.",
             .minimum = 0,
             .maximum = kMaxNodes},
            kGroup, &C::stragglerCount),
        row({.path = "cluster.straggler_slowdown",
             .type = KeyType::Number,
             .meaning = "How many times longer a slow worker computes.",
             .minimum = 1,
             .maximum = kUnbounded},
            kGroup, &C::stragglerSlowdown),
        row({.path = "cluster.compute_jitter",
             .type = KeyType::Number,
             .meaning = "Coefficient of variation of the compute time from step to step.",
             .minimum = 0,
             .maximum = 1,
             .notYet = {"*"}},
            kGroup, &C::computeJitter),
        row({.path = "cluster.zero_stage",
             .type = KeyType::Integer,
             .meaning =
                 "What the replicas share out to save memory: 1 optimizer state, 2 gradients too, 3 parameters too.",
             .minimum = 0,
             .maximum = 3,
             .notYet = {"*"}},
            kGroup, &C::zeroStage),
        row({.path = "cluster.activation_recomputation",
             .type = KeyType::Boolean,
             .meaning = "Recompute activations in the backward pass instead of keeping them.",
             .notYet = {"*"}},
            kGroup, &C::activationRecomputation),
        row({.path = "cluster.price_per_device_hour",
             .type = KeyType::Number,
             .meaning = "Price of one device for an hour, for the cost of a training run.",
             .minimum = 0,
             .maximum = kUnbounded,
             .notYet = {"*"}},
            kGroup, &C::pricePerDeviceHour),
        {{.path = "cluster.node_overrides",
          .type = KeyType::List,
          .meaning = "Machines that differ from the others: node, bandwidth_bit_per_s, latency_s, slowdown.",
          .notYet = {"*"}},
         getOverrides,
         setOverrides},
    };
}

}  // namespace

std::vector<KeyRow> clusterRows() {
    std::vector<KeyRow> rows = nodeRows();
    for (std::vector<KeyRow> part : {communicationRows(), inputAndFaultRows()})
        for (KeyRow& entry : part) rows.push_back(std::move(entry));
    return rows;
}

}  // namespace lockstep
