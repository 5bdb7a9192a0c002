#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/state_archive.h"
#include "experiment/experiment.h"
#include "optim/vector_math.h"

namespace lockstep {

/// An update rule with its constants. For Adam `momentum` is the decay of the first moment.
struct OptimizerSettings {
    OptimizerKind kind = OptimizerKind::Momentum;
    double momentum = 0.9;
    double weightDecay = 0;            ///< L2: weightDecay * w is added to the gradient
    double secondMomentDecay = 0.999;  ///< Adam
    double epsilon = 1e-8;             ///< Adam
    double trustCoefficient = 0.001;   ///< LARS
};

/// The settings that an experiment asks for.
[[nodiscard]] OptimizerSettings optimizerSettings(const TrainingSettings& training);

/// Floats that a rule keeps for each parameter: 0, 1 (velocity) or 2 (Adam's moments).
[[nodiscard]] int stateFloatsPerParameter(OptimizerKind kind);

/// What one update needs beyond weights and gradient; the same for every part of the vector.
struct UpdateScale {
    double rate = 0;
    double gradientScale = 1;  ///< multiplies the gradient first: averaging and clipping
    double trustRatio = 1;     ///< LARS only: the layer's, from larsTrustRatio
    long long update = 1;      ///< number of this update from 1, for Adam's bias correction
};

/// An update rule over one flat vector of `size` parameters, or over a server's slice of it. With g = gradientScale *
/// gradient + weightDecay * w and mu the momentum:
///   sgd       w -= rate * g
///   momentum  v = mu v + g,              w -= rate * v
///   nesterov  v = mu v + g,              w -= rate * (g + mu v)           (Sutskever et al., ICML 2013)
///   adam      m = mu m + (1 - mu) g,  s = beta s + (1 - beta) g^2,
///             w -= rate * (m / (1 - mu^t)) / (sqrt(s / (1 - beta^t)) + epsilon)   (Kingma and Ba, ICLR 2015)
///   lars      v = mu v + trustRatio * g, w -= rate * v                    (You, Gitman, Ginsburg, 2017)
/// Each element depends on itself alone, so disjoint ranges may be updated in any order and at the same time, and
/// give the same bits as one call for the whole.
class Optimizer {
public:
    Optimizer(const OptimizerSettings& settings, std::size_t size);

    /// Updates weights[range] from gradient[range]; both spans cover all `size` parameters.
    void update(IndexRange range, std::span<float> weights, std::span<const float> gradient, const UpdateScale& scale);

    [[nodiscard]] const OptimizerSettings& settings() const { return m_settings; }
    /// The velocity, or Adam's first moment; empty for sgd. Local SGD averages it.
    [[nodiscard]] std::span<float> firstState() { return m_first; }
    /// Adam's second moment; empty otherwise.
    [[nodiscard]] std::span<float> secondState() { return m_second; }
    [[nodiscard]] std::span<const float> firstState() const { return m_first; }
    [[nodiscard]] std::span<const float> secondState() const { return m_second; }
    void archive(StateArchive& archive) {
        archive.elements(std::span(m_first));
        archive.elements(std::span(m_second));
    }

private:
    OptimizerSettings m_settings;
    std::vector<float> m_first, m_second;
};

/// LARS: trustCoefficient * |w| / (|g| + weightDecay * |w|) of one layer, weights and biases together. 1 where a norm
/// is zero, as nothing can be said about the layer then. Norms are given squared, summed over all slices of the layer.
[[nodiscard]] double larsTrustRatio(const OptimizerSettings& settings, double weightNormSquared,
                                    double gradientNormSquared);

/// The factor that brings a gradient of this squared norm down to clipNorm; 1 when it is shorter or clipNorm is 0.
[[nodiscard]] double clipFactor(double normSquared, double clipNorm);

}  // namespace lockstep
