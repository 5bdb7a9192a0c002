#include "collectives/collective_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <vector>

#include "base/median.h"
#include "base/stopwatch.h"
#include "base/thread_pool.h"
#include "collectives/execute.h"

namespace lockstep {
namespace {

constexpr double kSecondsPerRound = 0.05;
constexpr std::size_t kMostFloats = std::size_t{1} << 28;
constexpr std::size_t kCopyBlock = 1 << 14;  // floats; small enough to share evenly among threads

template <class Work>
double secondsOf(Work work) {
    const SteadyClock::time_point begin = SteadyClock::now();
    double seconds = 0;
    long long times = 0;
    do {
        work();
        ++times;
        seconds = secondsSince(begin);
    } while (seconds < kSecondsPerRound);
    return seconds / static_cast<double>(times);
}

/// Reads and writes every buffer's elements once, as copies of one half of the buffers to the other and back.
void copyAll(std::vector<std::vector<float>>& buffers, ThreadPool& pool) {
    const std::size_t elements = buffers.front().size(), blocks = (elements + kCopyBlock - 1) / kCopyBlock;
    for (const bool back : {false, true}) {
        pool.parallelFor(buffers.size() / 2 * blocks, [&](std::size_t task, int) {
            std::size_t from = task / blocks * 2, to = from + 1;
            if (back) std::swap(from, to);
            const std::size_t begin = task % blocks * kCopyBlock, count = std::min(kCopyBlock, elements - begin);
            std::memcpy(buffers[to].data() + begin, buffers[from].data() + begin, count * sizeof(float));
        });
    }
}

}  // namespace

Result<CollectiveBenchResult> benchAllReduce(const CollectiveBenchSettings& settings) {
    if (settings.ranks < 2 || settings.ranks > 256 || settings.ranks % 2 != 0)
        return fail(fmt::format("ranks = {}: allowed are even numbers from 2 to 256", settings.ranks));
    if (settings.elements < 1 || settings.elements > kMostFloats / static_cast<std::size_t>(settings.ranks))
        return fail(fmt::format("elements = {}: allowed is 1..{} for {} ranks", settings.elements,
                                kMostFloats / static_cast<std::size_t>(settings.ranks), settings.ranks));
    if (settings.threads < 1 || settings.threads > 1024)
        return fail(fmt::format("threads = {}: allowed is 1..1024", settings.threads));
    const auto schedule = CollectiveSchedule::make(Collective::AllReduce, settings.algorithm, settings.ranks);
    if (!schedule) return tl::unexpected(schedule.error());
    const CollectivePlan plan(*schedule, settings.elements);
    ThreadPool pool(settings.threads);
    const auto ranks = static_cast<std::size_t>(settings.ranks);
    std::vector<std::vector<float>> buffers(ranks, std::vector<float>(settings.elements, 1.0F));
    std::vector<float*> pointers;
    for (auto& buffer : buffers) pointers.push_back(buffer.data());
    std::vector<double> reductions, copies;
    for (int round = 0; round < std::max(1, settings.rounds); ++round) {
        reductions.push_back(
            secondsOf([&] { plan.execute(pointers, &pool, 1.0F / static_cast<float>(settings.ranks)); }));
        copies.push_back(secondsOf([&] { copyAll(buffers, pool); }));
    }
    CollectiveBenchResult result{.seconds = median(reductions), .limitSeconds = median(copies)};
    result.bytesPerS = static_cast<double>(ranks * settings.elements * sizeof(float)) / result.seconds;
    result.shareOfLimit = result.limitSeconds / result.seconds;
    return result;
}

}  // namespace lockstep
