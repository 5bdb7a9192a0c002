#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace lockstep {

/// The Philox4x32-10 bijection: 128 bits of counter under a 64-bit key to 128 random bits.
/// Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
[[nodiscard]] std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                                      std::array<std::uint32_t, 2> key);

/// What a stream of random numbers is for. Streams of different purpose never share numbers.
enum class RandomPurpose : std::uint32_t {
    Parameters,
    Shuffle,
    Augmentation,
    ComputeTime,
    Images,
    Partition,
    Projection,
    QuizOptions,
    Test,
    Split,
};

/// A seeded counter-based stream, the same on every platform. Two streams with different (seed, purpose, index, part)
/// are independent, so each worker owns one and the order in which workers run cannot matter. A part is 2^34 numbers
/// long; whoever draws more from a stream gives its parts no names.
class RandomStream {
public:
    RandomStream(std::uint64_t seed, RandomPurpose purpose, std::uint32_t index = 0, std::uint32_t part = 0);

    [[nodiscard]] std::uint32_t nextBits();
    /// Uniform in [0, 1) with 24 random bits.
    [[nodiscard]] float nextFloat();
    /// Uniform in [0, 1) with 53 random bits.
    [[nodiscard]] double nextDouble();
    /// Uniform in [0, bound), without bias (Lemire's method); bound >= 1.
    [[nodiscard]] std::uint32_t nextBelow(std::uint32_t bound);
    /// Approximately normal with mean 0 and deviation 1: the sum of 12 uniforms minus 6, so that no platform's
    /// logarithm or cosine takes part. Its tails end at 6.
    [[nodiscard]] double nextNormal();

private:
    std::array<std::uint32_t, 2> m_key;
    std::array<std::uint32_t, 4> m_counter;
    std::array<std::uint32_t, 4> m_block{};
    unsigned m_used = 4;
};

/// Fisher-Yates with the stream's numbers.
void shuffle(std::span<std::uint32_t> values, RandomStream& stream);

}  // namespace lockstep
