#include <utility>

#include "train/exchange.h"

namespace lockstep {
namespace {

/// The distinct replicas of these workers: a shared one once.
std::vector<std::span<float>> distinctReplicas(std::span<Worker> workers, std::span<const int> ranks) {
    std::vector<std::span<float>> replicas;
    for (const int rank : ranks) {
        const std::span<float> replica = workers[static_cast<std::size_t>(rank)].parameters;
        if (replicas.empty() || replicas.back().data() != replica.data()) replicas.push_back(replica);
    }
    return replicas;
}

}  // namespace

ServerExchange::ServerExchange(std::span<Worker> workers, std::unique_ptr<ServerGroup> servers,
                               ServerPlacement placement, const std::vector<std::vector<IndexRange>>& layout)
    : Exchange(workers, layout.size()), m_servers(std::move(servers)), m_placement(placement), m_layout(layout) {}

template <class Count>
void ServerExchange::forEachRemoteServer(int rank, Count count) {
    for (std::size_t server = 0; server < m_layout.size(); ++server) {
        const bool sameNode =
            m_placement == ServerPlacement::CoLocated && server % m_workers.size() == static_cast<std::size_t>(rank);
        if (!sameNode) count(server);
    }
}

template <class BytesOfSlice>
void ServerExchange::countPush(int rank, BytesOfSlice bytes) {
    BytesMoved& worker = m_traffic.workers[static_cast<std::size_t>(rank)];
    forEachRemoteServer(rank, [&](std::size_t server) {
        for (const IndexRange slice : m_layout[server]) transfer(worker, m_traffic.servers[server], bytes(slice));
    });
}

void ServerExchange::countPull(int rank) {
    BytesMoved& worker = m_traffic.workers[static_cast<std::size_t>(rank)];
    const WireFormat format;
    forEachRemoteServer(rank, [&](std::size_t server) {
        for (const IndexRange slice : m_layout[server])
            transfer(m_traffic.servers[server], worker, format.denseBytes(slice));
    });
}

void ServerExchange::begin() { pull(everyone()); }

void ServerExchange::update(std::span<const Share> shares, double rate, long long update) {
    std::vector<Contribution> gradients;
    std::vector<int> ranks;
    for (const Share& share : shares) {
        gradients.push_back({m_workers[static_cast<std::size_t>(share.rank)].gradient, share.weight});
        ranks.push_back(share.rank);
    }
    push(gradients, ranks);
    applyPushed(rate, update);
    pull(everyone());
}

void ServerExchange::push(std::span<const Contribution> gradients, std::span<const int> ranks) {
    m_time.measure(ranks, [&] { m_servers->collect(gradients); });
    for (std::size_t i = 0; i < ranks.size(); ++i)
        countPush(ranks[i], [&](IndexRange slice) { return m_format.bytes(gradients[i].values, slice); });
}

void ServerExchange::pull(std::span<const int> ranks) {
    m_time.measure(ranks, [&] { m_servers->pull(distinctReplicas(m_workers, ranks)); });
    for (const int rank : ranks) countPull(rank);
}

void ServerExchange::archive(StateArchive& archive) {
    Exchange::archive(archive);
    m_servers->archive(archive);
}

void ServerExchange::average(std::span<const std::span<float>> vectors, bool parameters) {
    std::vector<Contribution> pushed;
    for (const std::span<float> vector : vectors) pushed.push_back({vector, 1.0F / static_cast<float>(vectors.size())});
    m_time.measure(everyone(), [&] {
        m_servers->collect(pushed);
        if (parameters) m_servers->adopt();
        m_servers->pullCollected(vectors);
    });
    const WireFormat format;
    for (const int rank : everyone()) {
        countPush(rank, [&](IndexRange slice) { return format.denseBytes(slice); });
        countPull(rank);
    }
}

void ServerExchange::read(std::span<float> parameters) const {
    m_servers->pull(std::vector<std::span<float>>{parameters});
}

}  // namespace lockstep
