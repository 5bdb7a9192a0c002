// Samples per second of the training arithmetic alone: forward, backward and a plain momentum update, on images like
// Fashion-MNIST's (half the pixels zero). bench_network [MODEL] [RESOLUTION] [THREADS] [BATCH...]

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

#include "base/flush_subnormals.h"
#include "nn/network.h"

using namespace lockstep;

namespace {

struct Setup {
    Network network;
    FloatVector parameters, gradient, velocity, images;
    std::vector<std::uint8_t> labels;
    Workspace workspace;
};

Setup makeSetup(const std::string& model, int resolutionPx, int batch) {
    NetworkSpec spec = *namedNetworkSpec(model, resolutionPx, 1, 10);
    spec.standardization = {{0.286F}, {0.353F}};
    Network network = *Network::build(spec);
    Workspace workspace(network, batch);
    Setup setup{std::move(network), {}, {}, {}, {}, {}, std::move(workspace)};
    setup.parameters.resize(setup.network.parameterCount());
    setup.gradient.resize(setup.parameters.size());
    setup.velocity.resize(setup.parameters.size());
    RandomStream stream(1, RandomPurpose::Parameters);
    setup.network.initialize(setup.parameters, stream);
    RandomStream pixels(1, RandomPurpose::Images);
    setup.images.resize(static_cast<std::size_t>(batch) * spec.input.elements());
    for (float& pixel : setup.images) pixel = std::max(0.0F, 2.0F * pixels.nextFloat() - 1.0F);
    setup.labels.resize(static_cast<std::size_t>(batch));
    for (std::uint8_t& label : setup.labels) label = static_cast<std::uint8_t>(pixels.nextBelow(10));
    return setup;
}

void update(Setup& setup, std::size_t first, std::size_t last) {
    float* __restrict w = setup.parameters.data();
    float* __restrict v = setup.velocity.data();
    const float* __restrict g = setup.gradient.data();
    for (std::size_t i = first; i < last; ++i) {
        v[i] = 0.9F * v[i] + g[i];
        w[i] -= 1e-4F * v[i];
    }
}

struct Rate {
    double perWall_s = 0;
    double perCpu_s = 0;  ///< samples per second of one thread's processor time: what a busy machine disturbs less
};

/// Steps until `seconds` have passed, by `threads` threads that share each batch.
Rate samplesPerSecond(Setup& setup, int threads, double seconds) {
    using Clock = std::chrono::steady_clock;
    const LabelledBatch batch{setup.images, setup.labels};
    std::barrier sync(threads);
    bool stop = false;
    long long steps = 0;
    const std::clock_t cpuBegin = std::clock();
    const auto begin = Clock::now();
    const auto work = [&](int rank) {
        const FlushSubnormals flush;
        GradientTask task(setup.network, setup.parameters, batch, setup.gradient, setup.workspace);
        while (true) {
            for (int phase = 0; phase < task.phaseCount(); ++phase) {
                for (int part = rank; part < task.partCount(phase); part += threads) task.runPart(phase, part);
                if (threads > 1) sync.arrive_and_wait();
            }
            const std::size_t n = setup.parameters.size();
            update(setup, n * static_cast<std::size_t>(rank) / static_cast<std::size_t>(threads),
                   n * static_cast<std::size_t>(rank + 1) / static_cast<std::size_t>(threads));
            if (rank == 0) {
                ++steps;
                stop = std::chrono::duration<double>(Clock::now() - begin).count() > seconds;
            }
            if (threads > 1) sync.arrive_and_wait();
            if (stop) return;
        }
    };
    std::vector<std::jthread> helpers;
    for (int rank = 1; rank < threads; ++rank) helpers.emplace_back(work, rank);
    work(0);
    helpers.clear();
    const double wall_s = std::chrono::duration<double>(Clock::now() - begin).count();
    const double cpu_s = static_cast<double>(std::clock() - cpuBegin) / CLOCKS_PER_SEC / threads;
    const double samples = static_cast<double>(steps) * static_cast<double>(setup.labels.size());
    return {samples / wall_s, samples / cpu_s};
}

}  // namespace

int main(int argc, char** argv) {
    const std::string model = argc > 1 ? argv[1] : "cnn";
    const int resolutionPx = argc > 2 ? std::atoi(argv[2]) : 28;
    const int threads = argc > 3 ? std::atoi(argv[3]) : 1;
    std::vector<int> batches;
    for (int i = 4; i < argc; ++i) batches.push_back(std::atoi(argv[i]));
    if (batches.empty()) batches = {1, 8, 32, 128, 512};
    for (const int batch : batches) {
        Setup setup = makeSetup(model, resolutionPx, batch);
        (void)samplesPerSecond(setup, threads, 0.05);
        std::vector<double> wall, cpu;
        for (int i = 0; i < 7; ++i) {
            const Rate rate = samplesPerSecond(setup, threads, 0.15);
            wall.push_back(rate.perWall_s);
            cpu.push_back(rate.perCpu_s);
        }
        std::sort(wall.begin(), wall.end());
        std::printf(
            "%s %d px batch %d threads %d: %.0f samples/s (best by processor time %.0f), %.1f GFLOP/s executed\n",
            model.c_str(), resolutionPx, batch, threads, wall[3], *std::max_element(cpu.begin(), cpu.end()),
            wall[3] * setup.network.executedFlopPerSample() / 1e9);
    }
    return 0;
}
