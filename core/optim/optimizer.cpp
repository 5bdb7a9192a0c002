#include "optim/optimizer.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace lockstep {
namespace {

/// The slices one update works on, as plain pointers that the compiler may assume distinct.
struct Slice {
    std::size_t size;
    float* __restrict weights;
    const float* __restrict gradient;
    float* __restrict first;
    float* __restrict second;
};

struct Constants {
    float rate, gradientScale, weightDecay, momentum;
};

void updateSgd(const Slice& s, const Constants& c) {
    for (std::size_t i = 0; i < s.size; ++i) {
        const float g = c.gradientScale * s.gradient[i] + c.weightDecay * s.weights[i];
        s.weights[i] -= c.rate * g;
    }
}

void updateMomentum(const Slice& s, const Constants& c) {
    for (std::size_t i = 0; i < s.size; ++i) {
        const float g = c.gradientScale * s.gradient[i] + c.weightDecay * s.weights[i];
        const float velocity = c.momentum * s.first[i] + g;
        s.first[i] = velocity;
        s.weights[i] -= c.rate * velocity;
    }
}

void updateNesterov(const Slice& s, const Constants& c) {
    for (std::size_t i = 0; i < s.size; ++i) {
        const float g = c.gradientScale * s.gradient[i] + c.weightDecay * s.weights[i];
        const float velocity = c.momentum * s.first[i] + g;
        s.first[i] = velocity;
        s.weights[i] -= c.rate * (g + c.momentum * velocity);
    }
}

void updateAdam(const Slice& s, const Constants& c, const OptimizerSettings& settings, long long update) {
    const auto beta = static_cast<float>(settings.secondMomentDecay);
    const auto epsilon = static_cast<float>(settings.epsilon);
    const auto step = static_cast<double>(update);
    const auto firstCorrection = static_cast<float>(1 / (1 - std::pow(settings.momentum, step)));
    const auto secondCorrection = static_cast<float>(1 / (1 - std::pow(settings.secondMomentDecay, step)));
    for (std::size_t i = 0; i < s.size; ++i) {
        const float g = c.gradientScale * s.gradient[i] + c.weightDecay * s.weights[i];
        s.first[i] = c.momentum * s.first[i] + (1 - c.momentum) * g;
        s.second[i] = beta * s.second[i] + (1 - beta) * g * g;
        s.weights[i] -= c.rate * (s.first[i] * firstCorrection) / (std::sqrt(s.second[i] * secondCorrection) + epsilon);
    }
}

}  // namespace

OptimizerSettings optimizerSettings(const TrainingSettings& training) {
    return {.kind = training.optimizer, .momentum = training.momentum, .weightDecay = training.weightDecay};
}

int stateFloatsPerParameter(OptimizerKind kind) {
    switch (kind) {
        case OptimizerKind::Sgd:
            return 0;
        case OptimizerKind::Adam:
            return 2;
        case OptimizerKind::Momentum:
        case OptimizerKind::Nesterov:
        case OptimizerKind::Lars:
            break;
    }
    return 1;
}

Optimizer::Optimizer(const OptimizerSettings& settings, std::size_t size) : m_settings(settings) {
    const int states = stateFloatsPerParameter(settings.kind);
    if (states >= 1) m_first.resize(size);
    if (states >= 2) m_second.resize(size);
}

void Optimizer::update(IndexRange range, std::span<float> weights, std::span<const float> gradient,
                       const UpdateScale& scale) {
    assert(range.end <= weights.size() && weights.size() == gradient.size());
    const Slice slice{range.size(), weights.data() + range.begin, gradient.data() + range.begin,
                      m_first.empty() ? nullptr : m_first.data() + range.begin,
                      m_second.empty() ? nullptr : m_second.data() + range.begin};
    Constants constants{static_cast<float>(scale.rate), static_cast<float>(scale.gradientScale),
                        static_cast<float>(m_settings.weightDecay), static_cast<float>(m_settings.momentum)};
    switch (m_settings.kind) {
        case OptimizerKind::Sgd:
            return updateSgd(slice, constants);
        case OptimizerKind::Momentum:
            return updateMomentum(slice, constants);
        case OptimizerKind::Nesterov:
            return updateNesterov(slice, constants);
        case OptimizerKind::Adam:
            return updateAdam(slice, constants, m_settings, scale.update);
        case OptimizerKind::Lars:
            constants.gradientScale = static_cast<float>(scale.trustRatio * scale.gradientScale);
            constants.weightDecay = static_cast<float>(scale.trustRatio * m_settings.weightDecay);
            return updateMomentum(slice, constants);
    }
}

double larsTrustRatio(const OptimizerSettings& settings, double weightNormSquared, double gradientNormSquared) {
    const double weightNorm = std::sqrt(weightNormSquared), gradientNorm = std::sqrt(gradientNormSquared);
    if (!(weightNorm > 0) || !(gradientNorm > 0)) return 1;
    return settings.trustCoefficient * weightNorm / (gradientNorm + settings.weightDecay * weightNorm);
}

double clipFactor(double normSquared, double clipNorm) {
    const double norm = std::sqrt(normSquared);
    return clipNorm > 0 && norm > clipNorm ? clipNorm / norm : 1;
}

}  // namespace lockstep
