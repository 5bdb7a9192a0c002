#include "train/parameter_server.h"

#include <algorithm>
#include <utility>

namespace lockstep {

ParameterServer::ParameterServer(ParameterShard shard, std::span<const IndexRange> slices,
                                 std::span<const float> initialParameters)
    : m_shard(std::move(shard)), m_collected(m_shard.size()) {
    m_weights.reserve(m_shard.size());
    for (const IndexRange& slice : slices)
        m_weights.insert(m_weights.end(), initialParameters.begin() + static_cast<std::ptrdiff_t>(slice.begin),
                         initialParameters.begin() + static_cast<std::ptrdiff_t>(slice.end));
}

void ParameterServer::collect(std::size_t piece, std::span<const Contribution> pushed) {
    const UpdatePiece& place = m_shard.pieces()[piece];
    const std::size_t size = place.local.size();
    float* sum = m_collected.data() + place.local.begin;
    std::fill_n(sum, size, 0.0F);
    for (const Contribution& one : pushed) {
        const float* values = one.values.data() + place.globalBegin;
        for (std::size_t i = 0; i < size; ++i) sum[i] += one.weight * values[i];
    }
}

void ParameterServer::measure(std::size_t piece) { m_shard.measure(piece, m_weights, m_collected); }

void ParameterServer::update(std::size_t piece, const UpdateOrder& order) {
    m_shard.update(piece, m_weights, m_collected, order);
}

void ParameterServer::adopt(std::size_t piece) {
    const IndexRange local = m_shard.pieces()[piece].local;
    std::copy_n(m_collected.data() + local.begin, local.size(), m_weights.data() + local.begin);
}

void ParameterServer::pull(std::size_t piece, std::span<float> replica) const {
    const UpdatePiece& place = m_shard.pieces()[piece];
    std::copy_n(m_weights.data() + place.local.begin, place.local.size(), replica.data() + place.globalBegin);
}

void ParameterServer::pullCollected(std::size_t piece, std::span<float> vector) const {
    const UpdatePiece& place = m_shard.pieces()[piece];
    std::copy_n(m_collected.data() + place.local.begin, place.local.size(), vector.data() + place.globalBegin);
}

void ParameterServer::adopt(std::span<const float> parameters) {
    for (const UpdatePiece& place : m_shard.pieces())
        std::copy_n(parameters.data() + place.globalBegin, place.local.size(), m_weights.data() + place.local.begin);
}

void ParameterServer::archive(StateArchive& archive) {
    archive.elements(std::span(m_weights));
    m_shard.archive(archive);
}

ServerGroup::ServerGroup(const std::vector<std::vector<IndexRange>>& layout, Settings settings,
                         std::span<const float> initialParameters, ThreadPool& pool)
    : m_settings(std::move(settings)), m_pool(pool) {
    for (const auto& slices : layout) {
        ParameterShard shard(slices, m_settings.layers, m_settings.optimizer, m_settings.trained);
        m_servers.emplace_back(std::move(shard), slices, initialParameters);
        for (std::size_t piece = 0; piece < m_servers.back().pieceCount(); ++piece)
            m_tasks.push_back({m_servers.size() - 1, piece});
    }
}

template <class Work>
void ServerGroup::forEachPiece(Work work) const {
    m_pool.parallelFor(m_tasks.size(), [&](std::size_t task, int) { work(m_tasks[task].server, m_tasks[task].piece); });
}

void ServerGroup::collect(std::span<const Contribution> pushed) {
    forEachPiece([&](std::size_t server, std::size_t piece) { m_servers[server].collect(piece, pushed); });
}

void ServerGroup::update(double rate, long long update) {
    LayerNorms norms;
    if (needsNorms(m_settings.optimizer, m_settings.clipNorm)) {
        forEachPiece([&](std::size_t server, std::size_t piece) { m_servers[server].measure(piece); });
        for (const ParameterServer& server : m_servers) server.addNorms(norms);
    }
    const UpdateOrder order = updateOrder(m_settings.optimizer, rate, update, m_settings.clipNorm, norms);
    forEachPiece([&](std::size_t server, std::size_t piece) { m_servers[server].update(piece, order); });
}

void ServerGroup::adopt() {
    forEachPiece([&](std::size_t server, std::size_t piece) { m_servers[server].adopt(piece); });
}

void ServerGroup::adopt(std::span<const float> parameters) {
    for (ParameterServer& server : m_servers) server.adopt(parameters);
}

void ServerGroup::readOptimizer(std::span<float> first, std::span<float> second) const {
    for (const ParameterServer& server : m_servers) server.shard().readState(first, second);
}

void ServerGroup::writeOptimizer(std::span<const float> first, std::span<const float> second) {
    for (ParameterServer& server : m_servers) server.shard().writeState(first, second);
}

void ServerGroup::archive(StateArchive& archive) {
    for (ParameterServer& server : m_servers) server.archive(archive);
}

void ServerGroup::pull(std::span<const std::span<float>> replicas) const {
    forEachPiece([&](std::size_t server, std::size_t piece) {
        for (const std::span<float> replica : replicas) m_servers[server].pull(piece, replica);
    });
}

void ServerGroup::pullCollected(std::span<const std::span<float>> vectors) const {
    forEachPiece([&](std::size_t server, std::size_t piece) {
        for (const std::span<float> vector : vectors) m_servers[server].pullCollected(piece, vector);
    });
}

}  // namespace lockstep
