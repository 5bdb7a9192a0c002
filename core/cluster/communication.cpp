#include "cluster/communication.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace lockstep {

namespace {

constexpr double kBitsPerByte = 8;

/// Loads of one direction, in bytes over one link's rate.
struct Loads {
    double worker = 0, server = 0, fabric = 0;
};

/// Loads when `active` of the workers exchange `bytes` each with dedicated servers.
Loads dedicatedLoads(const Network& network, double bytes, int active) {
    const double nodes = static_cast<double>(network.workers) + network.servers;
    return {bytes, active * bytes / network.servers, active * bytes * network.oversubscription / nodes};
}

Loads coLocatedLoads(const Network& network, double bytes) {
    const int servers = network.servers;
    const int others = network.workers - 1;
    const int fullest = (servers + network.workers - 1) / network.workers;
    const int emptiest = servers / network.workers;
    Loads loads;
    loads.worker = others == 0 ? 0 : bytes * (servers - emptiest) / servers;
    loads.server = static_cast<double>(fullest) * others / servers * bytes;
    loads.fabric = others * bytes * network.oversubscription / network.workers;
    return loads;
}

double largest(const Loads& loads) { return std::max({loads.worker, loads.server, loads.fabric}); }

int powerOfTwoIn(int workers) { return static_cast<int>(std::bit_floor(static_cast<unsigned>(workers))); }
int ceilLog2(int workers) { return static_cast<int>(std::bit_width(static_cast<unsigned>(workers - 1))); }

/// How much longer a step takes than on a switch without oversubscription when `senders` nodes send at once.
double fabricSlowdown(const Network& network, double senders) {
    return std::max(1.0, network.oversubscription * senders / network.workers);
}

/// Full-rate transfers of all bytes that the steps amount to, slowed by the switch where it is the narrower.
double transfersOfAll(const Network& network, AllReduceAlgorithm algorithm) {
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

double steps(const Network& network, AllReduceAlgorithm algorithm) {
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

double cost_s(const Network& network, AllReduceAlgorithm algorithm, double bytes) {
    const double full_s = kBitsPerByte * bytes / network.bandwidthBitPerS;
    return transfersOfAll(network, algorithm) * full_s + steps(network, algorithm) * network.latency_s;
}

}  // namespace

Exchange serverExchange(const Network& network, double bytes) {
    Exchange exchange;
    if (network.coLocated && network.workers == 1) return exchange;
    const Loads loads =
        network.coLocated ? coLocatedLoads(network, bytes) : dedicatedLoads(network, bytes, network.workers);
    exchange.transfer_s = kBitsPerByte * largest(loads) / network.bandwidthBitPerS;
    exchange.latency_s = network.latency_s;
    exchange.workerBytes = loads.worker;
    if (loads.fabric > std::max(loads.worker, loads.server))
        exchange.limit = Bottleneck::Fabric;
    else if (network.workers > network.servers)
        exchange.limit = Bottleneck::ServerLink;
    return exchange;
}

PushEnds delayedPush(const Network& network, double bytes, int slow, double delay_s) {
    const double together_s = serverExchange(network, bytes).total_s();
    const int fast = network.workers - slow;
    if (network.coLocated || fast == 0 || slow == 0) return {together_s, together_s};
    const auto transfer_s = [&](int active) {
        return kBitsPerByte * largest(dedicatedLoads(network, bytes, active)) / network.bandwidthBitPerS;
    };
    // What the fast still have to send when the slow begin, as a share of `bytes`.
    const double left = std::max(0.0, 1 - delay_s / transfer_s(fast));
    const double shared_s = left * transfer_s(network.workers);
    const double fastEnd_s = left > 0 ? shared_s : transfer_s(fast) - delay_s;
    return {network.latency_s + fastEnd_s, network.latency_s + shared_s + (1 - left) * transfer_s(slow)};
}

AllReduceAlgorithm cheapestAllReduce(const Network& network, AllReduceAlgorithm algorithm, double bytes) {
    if (algorithm != AllReduceAlgorithm::Auto) return algorithm;
    AllReduceAlgorithm best = AllReduceAlgorithm::Ring;
    for (const AllReduceAlgorithm candidate :
         {AllReduceAlgorithm::HalvingDoubling, AllReduceAlgorithm::Tree, AllReduceAlgorithm::Naive}) {
        if (cost_s(network, candidate, bytes) < cost_s(network, best, bytes)) best = candidate;
    }
    return best;
}

Exchange allReduceExchange(const Network& network, AllReduceAlgorithm algorithm, double bytes) {
    Exchange exchange;
    if (network.workers < 2) return exchange;
    algorithm = cheapestAllReduce(network, algorithm, bytes);
    Network uncongested = network;
    uncongested.oversubscription = 1;
    const double transfers = transfersOfAll(network, algorithm);
    exchange.transfer_s = transfers * (kBitsPerByte * bytes / network.bandwidthBitPerS);
    exchange.latency_s = steps(network, algorithm) * network.latency_s;
    if (transfers > transfersOfAll(uncongested, algorithm)) exchange.limit = Bottleneck::Fabric;
    const RankTraffic traffic = allReduceTraffic(network.workers, algorithm, bytes);
    exchange.workerBytes = std::max(traffic.firstOut, traffic.othersOut);
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
