#include "train/divergence_meter.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/random.h"
#include "optim/vector_math.h"

namespace lockstep {
namespace {

constexpr std::size_t kBlock = 16384, kSketch = 256, kCandidates = 8;

struct Pair {
    std::size_t first, second;
    double distanceSquared;
};

double sketchDistanceSquared(std::span<const double> x, std::span<const double> y) {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += (x[i] - y[i]) * (x[i] - y[i]);
    return sum;
}

double relativeTo(double distance, double norm) { return norm > 0 ? distance / norm : 0; }

std::vector<Pair> allPairs(std::size_t replicas) {
    std::vector<Pair> pairs;
    for (std::size_t i = 0; i < replicas; ++i)
        for (std::size_t j = i + 1; j < replicas; ++j) pairs.push_back({i, j, 0});
    return pairs;
}

}  // namespace

/// What one block of coordinates adds to the sums.
struct DivergenceMeter::BlockSums {
    struct Replica {
        double distanceSquared = 0;
        ReplicaPlace place;
    };
    std::vector<Replica> replicas;
    double averageNormSquared = 0;
};

DivergenceMeter::DivergenceMeter(std::vector<IndexRange> layers, std::uint64_t seed, ThreadPool& pool)
    : m_layers(std::move(layers)), m_seed(seed), m_pool(pool), m_plane(pool) {
    for (std::size_t layer = 0; layer < m_layers.size(); ++layer)
        for (std::size_t begin = m_layers[layer].begin; begin < m_layers[layer].end; begin += kBlock)
            m_blocks.push_back({layer, begin, std::min(kBlock, m_layers[layer].end - begin)});
}

void DivergenceMeter::averageBlock(std::span<const std::span<const float>> replicas, const Block& block,
                                   std::span<float> average) const {
    const std::span mean = average.subspan(block.begin, block.size);
    for (const auto replica : replicas) add(replica.subspan(block.begin, block.size), mean);
    multiply(mean, 1.0F / static_cast<float>(replicas.size()));
}

std::optional<FloatVector> DivergenceMeter::average(std::span<const std::span<const float>> replicas,
                                                    std::stop_token stop) const {
    FloatVector average(m_layers.back().end);
    m_pool.parallelFor(m_blocks.size(), [&](std::size_t block, int) {
        if (!stop.stop_requested()) averageBlock(replicas, m_blocks[block], average);
    });
    if (stop.stop_requested()) return std::nullopt;
    return average;
}

DivergenceMeter::BlockSums DivergenceMeter::blockSums(std::span<const std::span<const float>> replicas,
                                                      const Block& block, std::span<const float> average,
                                                      const std::stop_token& stop) const {
    const auto mean = average.subspan(block.begin, block.size);
    BlockSums sums{.replicas = {}, .averageNormSquared = squaredNorm(mean)};
    std::vector<float> difference(block.size);
    const auto along = [&](std::size_t axis) {
        if (axis >= m_plane.directions().size()) return 0.0;
        return dotProduct(difference, std::span(m_plane.directions()[axis]).subspan(block.begin, block.size));
    };
    for (const auto replica : replicas) {
        if (stop.stop_requested()) break;
        const float* values = replica.data() + block.begin;
        for (std::size_t i = 0; i < block.size; ++i) difference[i] = values[i] - mean[i];
        sums.replicas.push_back({squaredNorm(difference), {along(0), along(1)}});
    }
    return sums;
}

double DivergenceMeter::addUp(std::span<const BlockSums> blocks, std::size_t replicas, Measured& measured) const {
    const auto count = static_cast<double>(replicas);
    std::vector<double> layerNorms(m_layers.size());
    std::vector<double> distances(replicas * m_layers.size());  // squared, [replicas x layers]
    measured.places.resize(replicas);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const std::size_t layer = m_blocks[i].layer;
        layerNorms[layer] += blocks[i].averageNormSquared;
        for (std::size_t replica = 0; replica < replicas; ++replica) {
            const BlockSums::Replica& sums = blocks[i].replicas[replica];
            distances[replica * m_layers.size() + layer] += sums.distanceSquared;
            measured.places[replica].x += sums.place.x;
            measured.places[replica].y += sums.place.y;
        }
    }
    measured.layers.resize(m_layers.size());
    double all = 0;
    for (std::size_t replica = 0; replica < replicas; ++replica) {
        double squared = 0;
        for (std::size_t layer = 0; layer < m_layers.size(); ++layer) {
            const double ofLayer = distances[replica * m_layers.size() + layer];
            squared += ofLayer;
            measured.layers[layer].meanDistanceToAverage += std::sqrt(ofLayer) / count;
        }
        measured.divergence.meanDistanceToAverage += std::sqrt(squared) / count;
        all += squared;
    }
    for (std::size_t layer = 0; layer < m_layers.size(); ++layer)
        measured.layers[layer].relative =
            relativeTo(measured.layers[layer].meanDistanceToAverage, std::sqrt(layerNorms[layer]));
    const double norm = std::sqrt(std::accumulate(layerNorms.begin(), layerNorms.end(), 0.0));
    measured.divergence.relative = relativeTo(measured.divergence.meanDistanceToAverage, norm);
    return all;
}

