#include "train/divergence_meter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/random.h"
#include "optim/vector_math.h"
#include "train/lane_product.h"

namespace lockstep {
namespace {

constexpr std::size_t kBlock = 16384, kSketch = 256, kCandidates = 8;

double sketchDistanceSquared(std::span<const double> x, std::span<const double> y) {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += (x[i] - y[i]) * (x[i] - y[i]);
    return sum;
}

double relativeTo(double distance, double norm) { return norm > 0 ? distance / norm : 0; }

}  // namespace

/// Two replicas, the lower rank first.
struct DivergenceMeter::Pair {
    std::size_t first, second;
    double distanceSquared = 0;
};

/// What one block of coordinates adds to the sums.
struct DivergenceMeter::BlockSums {
    struct Replica {
        double distanceSquared = 0;
        ReplicaPlace place;
    };
    std::vector<Replica> replicas;
    std::vector<double> pairs;  ///< inner products of the replicas' differences to the average, as allPairs lists them
    double averageNormSquared = 0;
};

/// What all blocks together come to, beside what is reported.
struct DivergenceMeter::Totals {
    std::vector<double> distancesSquared;  ///< of each replica to the average
    std::vector<double> pairs;             ///< as in BlockSums
    double averageNorm = 0;

    [[nodiscard]] double distanceSquared() const {
        return std::accumulate(distancesSquared.begin(), distancesSquared.end(), 0.0);
    }
};

DivergenceMeter::DivergenceMeter(std::vector<IndexRange> layers, std::uint64_t seed, ThreadPool& pool)
    : m_layers(std::move(layers)), m_seed(seed), m_pool(pool), m_plane(pool) {
    for (std::size_t layer = 0; layer < m_layers.size(); ++layer)
        for (std::size_t begin = m_layers[layer].begin; begin < m_layers[layer].end; begin += kBlock)
            m_blocks.push_back({layer, begin, std::min(kBlock, m_layers[layer].end - begin)});
}

std::vector<DivergenceMeter::Pair> DivergenceMeter::allPairs(std::size_t replicas) {
    std::vector<Pair> pairs;
    for (std::size_t i = 0; i < replicas; ++i)
        for (std::size_t j = i + 1; j < replicas; ++j) pairs.push_back({i, j});
    return pairs;
}

void DivergenceMeter::averageBlock(std::span<const std::span<const float>> replicas, const Block& block,
                                   std::span<float> average) const {
    const std::span mean = average.subspan(block.begin, block.size);
    std::ranges::fill(mean, 0.0F);
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
                                                      const Block& block, const float* average,
                                                      const std::stop_token& stop) const {
    const std::size_t count = replicas.size();
    const bool pairs = count <= kExactPairs;
    BlockSums sums{.replicas = std::vector<BlockSums::Replica>(count),
                   .pairs = std::vector<double>(pairs ? count * (count - 1) / 2 : 0)};
    std::vector<float> differences((pairs ? count : 1) * kLanePiece);
    const auto row = [&](std::size_t replica) { return differences.data() + (pairs ? replica : 0) * kLanePiece; };
    for (std::size_t begin = block.begin; begin < block.begin + block.size; begin += kLanePiece) {
        if (stop.stop_requested()) break;
        const std::size_t size = std::min(kLanePiece, block.begin + block.size - begin);
        const float* mean = average + begin;
        sums.averageNormSquared += laneProduct(mean, mean, size);
        const auto along = [&](std::size_t axis, const float* difference) {
            if (axis >= m_plane.directions().size()) return 0.0;
            return laneProduct(difference, m_plane.directions()[axis].data() + begin, size);
        };
        for (std::size_t i = 0; i < count; ++i) {
            float* difference = row(i);
            const float* values = replicas[i].data() + begin;
            for (std::size_t k = 0; k < size; ++k) difference[k] = values[k] - mean[k];
            sums.replicas[i].distanceSquared += laneProduct(difference, difference, size);
            sums.replicas[i].place.x += along(0, difference);
            sums.replicas[i].place.y += along(1, difference);
        }
        std::size_t pair = 0;
        for (std::size_t i = 0; pairs && i < count; ++i)
            for (std::size_t j = i + 1; j < count; ++j) sums.pairs[pair++] += laneProduct(row(i), row(j), size);
    }
    return sums;
}

DivergenceMeter::Totals DivergenceMeter::addUp(std::span<const BlockSums> blocks, std::size_t replicas,
                                               Measured& measured) const {
    const auto count = static_cast<double>(replicas);
    Totals totals{.distancesSquared = std::vector<double>(replicas),
                  .pairs = std::vector<double>(blocks.front().pairs.size())};
    std::vector<double> layerNorms(m_layers.size());
    std::vector<double> distances(replicas * m_layers.size());  // squared, [replicas x layers]
    measured.places.resize(replicas);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const std::size_t layer = m_blocks[i].layer;
        layerNorms[layer] += blocks[i].averageNormSquared;
        for (std::size_t pair = 0; pair < totals.pairs.size(); ++pair) totals.pairs[pair] += blocks[i].pairs[pair];
        for (std::size_t replica = 0; replica < replicas; ++replica) {
            const BlockSums::Replica& sums = blocks[i].replicas[replica];
            distances[replica * m_layers.size() + layer] += sums.distanceSquared;
            measured.places[replica].x += sums.place.x;
            measured.places[replica].y += sums.place.y;
        }
    }
    measured.layers.resize(m_layers.size());
    for (std::size_t replica = 0; replica < replicas; ++replica) {
        for (std::size_t layer = 0; layer < m_layers.size(); ++layer) {
            const double ofLayer = distances[replica * m_layers.size() + layer];
            totals.distancesSquared[replica] += ofLayer;
            measured.layers[layer].meanDistanceToAverage += std::sqrt(ofLayer) / count;
        }
        measured.divergence.meanDistanceToAverage += std::sqrt(totals.distancesSquared[replica]) / count;
    }
    for (std::size_t layer = 0; layer < m_layers.size(); ++layer)
        measured.layers[layer].relative =
            relativeTo(measured.layers[layer].meanDistanceToAverage, std::sqrt(layerNorms[layer]));
    totals.averageNorm = std::sqrt(std::accumulate(layerNorms.begin(), layerNorms.end(), 0.0));
    measured.divergence.relative = relativeTo(measured.divergence.meanDistanceToAverage, totals.averageNorm);
    return totals;
}

