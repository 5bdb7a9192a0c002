#pragma once

#include <cstddef>
#include <new>
#include <vector>

#include "base/huge_pages.h"

namespace lockstep {

/// Memory that starts at a cache line, so that no vector load of the kernels crosses two.
template <class T>
struct CacheLineAllocator {
    using value_type = T;
    static constexpr std::align_val_t kAlignment{64};

    CacheLineAllocator() = default;
    template <class U>
    CacheLineAllocator(const CacheLineAllocator<U>&) {}

    T* allocate(std::size_t count) {
        void* memory = ::operator new(count * sizeof(T), kAlignment);
        adviseHugePages(memory, count * sizeof(T));
        return static_cast<T*>(memory);
    }
    void deallocate(T* memory, std::size_t) { ::operator delete(memory, kAlignment); }
    bool operator==(const CacheLineAllocator&) const { return true; }
};

/// For parameters, gradients and whatever else the kernels read fast.
using FloatVector = std::vector<float, CacheLineAllocator<float>>;

}  // namespace lockstep
