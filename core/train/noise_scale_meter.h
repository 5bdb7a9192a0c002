#pragma once

#include <span>

#include "base/thread_pool.h"
#include "train/parameter_server.h"

namespace lockstep {

/// The simple gradient noise scale tr(S) / |G|^2 in samples, from the workers' own gradients: the two-batch estimator
/// of McCandlish et al., "An Empirical Model of Large-Batch Training", 2018, appendix A.1, with the small batch that of
/// one worker and the large one that of all. Both estimates are smoothed before their ratio is taken, as the ratio of
/// single estimates is biased. Looks at every tenth update, so that it costs little.
class NoiseScaleMeter {
public:
    /// Looks at the first `trained` entries: running statistics are behind them.
    NoiseScaleMeter(bool enabled, ThreadPool& pool, std::size_t trained = kAllTrained)
        : m_enabled(enabled), m_pool(pool), m_trained(trained) {}

    /// Gradients of one update with their weights, `samplesEach` behind each. Changes nothing of them.
    void observe(std::span<const Contribution> gradients, double samplesEach);
    /// Not a number before it can say anything, and where the estimated gradient vanishes.
    [[nodiscard]] double noiseScale() const;
    void archive(StateArchive& archive) {
        archive.value(m_updates);
        archive.value(m_observations);
        archive.value(m_gradientSquared);
        archive.value(m_covarianceTrace);
    }

private:
    bool m_enabled;
    ThreadPool& m_pool;
    std::size_t m_trained;
    long long m_updates = 0, m_observations = 0;
    double m_gradientSquared = 0, m_covarianceTrace = 0;
};

}  // namespace lockstep
