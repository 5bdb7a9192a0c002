#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>

namespace lockstep {

/// Lowers the calling thread's priority (nice value 10) where the system knows priorities of threads (Linux), so that
/// the window keeps its frames while every core computes. Does nothing elsewhere.
void lowerThisThreadsPriority();

/// What this computer can run at once; at least 1.
[[nodiscard]] int coreCount();

/// A fixed set of threads for one owner: no queue, no futures, no global instance. One parallelFor() runs at a time and
/// is not called from inside another of the same pool. Which thread gets which index is left to chance, so results must
/// not depend on it.
class ThreadPool {
public:
    /// `threads` counts the calling thread, so 1 starts none; at least 1. Started threads are named `name` (up to 15
    /// characters) and, on request, given lower priority. The calling thread's own priority is left alone.
    explicit ThreadPool(int threads, bool lowPriority = true, const std::string& name = "engine");
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    /// As constructed, the calling thread included.
    [[nodiscard]] int threadCount() const;

    /// Calls work(std::size_t index, int thread) once for every index below `count`, thread 0..threadCount()-1, and
    /// returns when all are done. The calling thread takes part as thread 0. When a call throws, indices not yet begun
    /// are skipped and the first exception is thrown here again.
    template <class Work>
    void parallelFor(std::size_t count, Work&& work) {
        using Callable = std::remove_reference_t<Work>;
        const auto call = [](void* context, std::size_t index, int thread) {
            (*static_cast<Callable*>(context))(index, thread);
        };
        run(count, const_cast<std::remove_const_t<Callable>*>(&work), call);
    }

private:
    using Call = void (*)(void* context, std::size_t index, int thread);
    void run(std::size_t count, void* context, Call call);

    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace lockstep
