#include "base/random.h"

#include <utility>

namespace lockstep {
namespace {

constexpr std::uint32_t kMultiplier0 = 0xD2511F53, kMultiplier1 = 0xCD9E8D57;
constexpr std::uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;
constexpr int kRounds = 10;

std::pair<std::uint32_t, std::uint32_t> multiplyHighLow(std::uint32_t a, std::uint32_t b) {
    const std::uint64_t product = std::uint64_t{a} * b;
    return {static_cast<std::uint32_t>(product >> 32), static_cast<std::uint32_t>(product)};
}

}  // namespace

std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
    for (int round = 0; round < kRounds; ++round) {
        const auto [high0, low0] = multiplyHighLow(kMultiplier0, counter[0]);
        const auto [high1, low1] = multiplyHighLow(kMultiplier1, counter[2]);
        counter = {high1 ^ counter[1] ^ key[0], low1, high0 ^ counter[3] ^ key[1], low0};
        key[0] += kWeyl0;
        key[1] += kWeyl1;
    }
    return counter;
}

RandomStream::RandomStream(std::uint64_t seed, RandomPurpose purpose, std::uint32_t index, std::uint32_t part)
    : m_key{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
      m_counter{0, part, index, static_cast<std::uint32_t>(purpose)} {}

std::uint32_t RandomStream::nextBits() {
    if (m_used == m_block.size()) {
        m_block = philox4x32(m_counter, m_key);
        if (++m_counter[0] == 0) ++m_counter[1];
        m_used = 0;
    }
    return m_block[m_used++];
}

float RandomStream::nextFloat() { return static_cast<float>(nextBits() >> 8) * 0x1p-24F; }

double RandomStream::nextDouble() {
    const std::uint64_t high = nextBits() >> 5, low = nextBits() >> 6;
    return static_cast<double>((high << 26) | low) * 0x1p-53;
}

std::uint32_t RandomStream::nextBelow(std::uint32_t bound) {
    std::uint64_t product = std::uint64_t{nextBits()} * bound;
    if (static_cast<std::uint32_t>(product) < bound) {
        const std::uint32_t threshold = (0U - bound) % bound;
        while (static_cast<std::uint32_t>(product) < threshold) product = std::uint64_t{nextBits()} * bound;
    }
    return static_cast<std::uint32_t>(product >> 32);
}

double RandomStream::nextNormal() {
    double sum = -6.0;
    for (int i = 0; i < 12; ++i) sum += nextDouble();
    return sum;
}

void shuffle(std::span<std::uint32_t> values, RandomStream& stream) {
    for (std::size_t i = values.size(); i > 1; --i)
        std::swap(values[i - 1], values[stream.nextBelow(static_cast<std::uint32_t>(i))]);
}

}  // namespace lockstep
