#pragma once

#include <cstdint>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

/// Vectors of the widest registers this build may use, by GCC's vector extensions: the same source serves x86-64
/// (4 lanes), v3 (8), v4 (16) and other processors (4). Each output's sum has the same order for every width.
namespace lockstep::kernels {

#if defined(__AVX512F__)
inline constexpr int kLanes = 16;
inline constexpr int kRegisters = 32;
#elif defined(__AVX2__)
inline constexpr int kLanes = 8;
inline constexpr int kRegisters = 16;
#else
inline constexpr int kLanes = 4;
inline constexpr int kRegisters = 16;
#endif

typedef float Vector __attribute__((vector_size(kLanes * sizeof(float))));
typedef std::int32_t IntVector __attribute__((vector_size(kLanes * sizeof(std::int32_t))));
typedef float UnalignedVector __attribute__((vector_size(kLanes * sizeof(float)), aligned(4), may_alias));
typedef std::int32_t UnalignedIntVector
    __attribute__((vector_size(kLanes * sizeof(std::int32_t)), aligned(4), may_alias));

inline Vector load(const float* from) { return *reinterpret_cast<const UnalignedVector*>(from); }
inline void store(float* to, Vector value) { *reinterpret_cast<UnalignedVector*>(to) = value; }
inline IntVector load(const std::int32_t* from) { return *reinterpret_cast<const UnalignedIntVector*>(from); }
inline void store(std::int32_t* to, IntVector value) { *reinterpret_cast<UnalignedIntVector*>(to) = value; }
/// x - 0 is x for every x, -0 included, so this is one broadcast instruction.
inline Vector broadcast(float value) { return value - Vector{}; }

/// Lanes as bytes; each value is within 0..255. (GCC 12 takes a conversion of 8 lanes apart, hence the intrinsics.)
inline void storeBytes(std::uint8_t* to, IntVector value) {
#if defined(__AVX512F__)
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm512_cvtepi32_epi8(reinterpret_cast<__m512i>(value)));
#elif defined(__AVX2__)
    const __m256i all = reinterpret_cast<__m256i>(value);
    const __m128i words = _mm_packus_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(to), _mm_packus_epi16(words, words));
#else
    for (int i = 0; i < kLanes; ++i) to[i] = static_cast<std::uint8_t>(value[i]);
#endif
}
inline IntVector loadBytes(const std::uint8_t* from) {
#if defined(__AVX512F__)
    return reinterpret_cast<IntVector>(_mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))));
#elif defined(__AVX2__)
    return reinterpret_cast<IntVector>(_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from))));
#else
    return IntVector{from[0], from[1], from[2], from[3]};
#endif
}

/// to = a0 b0 a1 b1 ... as 32-bit values.
inline void interleave(IntVector a, Vector b, std::int32_t* to) {
    const IntVector c = reinterpret_cast<IntVector>(b);
#if defined(__AVX512F__)
    store(to, __builtin_shufflevector(a, c, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23));
    store(to + 16, __builtin_shufflevector(a, c, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31));
#elif defined(__AVX2__)
    store(to, __builtin_shufflevector(a, c, 0, 8, 1, 9, 2, 10, 3, 11));
    store(to + 8, __builtin_shufflevector(a, c, 4, 12, 5, 13, 6, 14, 7, 15));
#else
    store(to, __builtin_shufflevector(a, c, 0, 4, 1, 5));
    store(to + 4, __builtin_shufflevector(a, c, 2, 6, 3, 7));
#endif
}

/// A multiply-add that is fused where the processor can (the build says -ffp-contract=fast): in scalar code too, so
/// that tails round like the vectors beside them.
inline float multiplyAdd(float a, float b, float c) { return a * b + c; }

}  // namespace lockstep::kernels
