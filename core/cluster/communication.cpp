#include "cluster/communication.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace lockstep {

namespace {

constexpr double kBitsPerByte = 8;

/// Loads of one direction, in bytes over one link's rate.
struct Loads {
    double worker = 0, server = 0, fabric = 0;
};

/// Nodes whose links the switch stands for.
double nodesOf(const ClusterNetwork& network) {
    return network.coLocated ? network.workers : static_cast<double>(network.workers) + network.servers;
}

/// Loads when `senders` of the workers exchange `bytes` each with dedicated servers.
Loads dedicatedLoads(const ClusterNetwork& network, double bytes, int senders) {
    const double fabric = senders * bytes * network.oversubscription / nodesOf(network);
    return {bytes, senders * bytes * network.fullestShare(), fabric};
}

/// Share of the parameters on the node that holds least of them.
double leastHosted(const ClusterNetwork& network) {
    if (network.serverShares.empty()) return static_cast<double>(network.servers / network.workers) / network.servers;
    return std::cmp_less(network.serverShares.size(), network.workers) ? 0 : network.serverShares.back();
}

Loads coLocatedLoads(const ClusterNetwork& network, double bytes, int senders) {
    const int others = network.workers - 1;
    const int hosted = (network.servers + network.workers - 1) / network.workers;
    Loads loads;
    loads.worker = others == 0 ? 0 : bytes * (1 - leastHosted(network));
    loads.server = hosted * network.fullestShare() * std::min(senders, others) * bytes;
    loads.fabric = std::min(senders, others) * bytes * network.oversubscription / nodesOf(network);
    return loads;
}

Loads loadsOf(const ClusterNetwork& network, double bytes, int senders) {
    return network.coLocated ? coLocatedLoads(network, bytes, senders) : dedicatedLoads(network, bytes, senders);
}

/// Bytes over one link's rate that the exchange takes where servers hold different shares, see serverExchange.
double unevenTransfer(const ClusterNetwork& network, double bytes, int senders) {
    const double flows = network.coLocated ? std::min(senders, network.workers - 1) : senders;
    const double fabric = nodesOf(network) / network.oversubscription;
    double time = 0, moved = 0;
    for (std::size_t open = network.serverShares.size(); open > 0; --open) {
        const auto servers = static_cast<double>(open);
        // Of co-located workers, one that sends to every server hosts one of them.
        const double sent = network.coLocated ? std::min<double>(servers, network.workers - 1) : servers;
        const double rate = std::min({1 / sent, 1 / flows, fabric / (servers * flows)});
        const double share = network.serverShares[open - 1];
        time += (share - moved) * bytes / rate;
        moved = share;
    }
    return time;
}

double transfer_s(const ClusterNetwork& network, double bytes, int senders) {
    const Loads loads = loadsOf(network, bytes, senders);
    const double even = std::max({loads.worker, loads.server, loads.fabric});
    const double time = network.serverShares.empty() ? even : unevenTransfer(network, bytes, senders);
    return kBitsPerByte * time / network.bandwidthBitPerS;
}

int powerOfTwoIn(int workers) { return static_cast<int>(std::bit_floor(static_cast<unsigned>(workers))); }
int ceilLog2(int workers) { return static_cast<int>(std::bit_width(static_cast<unsigned>(workers - 1))); }

/// How much longer a step takes than on a switch without oversubscription when `senders` nodes send at once.
double fabricSlowdown(const ClusterNetwork& network, double senders) {
    return std::max(1.0, network.oversubscription * senders / network.workers);
}

/// Full-rate transfers of all bytes that the steps amount to, slowed by the switch where it is the narrower.
double transfersOfAll(const ClusterNetwork& network, AllReduceAlgorithm algorithm) {
    const int workers = network.workers;
    switch (algorithm) {
        case AllReduceAlgorithm::Tree: {
            double transfers = 0;
            for (long long stride = 1; stride < workers; stride *= 2) {
                const auto senders = static_cast<double>((workers - 1 - stride) / (2 * stride) + 1);
                transfers += 2 * fabricSlowdown(network, senders);
            }
            return transfers;
        }
        case AllReduceAlgorithm::HalvingDoubling: {
            const int ranks = powerOfTwoIn(workers);
            const int folded = workers - ranks;
            const double exchange = 2.0 * (ranks - 1) / ranks * fabricSlowdown(network, ranks);
            return exchange + (folded > 0 ? 2 * fabricSlowdown(network, folded) : 0);
        }
        case AllReduceAlgorithm::Naive:
            return 2 * std::max<double>(workers - 1, (workers - 1) * network.oversubscription / workers);
        default:
            return 2.0 * (workers - 1) / workers * fabricSlowdown(network, workers);
    }
}

double steps(const ClusterNetwork& network, AllReduceAlgorithm algorithm) {
    const int workers = network.workers;
    switch (algorithm) {
        case AllReduceAlgorithm::Tree:
            return 2.0 * ceilLog2(workers);
        case AllReduceAlgorithm::HalvingDoubling: {
            const int ranks = powerOfTwoIn(workers);
            return 2.0 * ceilLog2(ranks) + (workers > ranks ? 2 : 0);
        }
        case AllReduceAlgorithm::Naive:
            return 2;
        default:
            return 2.0 * (workers - 1);
    }
}

double cost_s(const ClusterNetwork& network, AllReduceAlgorithm algorithm, double bytes) {
    const double full_s = kBitsPerByte * bytes / network.bandwidthBitPerS;
    return transfersOfAll(network, algorithm) * full_s + steps(network, algorithm) * network.latency_s;
}

}  // namespace

