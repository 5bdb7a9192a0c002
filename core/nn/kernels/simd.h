#pragma once

#include <cstdint>

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

inline constexpr int roundUp(int value, int step) { return (value + step - 1) / step * step; }

/// A multiply-add that is fused where the processor can (the build says -ffp-contract=fast): in scalar code too, so
/// that tails round like the vectors beside them.
inline float multiplyAdd(float a, float b, float c) { return a * b + c; }

}  // namespace lockstep::kernels
