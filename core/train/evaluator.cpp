#include "train/evaluator.h"

#include <algorithm>
#include <atomic>

namespace lockstep {
namespace {

constexpr std::size_t kChunk = 125;

struct ChunkResult {
    double loss = 0;
    int correct = 0;
};

}  // namespace

Evaluator::Evaluator(const Network& network, const TrainingImages& images, ThreadPool& pool)
    : m_network(network), m_images(images), m_pool(pool) {
    for (int thread = 0; thread < pool.threadCount(); ++thread)
        m_scratch.push_back({Workspace(network, static_cast<int>(kChunk), Workspace::Use::Evaluation),
                             FloatVector(kChunk * images.valuesPerImage()), std::vector<std::uint8_t>(kChunk)});
}

double Evaluator::scratchBytes(const Network& network) {
    return static_cast<double>(Workspace::bytes(network, static_cast<int>(kChunk), Workspace::Use::Evaluation)) +
           sizeof(float) * static_cast<double>(kChunk) * network.spec().input.elements();
}

std::vector<Evaluation> Evaluator::evaluate(std::span<const std::span<const float>> models, std::size_t samples,
                                            std::stop_token stop) {
    samples = std::min(samples, size());
    const std::size_t chunks = (samples + kChunk - 1) / kChunk;
    std::vector<Evaluation> evaluations(models.size());
    for (Evaluation& one : evaluations) one.predictions.resize(samples);
    std::vector<ChunkResult> results(models.size() * chunks);
    std::atomic<bool> complete = true;
    m_pool.parallelFor(results.size(), [&](std::size_t task, int thread) {
        if (stop.stop_requested()) complete = false;
        if (!complete) return;
        const std::size_t model = task % models.size(), first = task / models.size() * kChunk;
        const std::size_t count = std::min(kChunk, samples - first);
        Scratch& scratch = m_scratch[static_cast<std::size_t>(thread)];
        const std::span values = std::span(scratch.images).first(count * m_images.valuesPerImage());
        const std::span labels = std::span(scratch.labels).first(count);
        m_images.fillRange(first, values, labels);
        const std::span predictions = std::span(evaluations[model].predictions).subspan(first, count);
        const BatchResult result =
            m_network.evaluate(models[model], {values, labels}, predictions, scratch.workspace, stop);
        if (!result.complete) complete = false;
        results[task] = {result.loss * static_cast<double>(count), result.correct};
    });
    if (!complete) return {};
    for (std::size_t task = 0; task < results.size(); ++task) {
        Evaluation& evaluation = evaluations[task % models.size()];
        evaluation.loss += results[task].loss / static_cast<double>(samples);
        evaluation.accuracy += results[task].correct / static_cast<double>(samples);
    }
    return evaluations;
}

double predictionDisagreement(std::span<const Evaluation> models) {
    const auto& first = models.front().predictions;
    std::size_t disagreed = 0;
    for (std::size_t image = 0; image < first.size(); ++image)
        disagreed += std::ranges::any_of(
            models, [&](const Evaluation& model) { return model.predictions[image] != first[image]; });
    return static_cast<double>(disagreed) / static_cast<double>(first.size());
}

}  // namespace lockstep
