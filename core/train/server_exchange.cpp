#include <numeric>
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

std::vector<int> allRanks(std::size_t workers) {
    std::vector<int> ranks(workers);
    std::iota(ranks.begin(), ranks.end(), 0);
    return ranks;
}

}  // namespace

ServerExchange::ServerExchange(std::span<Worker> workers, std::unique_ptr<ServerGroup> servers,
                               ServerPlacement placement, const std::vector<std::vector<IndexRange>>& layout)
    : m_workers(workers), m_servers(std::move(servers)), m_localElements(workers.size()) {
    for (std::size_t server = 0; server < layout.size(); ++server) {
        double held = 0;
        for (const IndexRange& slice : layout[server]) held += static_cast<double>(slice.size());
        m_elements += held;
        if (placement == ServerPlacement::CoLocated) m_localElements[server % workers.size()] += held;
    }
}

double ServerExchange::remoteBytes(int rank) const {
    return sizeof(float) * (m_elements - m_localElements[static_cast<std::size_t>(rank)]);
}

void ServerExchange::begin() { pull(allRanks(m_workers.size())); }

void ServerExchange::update(std::span<const Share> shares, double rate, long long update) {
    std::vector<Contribution> gradients;
    std::vector<int> ranks;
    for (const Share& share : shares) {
        gradients.push_back({m_workers[static_cast<std::size_t>(share.rank)].gradient, share.weight});
        ranks.push_back(share.rank);
    }
    push(gradients, ranks);
    applyPushed(rate, update);
    pull(allRanks(m_workers.size()));
}

void ServerExchange::push(std::span<const Contribution> gradients, std::span<const int> ranks) {
    m_servers->collect(gradients);
    for (const int rank : ranks) m_bytesSent += m_wireRatio * remoteBytes(rank);
}

void ServerExchange::pull(std::span<const int> ranks) {
    m_servers->pull(distinctReplicas(m_workers, ranks));
    for (const int rank : ranks) m_bytesSent += remoteBytes(rank);
}

void ServerExchange::archive(StateArchive& archive) {
    Exchange::archive(archive);
    m_servers->archive(archive);
}

void ServerExchange::average(std::span<const std::span<float>> vectors, bool parameters) {
    std::vector<Contribution> pushed;
    for (const std::span<float> vector : vectors) pushed.push_back({vector, 1.0F / static_cast<float>(vectors.size())});
    m_servers->collect(pushed);
    if (parameters) m_servers->adopt();
    m_servers->pullCollected(vectors);
    for (std::size_t rank = 0; rank < vectors.size(); ++rank) m_bytesSent += 2 * remoteBytes(static_cast<int>(rank));
}

void ServerExchange::read(std::span<float> parameters) const {
    m_servers->pull(std::vector<std::span<float>>{parameters});
}

}  // namespace lockstep
