#include "data/partition.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <numeric>

#include "base/random.h"

namespace lockstep {
namespace {

constexpr int kMaxWorkers = 256;
constexpr long long kNoEpoch = -1;

std::vector<std::uint32_t> permutation(std::size_t samples, std::uint64_t seed) {
    std::vector<std::uint32_t> order(samples);
    std::iota(order.begin(), order.end(), 0U);
    RandomStream stream(seed, RandomPurpose::Partition);
    shuffle(order, stream);
    return order;
}

/// Samples by label, those of one label in the given order.
std::vector<std::uint32_t> sortedByLabel(const std::vector<std::uint32_t>& order,
                                         std::span<const std::uint8_t> labels) {
    std::array<std::size_t, 257> next{};
    for (const std::uint8_t label : labels) ++next[label + 1U];
    std::partial_sum(next.begin(), next.end(), next.begin());
    std::vector<std::uint32_t> sorted(order.size());
    for (const std::uint32_t sample : order) sorted[next[labels[sample]]++] = sample;
    return sorted;
}

/// Each worker's stream begins anew in each epoch, so that any epoch can be entered directly.
RandomStream shuffleStream(std::uint64_t seed, int worker, long long epoch) {
    const std::uint32_t index = static_cast<std::uint32_t>(epoch) * kMaxWorkers + static_cast<std::uint32_t>(worker);
    return {seed, RandomPurpose::Shuffle, index};
}

/// `drawn.size()` of the values without repetition.
void draw(std::vector<std::uint32_t> values, std::span<std::uint32_t> drawn, RandomStream& stream) {
    for (std::size_t i = 0; i < drawn.size(); ++i) {
        std::swap(values[i], values[i + stream.nextBelow(static_cast<std::uint32_t>(values.size() - i))]);
        drawn[i] = values[i];
    }
}

}  // namespace

Result<Partition> Partition::make(const PartitionSettings& settings, std::span<const std::uint8_t> labels) {
    if (settings.workers < 1 || settings.workers > kMaxWorkers)
        return fail(fmt::format("training.workers is {}; allowed are 1 to {}", settings.workers, kMaxWorkers));
    if (settings.batchPerWorker < 1)
        return fail(fmt::format("training.batch_per_worker is {}; allowed is 1 or more", settings.batchPerWorker));
    const std::size_t largest = labels.size() / static_cast<std::size_t>(settings.workers);
    if (largest < static_cast<std::size_t>(settings.batchPerWorker))
        return fail(
            fmt::format("training.batch_per_worker is {}, but {} samples among {} workers make shards of {}; "
                        "allowed are 1 to {}",
                        settings.batchPerWorker, labels.size(), settings.workers, largest, largest));
    return Partition(settings, labels);
}

Partition::Partition(const PartitionSettings& settings, std::span<const std::uint8_t> labels) : m_settings(settings) {
    const std::size_t workers = static_cast<std::size_t>(settings.workers);
    m_stepsPerEpoch =
        static_cast<long long>(labels.size() / (workers * static_cast<std::size_t>(settings.batchPerWorker)));
    m_ordered.resize(workers * samplesPerEpoch());
    m_epochs.assign(workers, kNoEpoch);
    deal(labels);
}

std::size_t Partition::samplesPerEpoch() const {
    return static_cast<std::size_t>(m_stepsPerEpoch) * static_cast<std::size_t>(m_settings.batchPerWorker);
}

void Partition::deal(std::span<const std::uint8_t> labels) {
    std::vector<std::uint32_t> order = permutation(labels.size(), m_settings.seed);
    const std::size_t workers = m_epochs.size(), batch = static_cast<std::size_t>(m_settings.batchPerWorker);
    const std::size_t shardSamples = samplesPerEpoch();
    switch (m_settings.kind) {
        case PartitionKind::Replicated:
            m_dealt = std::move(order);
            break;
        case PartitionKind::Disjoint:
            m_dealt.resize(workers * shardSamples);
            for (std::size_t i = 0; i < m_dealt.size(); ++i) {
                const std::size_t block = i / batch, step = block / workers, worker = block % workers;
                m_dealt[worker * shardSamples + step * batch + i % batch] = order[i];
            }
            break;
        case PartitionKind::ByLabel: {
            const std::vector<std::uint32_t> sorted = sortedByLabel(order, labels);
            for (std::size_t worker = 0; worker < workers; ++worker) {
                const auto begin = sorted.begin() + static_cast<std::ptrdiff_t>(worker * sorted.size() / workers);
                m_dealt.insert(m_dealt.end(), begin, begin + static_cast<std::ptrdiff_t>(shardSamples));
            }
            break;
        }
    }
}

std::span<const std::uint32_t> Partition::shard(int worker) const {
    assert(worker >= 0 && worker < m_settings.workers);
    if (m_settings.kind == PartitionKind::Replicated) return m_dealt;
    return std::span(m_dealt).subspan(static_cast<std::size_t>(worker) * samplesPerEpoch(), samplesPerEpoch());
}

void Partition::orderEpoch(int worker, long long epoch) {
    const std::span<std::uint32_t> ordered =
        std::span(m_ordered).subspan(static_cast<std::size_t>(worker) * samplesPerEpoch(), samplesPerEpoch());
    RandomStream stream = shuffleStream(m_settings.seed, worker, epoch);
    if (m_settings.kind == PartitionKind::Replicated) {
        draw(m_dealt, ordered, stream);
    } else {
        std::ranges::copy(shard(worker), ordered.begin());
        if (epoch > 0 || m_settings.kind == PartitionKind::ByLabel) shuffle(ordered, stream);
    }
    m_epochs[static_cast<std::size_t>(worker)] = epoch;
}

std::span<const std::uint32_t> Partition::batch(int worker, long long epoch, long long step) {
    assert(worker >= 0 && worker < m_settings.workers && epoch >= 0 && step >= 0 && step < m_stepsPerEpoch);
    if (m_epochs[static_cast<std::size_t>(worker)] != epoch) orderEpoch(worker, epoch);
    const std::size_t size = static_cast<std::size_t>(m_settings.batchPerWorker);
    return std::span(m_ordered).subspan(
        static_cast<std::size_t>(worker) * samplesPerEpoch() + static_cast<std::size_t>(step) * size, size);
}

}  // namespace lockstep
