#include "cluster/link_use.h"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep {

namespace {

constexpr double kBitsPerByte = 8;

class LinkList {
public:
    LinkList(const Iteration& iteration, double iteration_s)
        : m_rounds(iteration.roundsPerIteration),
          m_secondsPerByte(kBitsPerByte / iteration.network.bandwidthBitPerS / iteration_s) {
        m_links.reserve(4);
    }

    /// The `count` nodes from number `first` on, counted from 1.
    void add(std::string_view kind, int first, int count, double outBytes, double inBytes) {
        if (count < 1) return;
        const std::string name =
            count == 1 ? fmt::format("{} {}", kind, first) : fmt::format("{} {}..{}", kind, first, first + count - 1);
        for (const bool outgoing : {true, false}) {
            const double bytes = m_rounds * (outgoing ? outBytes : inBytes);
            m_links.push_back({name, count, outgoing, bytes, std::min(1.0, bytes * m_secondsPerByte)});
        }
    }

    [[nodiscard]] std::vector<LinkUse> take() { return std::move(m_links); }

private:
    double m_rounds, m_secondsPerByte;
    std::vector<LinkUse> m_links;
};

/// `pushed` is the mean over all workers.
void addDedicated(const ClusterNetwork& network, double pulled, double pushed, LinkList& list) {
    const int workers = network.workers, servers = network.servers;
    list.add("worker", 1, workers, pushed, pulled);
    const auto addServers = [&](int first, int count, double share) {
        list.add("server", first, count, share * workers * pulled, share * workers * pushed);
    };
    const double fullest = network.fullestShare();
    if (network.serverShares.empty()) return addServers(1, servers, fullest);
    addServers(1, 1, fullest);
    addServers(2, servers - 1, (1 - fullest) / std::max(1, servers - 1));
}

/// With whole tensors: the fullest server's node, and the mean of the others.
void addCoLocatedTensors(const ClusterNetwork& network, double pulled, double pushed, LinkList& list) {
    const int others = network.workers - 1;
    const auto addNodes = [&](int first, int count, double share) {
        const double own = 1 - share, served = share * others;
        list.add("worker", first, count, own * pushed + served * pulled, own * pulled + served * pushed);
    };
    const double fullest = network.fullestShare();
    addNodes(1, 1, fullest);
    addNodes(2, others, (1 - fullest) / std::max(1, others));
}

void addCoLocated(const ClusterNetwork& network, double pulled, double pushed, LinkList& list) {
    if (!network.serverShares.empty()) return addCoLocatedTensors(network, pulled, pushed, list);
    const int workers = network.workers;
    const int servers = network.servers;
    const auto addHosts = [&](int first, int count, int hosted) {
        const double served = static_cast<double>(hosted) * (workers - 1) / servers;
        const double own = static_cast<double>(servers - hosted) / servers;
        list.add("worker", first, count, own * pushed + served * pulled, own * pulled + served * pushed);
    };
    const int fuller = servers % workers;
    addHosts(1, fuller, servers / workers + 1);
    addHosts(fuller + 1, workers - fuller, servers / workers);
}

}  // namespace

std::vector<LinkUse> linkUses(const Iteration& iteration, AllReduceAlgorithm algorithm, double iteration_s) {
    const ClusterNetwork& network = iteration.network;
    LinkList list(iteration, iteration_s);
    if (!iteration.communicates) return {};
    const double pushed = iteration.exchangedBytes * iteration.counted() / network.workers;
    if (network.servers == 0) {
        if (network.workers < 2) return {};
        if (iteration.gathersSparse) {
            const double passedOn = (network.workers - 1) * pushed;
            list.add("worker", 1, network.workers, passedOn, passedOn);
            return list.take();
        }
        const double bytes = iteration.exchangedBytes;
        const AllReduceAlgorithm used = cheapestAllReduce(network, algorithm, bytes);
        const RankTraffic traffic = allReduceTraffic(network.workers, used, bytes);
        const bool alike = traffic.firstOut == traffic.othersOut;
        if (!alike) list.add("worker", 1, 1, traffic.firstOut, traffic.firstIn);
        const int first = alike ? 1 : 2;
        list.add("worker", first, network.workers - first + 1, traffic.othersOut, traffic.othersIn);
    } else if (network.coLocated) {
        if (network.workers > 1) addCoLocated(network, iteration.gradientBytes, pushed, list);
    } else {
        addDedicated(network, iteration.gradientBytes, pushed, list);
    }
    return list.take();
}

}  // namespace lockstep
