#include "train/divergence_meter.h"

#include <algorithm>
#include <cmath>

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

std::vector<Pair> allPairs(std::size_t replicas) {
    std::vector<Pair> pairs;
    for (std::size_t i = 0; i < replicas; ++i)
        for (std::size_t j = i + 1; j < replicas; ++j) pairs.push_back({i, j, 0});
    return pairs;
}

}  // namespace

/// What one block of coordinates adds to the sums, by replica.
struct DivergenceMeter::BlockSums {
    struct Replica {
        double distanceSquared = 0, x = 0, y = 0;
    };
    std::vector<Replica> replicas;
    double averageNormSquared = 0;
};

DivergenceMeter::DivergenceMeter(std::size_t parameters, std::uint64_t seed, ThreadPool& pool)
    : m_parameters(parameters), m_pool(pool) {
    for (std::uint32_t direction = 0; direction < 2; ++direction) {
        RandomStream stream(seed, RandomPurpose::Projection, direction);
        m_signs[direction].resize(parameters);
        std::uint32_t bits = 0;
        for (std::size_t i = 0; i < parameters; ++i, bits >>= 1) {
            if (i % 32 == 0) bits = stream.nextBits();
            m_signs[direction][i] = (bits & 1) != 0 ? 1.0F : -1.0F;
        }
    }
}

DivergenceMeter::BlockSums DivergenceMeter::blockSums(std::span<const std::span<const float>> replicas,
                                                      std::size_t block, std::span<float> average,
                                                      const std::stop_token& stop) const {
    const std::size_t begin = block * kBlock, size = std::min(kBlock, m_parameters - begin);
    const std::span mean = average.subspan(begin, size);
    for (const auto replica : replicas) add(replica.subspan(begin, size), mean);
    multiply(mean, 1.0F / static_cast<float>(replicas.size()));

    BlockSums sums{.replicas = {}, .averageNormSquared = squaredNorm(mean)};
    std::vector<float> difference(size);
    for (const auto replica : replicas) {
        if (stop.stop_requested()) break;
        const float* values = replica.data() + begin;
        for (std::size_t i = 0; i < size; ++i) difference[i] = values[i] - mean[i];
        sums.replicas.push_back({squaredNorm(difference),
                                 dotProduct(difference, std::span(m_signs[0]).subspan(begin, size)),
                                 dotProduct(difference, std::span(m_signs[1]).subspan(begin, size))});
    }
    return sums;
}

std::optional<DivergenceMeter::Measured> DivergenceMeter::measure(std::span<const std::span<const float>> replicas,
                                                                  std::stop_token stop) const {
    Measured measured;
    measured.average.assign(m_parameters, 0.0F);
    std::vector<BlockSums> blocks((m_parameters + kBlock - 1) / kBlock);
    m_pool.parallelFor(blocks.size(), [&](std::size_t block, int) {
        if (!stop.stop_requested()) blocks[block] = blockSums(replicas, block, measured.average, stop);
    });
    if (stop.stop_requested()) return std::nullopt;
    double averageNormSquared = 0;
    for (const BlockSums& block : blocks) averageNormSquared += block.averageNormSquared;
    for (std::size_t replica = 0; replica < replicas.size(); ++replica) {
        BlockSums::Replica total;
        for (const BlockSums& block : blocks) {
            total.distanceSquared += block.replicas[replica].distanceSquared;
            total.x += block.replicas[replica].x;
            total.y += block.replicas[replica].y;
        }
        measured.divergence.meanDistanceToAverage +=
            std::sqrt(total.distanceSquared) / static_cast<double>(replicas.size());
        measured.places.push_back({.x = static_cast<float>(total.x), .y = static_cast<float>(total.y)});
    }
    measured.divergence.maxPairwiseDistance = largestDistance(replicas, stop);
    if (stop.stop_requested()) return std::nullopt;
    // Replicas that are bit for bit equal are at their average, whatever rounding made of it.
    if (measured.divergence.maxPairwiseDistance == 0) {
        measured.divergence.meanDistanceToAverage = 0;
        for (ReplicaState& place : measured.places) place.x = place.y = 0;
    }
    if (averageNormSquared > 0)
        measured.divergence.relative = measured.divergence.meanDistanceToAverage / std::sqrt(averageNormSquared);
    return measured;
}

double DivergenceMeter::largestDistance(std::span<const std::span<const float>> replicas,
                                        const std::stop_token& stop) const {
    std::vector<Pair> pairs = allPairs(replicas.size());
    if (replicas.size() > kExactPairs) {
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

std::vector<double> DivergenceMeter::sketch(std::span<const float> replica) const {
    std::vector<double> sums(kSketch);
    const float* signs = m_signs[0].data();
    for (std::size_t begin = 0; begin < replica.size(); begin += kSketch) {
        const std::size_t size = std::min(kSketch, replica.size() - begin);
        for (std::size_t i = 0; i < size; ++i) sums[i] += double{signs[begin + i]} * double{replica[begin + i]};
    }
    return sums;
}

}  // namespace lockstep
