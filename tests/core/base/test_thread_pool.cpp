#include <QtTest>
#include <array>
#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#ifdef __linux__
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include "base/thread_pool.h"

using namespace lockstep;

class TestThreadPool : public QObject {
    Q_OBJECT
private slots:
    /// Every index exactly once, by threads numbered below the pool's size; thousands of jobs in a row.
    void callsEveryIndexOnce_data() {
        QTest::addColumn<int>("threads");
        for (const int threads : {1, 2, 3, 8}) QTest::addRow("%d threads", threads) << threads;
    }
    void callsEveryIndexOnce() {
        QFETCH(int, threads);
        ThreadPool pool(threads);
        QCOMPARE(pool.threadCount(), threads);
        for (int round = 0; round < 2000; ++round) {
            const std::size_t count = static_cast<std::size_t>(round % 40);
            std::vector<int> calls(count);  // not atomic: the sanitizer and the count both tell of a second call
            std::atomic<int> badThreads{0};
            pool.parallelFor(count, [&](std::size_t index, int thread) {
                ++calls[index];
                if (thread < 0 || thread >= threads) ++badThreads;
            });
            QCOMPARE(badThreads.load(), 0);
            for (const int number : calls) QCOMPARE(number, 1);
        }
    }

    /// Two indices that wait for each other can only finish on two threads, one of them the caller.
    void callerTakesPart() {
        ThreadPool pool(2);
        std::atomic<int> arrived{0};
        std::mutex mutex;
        std::set<std::thread::id> ids;
        pool.parallelFor(2, [&](std::size_t, int) {
            ++arrived;
            while (arrived < 2) std::this_thread::yield();
            const std::lock_guard lock(mutex);
            ids.insert(std::this_thread::get_id());
        });
        QCOMPARE(ids.size(), std::size_t{2});
        QVERIFY(ids.contains(std::this_thread::get_id()));
    }

    /// The exception arrives at the caller, whoever threw; later indices are skipped; the pool stays usable. All calls
    /// but the throwing one take so long that calling every index would take half a second.
    void passesExceptionsOn() {
        ThreadPool pool(3);
        for (int round = 0; round < 20; ++round) {
            std::atomic<int> calls{0};
            std::string message;
            try {
                pool.parallelFor(1500, [&](std::size_t index, int) {
                    ++calls;
                    if (index == 5) throw std::runtime_error("five");
                    std::this_thread::sleep_for(std::chrono::milliseconds(1));
                });
            } catch (const std::runtime_error& error) {
                message = error.what();
            }
            QCOMPARE(message, std::string("five"));
            QVERIFY(calls >= 1 && calls < 1500);
        }
        std::atomic<int> calls{0};
        pool.parallelFor(10, [&](std::size_t, int) { ++calls; });
        QCOMPARE(calls.load(), 10);
    }

    void startedThreadsAreNamedAndNiced() {
#ifdef __linux__
        ThreadPool pool(2, true, "a-name-longer-than-fifteen");
        const int own = getpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)));
        std::atomic<int> arrived{0}, nice{-100};
        std::array<char, 32> name{};
        pool.parallelFor(2, [&](std::size_t, int thread) {
            ++arrived;
            while (arrived < 2) std::this_thread::yield();
            if (thread == 0) return;
            nice = getpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)));
            pthread_getname_np(pthread_self(), name.data(), name.size());
        });
        QCOMPARE(nice.load(), std::max(own, 10));
        QCOMPARE(std::string(name.data()), std::string("a-name-longer-t"));
        QCOMPARE(getpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid))), own);
#else
        QSKIP("thread priorities and names are Linux's");
#endif
    }
};

QTEST_GUILESS_MAIN(TestThreadPool)
#include "test_thread_pool.moc"
