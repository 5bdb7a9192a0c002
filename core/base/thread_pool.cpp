#include "base/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#ifdef __linux__
#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace lockstep {
namespace {

constexpr int kNiceValue = 10;
constexpr std::size_t kLongestThreadName = 15;
/// Spinning this long before sleeping keeps the phases of a training step, which follow each other at once or after a
/// short part that one thread does alone, clear of the system's wake-up time.
constexpr std::chrono::microseconds kSpinTime{150};
constexpr int kSpinsBetweenLooks = 32;  // at the clock

void nameThisThread([[maybe_unused]] const std::string& name) {
#ifdef __linux__
    pthread_setname_np(pthread_self(), name.substr(0, kLongestThreadName).c_str());
#endif
}

void relax() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

template <class Condition>
void spinUntil(std::chrono::microseconds longest, Condition&& condition) {
    if (longest.count() == 0) return;
    const auto end = std::chrono::steady_clock::now() + longest;
    do {
        for (int i = 0; i < kSpinsBetweenLooks; ++i) {
            if (condition()) return;
            relax();
        }
    } while (std::chrono::steady_clock::now() < end);
}

}  // namespace

void lowerThisThreadsPriority() {
#ifdef __linux__
    // On Linux a thread has a nice value of its own, found by its thread id.
    setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), kNiceValue);
#endif
}

int coreCount() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

struct ThreadPool::Impl {
    std::vector<std::thread> threads;
    std::chrono::microseconds spinTime{0};

    std::mutex mutex;
    std::condition_variable jobOpened, jobLeft;
    std::atomic<std::uint64_t> generation{0};  ///< of the job that was opened last; written under the mutex
    std::atomic<int> inside{0};                ///< started threads at work on the job; written under the mutex
    bool open = false;                         ///< whether further threads may join the job
    bool ending = false;
    std::exception_ptr error;

    void* context = nullptr;
    Call call = nullptr;
    std::size_t count = 0;
    std::atomic<std::size_t> next{0};

    void work(int thread) {
        try {
            for (std::size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) call(context, i, thread);
        } catch (...) {
            next.store(count);
            const std::lock_guard lock(mutex);
            if (!error) error = std::current_exception();
        }
    }

    void threadMain(int thread) {
        std::uint64_t seen = 0;
        while (true) {
            spinUntil(spinTime, [&] { return generation.load(std::memory_order_relaxed) != seen; });
            {
                std::unique_lock lock(mutex);
                jobOpened.wait(lock, [&] { return generation.load() != seen; });
                seen = generation.load();
                if (ending) return;
                if (!open) continue;
                ++inside;
            }
            work(thread);
            bool last = false;
            {
                const std::lock_guard lock(mutex);
                last = --inside == 0;
            }
            if (last) jobLeft.notify_one();
        }
    }

    /// Threads that come too late for the job find it closed and go back to sleep: the caller waits only for those
    /// that have joined.
    std::exception_ptr closeJob() {
        {
            const std::lock_guard lock(mutex);
            open = false;
        }
        spinUntil(spinTime, [&] { return inside.load(std::memory_order_relaxed) == 0; });
        std::unique_lock lock(mutex);
        jobLeft.wait(lock, [&] { return inside.load() == 0; });
        return std::exchange(error, nullptr);
    }
};

ThreadPool::ThreadPool(int threads, bool lowPriority, const std::string& name) : m_impl(std::make_unique<Impl>()) {
    assert(threads >= 1);
    // With more threads than cores, who spins keeps another from working.
    const bool coresForAll = std::thread::hardware_concurrency() >= static_cast<unsigned>(threads);
    m_impl->spinTime = coresForAll ? kSpinTime : std::chrono::microseconds{0};
    m_impl->threads.reserve(static_cast<std::size_t>(threads - 1));
    for (int i = 1; i < threads; ++i)
        m_impl->threads.emplace_back([impl = m_impl.get(), i, lowPriority, name] {
            nameThisThread(name);
            if (lowPriority) lowerThisThreadsPriority();
            impl->threadMain(i);
        });
}

ThreadPool::~ThreadPool() {
    {
        const std::lock_guard lock(m_impl->mutex);
        m_impl->ending = true;
        ++m_impl->generation;
    }
    m_impl->jobOpened.notify_all();
    for (std::thread& thread : m_impl->threads) thread.join();
}

int ThreadPool::threadCount() const { return static_cast<int>(m_impl->threads.size()) + 1; }

void ThreadPool::run(std::size_t count, void* context, Call call) {
    if (count == 0) return;
    Impl& impl = *m_impl;
    if (count == 1 || impl.threads.empty()) {
        for (std::size_t i = 0; i < count; ++i) call(context, i, 0);
        return;
    }
    {
        const std::lock_guard lock(impl.mutex);
        assert(!impl.open && impl.inside == 0);
        impl.context = context;
        impl.call = call;
        impl.count = count;
        impl.next.store(0);
        impl.open = true;
        ++impl.generation;
    }
    impl.jobOpened.notify_all();
    impl.work(0);
    if (const std::exception_ptr error = impl.closeJob()) std::rethrow_exception(error);
}

}  // namespace lockstep