std::optional<DivergenceMeter::Measured> DivergenceMeter::measure(std::span<const std::span<const float>> replicas,
                                                                  std::stop_token stop) {
    FloatVector average(m_layers.back().end);
    std::vector<BlockSums> blocks(m_blocks.size());
    m_pool.parallelFor(blocks.size(), [&](std::size_t block, int) {
        if (stop.stop_requested()) return;
        averageBlock(replicas, m_blocks[block], average);
        blocks[block] = blockSums(replicas, m_blocks[block], average, stop);
    });
    if (stop.stop_requested()) return std::nullopt;
    Measured measured;
    const double distanceSquared = addUp(blocks, replicas.size(), measured);
    measured.divergence.maxPairwiseDistance = largestDistance(replicas, stop);
    if (stop.stop_requested()) return std::nullopt;
    // Replicas that are bit for bit equal are at their average, whatever rounding made of it.
    if (measured.divergence.maxPairwiseDistance == 0) {
        measured.divergence = {.planeVersion = m_plane.version()};
        std::ranges::fill(measured.layers, Layer{});
        std::ranges::fill(measured.places, ReplicaPlace{});
        return measured;
    }
    if (!m_plane.use(replicas, average, distanceSquared, std::sqrt(squaredNorm(average)), measured.places, stop))
        return std::nullopt;
    measured.divergence.planeVersion = m_plane.version();
    measured.divergence.shownShare = shownSquared(measured.places) / distanceSquared;
    return measured;
}

double DivergenceMeter::largestDistance(std::span<const std::span<const float>> replicas, const std::stop_token& stop) {
    std::vector<Pair> pairs = allPairs(replicas.size());
    if (replicas.size() > kExactPairs) {
        drawSigns();
        std::vector<std::vector<double>> sketches(replicas.size());
        m_pool.parallelFor(replicas.size(), [&](std::size_t i, int) {
            if (!stop.stop_requested()) sketches[i] = sketch(replicas[i]);
        });
        if (stop.stop_requested()) return 0;
        for (Pair& pair : pairs)
            pair.distanceSquared = sketchDistanceSquared(sketches[pair.first], sketches[pair.second]);
        // Positions break ties, so that the choice is the same everywhere.
        std::ranges::partial_sort(pairs, pairs.begin() + kCandidates, [](const Pair& a, const Pair& b) {
            if (a.distanceSquared != b.distanceSquared) return a.distanceSquared > b.distanceSquared;
            return a.first != b.first ? a.first < b.first : a.second < b.second;
        });
        pairs.resize(kCandidates);
    }
    m_pool.parallelFor(pairs.size(), [&](std::size_t i, int) {
        if (stop.stop_requested()) return;
        pairs[i].distanceSquared = squaredDistance(replicas[pairs[i].first], replicas[pairs[i].second]);
    });
    double largest = 0;
    for (const Pair& pair : pairs) largest = std::max(largest, pair.distanceSquared);
    return std::sqrt(largest);
}

void DivergenceMeter::drawSigns() {
    if (!m_signs.empty()) return;
    RandomStream stream(m_seed, RandomPurpose::Projection);
    m_signs.resize(m_layers.back().end);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < m_signs.size(); ++i, bits >>= 1) {
        if (i % 32 == 0) bits = stream.nextBits();
        m_signs[i] = (bits & 1) != 0 ? 1.0F : -1.0F;
    }
}

std::vector<double> DivergenceMeter::sketch(std::span<const float> replica) const {
    std::vector<double> sums(kSketch);
    const float* signs = m_signs.data();
    for (std::size_t begin = 0; begin < replica.size(); begin += kSketch) {
        const std::size_t size = std::min(kSketch, replica.size() - begin);
        for (std::size_t i = 0; i < size; ++i) sums[i] += double{signs[begin + i]} * double{replica[begin + i]};
    }
    return sums;
}

}  // namespace lockstep