std::optional<DivergenceMeter::Measured> DivergenceMeter::measure(std::span<const std::span<const float>> replicas,
                                                                  std::stop_token stop) {
    m_average.resize(m_layers.back().end);
    std::vector<BlockSums> blocks(m_blocks.size());
    m_pool.parallelFor(blocks.size(), [&](std::size_t block, int) {
        if (stop.stop_requested()) return;
        averageBlock(replicas, m_blocks[block], m_average);
        blocks[block] = blockSums(replicas, m_blocks[block], m_average.data(), stop);
    });
    if (stop.stop_requested()) return std::nullopt;
    Measured measured;
    const Totals totals = addUp(blocks, replicas.size(), measured);
    measured.divergence.maxPairwiseDistance = largestDistance(replicas, candidatePairs(replicas, totals, stop), stop);
    if (stop.stop_requested()) return std::nullopt;
    // Replicas that are bit for bit equal are at their average, whatever rounding made of it.
    if (measured.divergence.maxPairwiseDistance == 0) {
        measured.divergence = {.planeVersion = m_plane.version()};
        std::ranges::fill(measured.layers, Layer{});
        std::ranges::fill(measured.places, ReplicaPlace{});
        return measured;
    }
    const double distanceSquared = totals.distanceSquared();
    if (!m_plane.use(replicas, m_average, distanceSquared, totals.averageNorm, measured.places, stop))
        return std::nullopt;
    measured.divergence.planeVersion = m_plane.version();
    measured.divergence.shownShare = shownSquared(measured.places) / distanceSquared;
    return measured;
}

std::vector<DivergenceMeter::Pair> DivergenceMeter::candidatePairs(std::span<const std::span<const float>> replicas,
                                                                   const Totals& totals, const std::stop_token& stop) {
    std::vector<Pair> pairs = allPairs(replicas.size());
    if (replicas.size() <= kExactPairs) return farthestPairs(pairs, totals);
    drawSigns();
    std::vector<std::vector<double>> sketches(replicas.size());
    m_pool.parallelFor(replicas.size(), [&](std::size_t i, int) {
        if (!stop.stop_requested()) sketches[i] = sketch(replicas[i]);
    });
    if (stop.stop_requested()) return {};
    for (Pair& pair : pairs) pair.distanceSquared = sketchDistanceSquared(sketches[pair.first], sketches[pair.second]);
    // Positions break ties, so that the choice is the same everywhere.
    std::ranges::partial_sort(pairs, pairs.begin() + kCandidates, [](const Pair& a, const Pair& b) {
        if (a.distanceSquared != b.distanceSquared) return a.distanceSquared > b.distanceSquared;
        return a.first != b.first ? a.first < b.first : a.second < b.second;
    });
    pairs.resize(kCandidates);
    return pairs;
}

/// Those that may be the farthest apart, for all that rounding of their products lets one know.
std::vector<DivergenceMeter::Pair> DivergenceMeter::farthestPairs(std::vector<Pair> pairs, const Totals& totals) {
    constexpr double kRounding = 4e-5;
    const auto uncertainty = [&](const Pair& pair) {
        return kRounding * (totals.distancesSquared[pair.first] + totals.distancesSquared[pair.second]);
    };
    double atLeast = 0;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        Pair& pair = pairs[i];
        pair.distanceSquared =
            totals.distancesSquared[pair.first] + totals.distancesSquared[pair.second] - 2 * totals.pairs[i];
        atLeast = std::max(atLeast, pair.distanceSquared - uncertainty(pair));
    }
    std::erase_if(pairs, [&](const Pair& pair) { return pair.distanceSquared + uncertainty(pair) < atLeast; });
    return pairs;
}

double DivergenceMeter::largestDistance(std::span<const std::span<const float>> replicas, std::vector<Pair> candidates,
                                        const std::stop_token& stop) const {
    m_pool.parallelFor(candidates.size(), [&](std::size_t i, int) {
        if (stop.stop_requested()) return;
        candidates[i].distanceSquared = squaredDistance(replicas[candidates[i].first], replicas[candidates[i].second]);
    });
    double largest = 0;
    for (const Pair& pair : candidates) largest = std::max(largest, pair.distanceSquared);
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
    for (std::size_t block = 0; block < replica.size(); block += kBlock) {
        std::array<float, kSketch> lanes{};
        const std::size_t end = std::min(block + kBlock, replica.size());
        for (std::size_t begin = block; begin < end; begin += kSketch) {
            const float* signs = m_signs.data() + begin;
            const float* values = replica.data() + begin;
            const std::size_t size = std::min(kSketch, end - begin);
            for (std::size_t i = 0; i < size; ++i) lanes[i] += signs[i] * values[i];
        }
        for (std::size_t i = 0; i < kSketch; ++i) sums[i] += double{lanes[i]};
    }
    return sums;
}

}  // namespace lockstep
