#include "train/training_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <vector>

#include "base/median.h"
#include "base/stopwatch.h"
#include "base/thread_pool.h"
#include "data/training_images.h"
#include "nn/kernels/peak.h"
#include "nn/network.h"
#include "optim/optimizer.h"

namespace lockstep {
namespace {

constexpr double kRate = 1e-4;                 // small, so that timing never runs into infinities
constexpr std::size_t kPieceElements = 16384;  // as a run's shards are cut
constexpr long long kPeakRounds = 400'000;     // about 10 ms

/// One network with all that a step reads and writes.
class Trainee {
public:
    Trainee(Network network, const TrainingImages& images, int batch)
        : m_network(std::move(network)),
          m_images(images),
          m_workspace(m_network, batch),
          m_parameters(m_network.parameterCount()),
          m_gradient(m_network.parameterCount()),
          m_optimizer({}, m_network.parameterCount()),
          m_values(static_cast<std::size_t>(batch) * images.valuesPerImage()),
          m_labels(static_cast<std::size_t>(batch)),
          m_order(images.size()) {
        RandomStream parameters(1, RandomPurpose::Parameters), order(1, RandomPurpose::Shuffle);
        m_network.initialize(m_parameters, parameters);
        std::iota(m_order.begin(), m_order.end(), 0U);
        shuffle(m_order, order);
    }

    [[nodiscard]] const Network& network() const { return m_network; }

    void step(ThreadPool& pool) {
        fill();
        GradientTask task(m_network, m_parameters, {m_values, m_labels}, m_gradient, m_workspace);
        static_cast<void>(task.run(pool));
        const std::size_t pieces = (m_parameters.size() + kPieceElements - 1) / kPieceElements;
        pool.parallelFor(pieces, [&](std::size_t piece, int) {
            const std::size_t begin = piece * kPieceElements;
            m_optimizer.update({begin, std::min(begin + kPieceElements, m_parameters.size())}, m_parameters, m_gradient,
                               {.rate = kRate});
        });
    }

private:
    void fill() {
        const std::size_t batch = m_labels.size();
        std::vector<std::uint32_t> samples(batch);
        for (std::uint32_t& sample : samples) {
            sample = m_order[m_next];
            m_next = (m_next + 1) % m_order.size();
        }
        m_images.fillBatch(samples, m_values, m_labels);
    }

    Network m_network;
    const TrainingImages& m_images;
    Workspace m_workspace;
    std::vector<float> m_parameters, m_gradient;
    Optimizer m_optimizer;
    std::vector<float> m_values;
    std::vector<std::uint8_t> m_labels;
    std::vector<std::uint32_t> m_order;
    std::size_t m_next = 0;
};

double samplesPerSecond(Trainee& trainee, ThreadPool& pool, const TrainingBenchSettings& settings) {
    const SteadyClock::time_point begin = SteadyClock::now();
    long long steps = 0;
    do {
        trainee.step(pool);
        ++steps;
    } while (secondsSince(begin) < settings.secondsPerRound);
    return static_cast<double>(steps * settings.batch) / secondsSince(begin);
}

double peakFlopPerSecond(ThreadPool& pool) {
    const auto threads = static_cast<std::size_t>(pool.threadCount());
    std::vector<double> operations(threads);
    std::vector<float> sinks(threads * 64);
    const SteadyClock::time_point begin = SteadyClock::now();
    pool.parallelFor(
        threads, [&](std::size_t i, int) { operations[i] = kernels::multiplyAddPeak(kPeakRounds, &sinks[i * 64]); });
    return std::accumulate(operations.begin(), operations.end(), 0.0) / secondsSince(begin);
}

Result<void> check(const TrainingBenchSettings& settings) {
    if (settings.batch < 1 || settings.batch > 65536)
        return fail(fmt::format("batch = {}: allowed is 1..65536", settings.batch));
    if (settings.threads < 1 || settings.threads > 1024)
        return fail(fmt::format("threads = {}: allowed is 1..1024", settings.threads));
    if (settings.resolutionPx < 8 || settings.resolutionPx > 64)
        return fail(fmt::format("resolution = {}: allowed is 8..64", settings.resolutionPx));
    return {};
}

}  // namespace

Result<TrainingBenchResult> benchTraining(const TrainingBenchSettings& settings, const TrainTest& data) {
    if (const Result<void> checked = check(settings); !checked) return tl::unexpected(checked.error());
    const TrainingImages images(data.train, settings.resolutionPx);
    Result<NetworkSpec> spec =
        namedNetworkSpec(settings.model, settings.resolutionPx, images.channels(), images.classes());
    if (!spec) return tl::unexpected(spec.error());
    const auto channels = static_cast<std::size_t>(images.channels());
    spec->standardization = {std::vector<float>(channels, images.mean()),
                             std::vector<float>(channels, images.deviation())};
    Result<Network> network = Network::build(std::move(*spec));
    if (!network) return tl::unexpected(network.error());

    ThreadPool pool(settings.threads);
    Trainee trainee(std::move(*network), images, settings.batch);
    const SteadyClock::time_point begin = SteadyClock::now();
    for (int i = 0; i < 3; ++i) trainee.step(pool);
    std::vector<double> rates, peaks;
    for (int round = 0; round < std::max(1, settings.rounds); ++round) {
        rates.push_back(samplesPerSecond(trainee, pool, settings));
        peaks.push_back(peakFlopPerSecond(pool));
    }
    TrainingBenchResult result{.samplesPerS = median(rates),
                               .minimumSamplesPerS = *std::min_element(rates.begin(), rates.end()),
                               .maximumSamplesPerS = *std::max_element(rates.begin(), rates.end()),
                               .peakFlopPerS = *std::max_element(peaks.begin(), peaks.end()),
                               .seconds = secondsSince(begin)};
    result.flopPerS = result.samplesPerS * trainee.network().executedFlopPerSample();
    result.shareOfPeak = result.flopPerS / result.peakFlopPerS;
    return result;
}

}  // namespace lockstep
