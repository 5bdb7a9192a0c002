#pragma once

#include <span>

#include "base/thread_pool.h"
#include "train/parameter_server.h"
#include "train/smoothed_ratio.h"
#include "train/snapshot.h"

namespace lockstep {

/// What the workers' own gradients say about the noise of a batch. Looks at every tenth update, so that it costs
/// little.
///
/// The simple noise scale tr(S) / |G|^2 in samples: the two-batch estimator of McCandlish et al., "An Empirical Model
/// of Large-Batch Training", 2018, appendix A.1, with the small batch that of one worker and the large one that of all.
/// Both estimates are smoothed before their ratio is taken, as the ratio of single estimates is biased; its standard
/// error is that of SmoothedRatio.
///
/// The variance before averaging is sum_i w_i |g_i - g|^2 / (1 - sum_i w_i^2), w_i the workers' weights. That after
/// averaging is not taken from it by theory (which says it shrinks by sum_i w_i^2, to one N-th for equal weights) but
/// from averages that were really formed: those of the even ranks and of the odd ones, which are independent halves of
/// the mean; their squared distance, times sum w_i^2 over the sum of the squared weights within the halves.
class NoiseScaleMeter {
public:
    struct Settings {
        bool noiseScale = true;             ///< whether gradients are of mini-batches, and as they were computed
        bool variance = true;               ///< whether they are gradients of one model
        std::size_t trained = kAllTrained;  ///< looks at so many entries: running statistics are behind them
    };

    NoiseScaleMeter(const Settings& settings, ThreadPool& pool) : m_settings(settings), m_pool(pool) {}

    void setEnabled(bool enabled) { m_enabled = enabled; }
    /// Gradients of one update with their weights, which add up to one, `samplesEach` behind each. Changes nothing of
    /// them.
    void observe(std::span<const Contribution> gradients, double samplesEach);
    void archive(StateArchive& archive) {
        archive.value(m_updates);
        archive.value(m_noise);
        archive.value(m_variance);
    }

    /// In samples. Not a number before it can say anything, and where the estimated gradient vanishes.
    [[nodiscard]] double noiseScale() const { return m_noise.ratio(); }
    [[nodiscard]] double noiseScaleError() const { return m_noise.standardError(); }
    /// Not numbers before the first observation.
    [[nodiscard]] GradientVariance variance() const;

private:
    void observeNoise(double meanOfSquares, double squareOfMean, double samplesEach, std::size_t workers);

    static constexpr double kSmoothing = 0.9;

    Settings m_settings;
    ThreadPool& m_pool;
    bool m_enabled = true;
    long long m_updates = 0;
    SmoothedRatio m_noise{kSmoothing};     ///< |G|^2 and tr(S)
    SmoothedRatio m_variance{kSmoothing};  ///< before and after averaging
};

/// What the noise scale suggests as the global batch: the noise scale itself, in whole samples. There the run needs
/// twice the fewest steps and twice the fewest samples that it could do with; a smaller batch saves samples, a larger
/// one steps (McCandlish et al. 2018, section 2). Not a number where the noise scale is no positive number.
[[nodiscard]] double suggestedGlobalBatch(double noiseScale);

}  // namespace lockstep