ExchangeCost serverExchange(const ClusterNetwork& network, double bytes, int senders) {
    ExchangeCost exchange;
    if (network.coLocated && network.workers == 1) return exchange;
    const Loads loads = loadsOf(network, bytes, senders);
    const bool manyToFew = network.serverShares.empty() ? senders > network.servers : loads.server > loads.worker;
    exchange.transfer_s = transfer_s(network, bytes, senders);
    exchange.latency_s = network.latency_s;
    exchange.workerBytes = loads.worker;
    if (loads.fabric > std::max(loads.worker, loads.server))
        exchange.limit = Bottleneck::Fabric;
    else if (manyToFew)
        exchange.limit = Bottleneck::ServerLink;
    return exchange;
}

PushEnds delayedPush(const ClusterNetwork& network, double bytes, const PushTimes& times) {
    const double together_s = serverExchange(network, bytes, times.senders).total_s();
    const int fast = times.senders - times.slow;
    if (network.coLocated || fast == 0 || times.slow == 0) return {together_s, together_s};
    // What the fast still have to send when the slow begin, as a share of `bytes`.
    const double fast_s = transfer_s(network, bytes, fast);
    const double left = std::max(0.0, 1 - times.delay_s / fast_s);
    const double shared_s = left * transfer_s(network, bytes, times.senders);
    const double fastEnd_s = left > 0 ? shared_s : fast_s - times.delay_s;
    return {network.latency_s + fastEnd_s,
            network.latency_s + shared_s + (1 - left) * transfer_s(network, bytes, times.slow)};
}

AllReduceAlgorithm cheapestAllReduce(const ClusterNetwork& network, AllReduceAlgorithm algorithm, double bytes) {
    if (algorithm != AllReduceAlgorithm::Auto) return algorithm;
    AllReduceAlgorithm best = AllReduceAlgorithm::Ring;
    for (const AllReduceAlgorithm candidate :
         {AllReduceAlgorithm::HalvingDoubling, AllReduceAlgorithm::Tree, AllReduceAlgorithm::Naive}) {
        if (cost_s(network, candidate, bytes) < cost_s(network, best, bytes)) best = candidate;
    }
    return best;
}

ExchangeCost allReduceExchange(const ClusterNetwork& network, AllReduceAlgorithm algorithm, double bytes) {
    ExchangeCost exchange;
    if (network.workers < 2) return exchange;
    algorithm = cheapestAllReduce(network, algorithm, bytes);
    ClusterNetwork uncongested = network;
    uncongested.oversubscription = 1;
    const double transfers = transfersOfAll(network, algorithm);
    exchange.transfer_s = transfers * (kBitsPerByte * bytes / network.bandwidthBitPerS);
    exchange.latency_s = steps(network, algorithm) * network.latency_s;
    if (transfers > transfersOfAll(uncongested, algorithm)) exchange.limit = Bottleneck::Fabric;
    const RankTraffic traffic = allReduceTraffic(network.workers, algorithm, bytes);
    exchange.workerBytes = std::max(traffic.firstOut, traffic.othersOut);
    return exchange;
}

ExchangeCost sparseGatherExchange(const ClusterNetwork& network, double bytes) {
    ExchangeCost exchange;
    if (network.workers < 2) return exchange;
    const double gatherSteps = network.workers - 1;
    const double slowdown = fabricSlowdown(network, network.workers);
    exchange.workerBytes = gatherSteps * bytes;
    exchange.transfer_s = slowdown * kBitsPerByte * exchange.workerBytes / network.bandwidthBitPerS;
    exchange.latency_s = gatherSteps * network.latency_s;
    if (slowdown > 1) exchange.limit = Bottleneck::Fabric;
    return exchange;
}

RankTraffic allReduceTraffic(int workers, AllReduceAlgorithm algorithm, double bytes) {
    RankTraffic traffic;
    if (workers < 2) return traffic;
    const double others = workers - 1;
    if (algorithm == AllReduceAlgorithm::Naive || algorithm == AllReduceAlgorithm::Tree) {
        // Rank 0 receives from `partners` and later sends to them; everyone else sends up once and receives once.
        const double partners = algorithm == AllReduceAlgorithm::Naive ? others : ceilLog2(workers);
        const double passedOn = (others - partners) / others;
        traffic.firstOut = traffic.firstIn = partners * bytes;
        traffic.othersOut = traffic.othersIn = (1 + passedOn) * bytes;
        return traffic;
    }
    if (algorithm == AllReduceAlgorithm::HalvingDoubling) {
        const int ranks = powerOfTwoIn(workers);
        const double exchanged = 2.0 * (ranks - 1) / ranks * bytes;
        const double folded = workers - ranks;
        // Rank 0 is the first to take in a partner, where there is one to take in.
        traffic.firstOut = traffic.firstIn = exchanged + (folded > 0 ? bytes : 0);
        const double all = ranks * exchanged + 2 * folded * bytes;
        traffic.othersOut = traffic.othersIn = (all - traffic.firstOut) / others;
        return traffic;
    }
    const double each = 2.0 * others / workers * bytes;
    return {each, each, each, each};
}

}  // namespace lockstep
