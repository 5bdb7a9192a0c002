#pragma once

#include <cstdint>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace lockstep {

/// While it lives, the calling thread treats numbers below 1.2e-38 as zero. Velocities of weights that get no more
/// gradient decay into that range, where processors take a hundred cycles for an operation. It is part of what a
/// training step means, so every piece of one holds it: then no result depends on which thread ran it.
class FlushSubnormals {
public:
#if defined(__SSE2__)
    FlushSubnormals() : m_before(_mm_getcsr()) { _mm_setcsr(m_before | kFlushToZero | kSubnormalsAreZero); }
    ~FlushSubnormals() { _mm_setcsr(m_before); }
#elif defined(__aarch64__)
    FlushSubnormals() {
        asm volatile("mrs %0, fpcr" : "=r"(m_before));
        asm volatile("msr fpcr, %0" ::"r"(m_before | (std::uint64_t{1} << 24)));
    }
    ~FlushSubnormals() { asm volatile("msr fpcr, %0" ::"r"(m_before)); }
#else
    FlushSubnormals() = default;
#endif
    FlushSubnormals(const FlushSubnormals&) = delete;
    FlushSubnormals& operator=(const FlushSubnormals&) = delete;

private:
#if defined(__SSE2__)
    static constexpr unsigned kFlushToZero = 0x8000, kSubnormalsAreZero = 0x0040;
    unsigned m_before;
#elif defined(__aarch64__)
    std::uint64_t m_before;
#endif
};

}  // namespace lockstep
